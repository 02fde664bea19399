"""Outputs of High Performance Linpack."""

import pytest

from ingest.formats import FormatError, parse
from ingest.formats.limits import Limits

HEADER = """================================================================================
HPLinpack 2.3  --  High-Performance Linpack benchmark  --   December 2, 2018
================================================================================
N      :   29184
NB     :     192
T/V                N    NB     P     Q               Time                 Gflops
"""


def result(n=1000, time="12.50", rate="5.3e+01", verdict="PASSED", variant="WR11C2R4"):
    return f"""--------------------------------------------------------------------------------
{variant}       {n}   192     2     4             {time}             {rate}
HPL_pdgesv() start time Mon Nov 23 10:00:00 2026
--------------------------------------------------------------------------------
||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=        0.0051440 ...... {verdict}
"""


@pytest.fixture
def read(tmp_path):
    def read(*parts, **limits):
        path = tmp_path / "hpl.out"
        path.write_text(HEADER + "".join(parts))
        return parse(path, limits=Limits(**limits))

    return read


def test_it_works(read):
    campaign = read(result(), result(time="12.75"), result(n=2000, time="99"))
    assert campaign.format == "hpl"
    assert campaign.parameters == ("N", "NB", "P", "Q")
    assert campaign.points.tolist() == [[1000, 192, 2, 4], [2000, 192, 2, 4]]
    assert campaign.series["WR11C2R4", "Time"][0].tolist() == [12.5, 12.75]
    assert campaign.series["WR11C2R4", "Gflops"][0].tolist() == [53, 53]
    assert campaign.units == {"Time": "s", "Gflops": "GFLOPS"}


def test_rows_of_other_benchmarks_are_ignored(read):
    campaign = read("WALL 23500 23500  80  80   2   2     1.90 PASSED    2.323  0.00\n", result())
    assert {kernel for kernel, _ in campaign.series} == {"WR11C2R4"}


def test_variants_of_the_algorithm_are_kernels(read):
    assert {kernel for kernel, _ in read(result(), result(variant="WC00L2L2")).series} == {
        "WR11C2R4",
        "WC00L2L2",
    }


def test_a_result_that_failed_its_check_is_left_out(read):
    campaign = read(result(time="1", verdict="FAILED"), result())
    assert campaign.series["WR11C2R4", "Time"].tolist() == [[12.5]]
    assert campaign.notes[0] == "1 results that failed HPL's check were left out, the first in line 8"


@pytest.mark.parametrize("text", ["", result(verdict="FAILED")])
def test_an_output_without_results_is_refused(read, text):
    with pytest.raises(FormatError, match="an output without results"):
        read(text)


def test_errors_name_the_line(read):
    with pytest.raises(FormatError, match="line 8: found “1-5”"):
        read(result(time="1-5"))


def test_lines_without_results_are_limited(read):
    with pytest.raises(FormatError, match="more than 9 lines without measurements"):
        read("other output\n" * 10, unmeasured=9)


def test_a_gpu_version_names_its_variant_in_three_characters_and_adds_a_rate_per_gpu(read):
    campaign = read(result(variant="WC0", rate="4.208e+04 ( 2.104e+04)"))
    assert campaign.series["WC0", "Gflops"].tolist() == [[42080]]
