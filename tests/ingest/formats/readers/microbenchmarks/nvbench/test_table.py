"""CSV of nvbench."""

import pytest

from ingest.formats import FormatError, parse

HEADER = (
    "Benchmark,Device,Device Name,T,N (pow2),N,Skipped,Samples,CPU Time (sec),Noise,GPU Time (sec),Noise,"
    "Samples,Batch GPU (sec)"
)


@pytest.fixture
def read(tmp_path):
    def read(*rows, header=HEADER):
        path = tmp_path / "results.csv"
        path.write_text("\n".join([header, *rows]) + "\n")
        return parse(path)

    return read


def row(n, skipped="No", device=0, gpu="2e-05", kind="U8"):
    return f"copy,{device},RTX,{kind},2^{n.bit_length() - 1},{n},{skipped},99,3e-05,1.5,{gpu},0.1,77,1e-05"


def test_axes_are_parameters_and_mean_times_metrics(read):
    campaign = read(row(64), row(128), row(256, skipped="Yes"))
    assert (campaign.format, campaign.parameters) == ("nvbench-csv", ("N",))
    assert campaign.points.tolist() == [[64], [128]]
    assert campaign.series["copy [T=U8]", "GPU time"].tolist() == [[2e-05], [2e-05]]
    assert campaign.series["copy [T=U8]", "CPU time"].tolist() == [[3e-05], [3e-05]]
    assert campaign.units == dict.fromkeys(["GPU time", "CPU time", "batch GPU time"], "s")


def test_later_benchmarks_have_axes_behind_the_results(read):
    header = f"{HEADER},Width (pow2),Width,BWUtil"
    rows = [f"sort,0,RTX,,,,No,9,4e-05,1,{width}e-05,1,,,2^2,{width},0.5" for width in (4, 8)]
    campaign = read(f"{row(64)},,,", *rows, header=header)
    assert (campaign.parameters, campaign.points.tolist()) == (("Width",), [[4], [8]])
    assert campaign.series["sort", "GPU time"].tolist() == [[4e-05], [8e-05]]
    assert not any(kernel == "sort" and metric == "batch GPU time" for kernel, metric in campaign.series)


def test_several_devices_are_in_names(read):
    campaign = read(row(64), row(64, device=1))
    assert {kernel for kernel, _ in campaign.series} == {
        "copy [T=U8, device=GPU 0]",
        "copy [T=U8, device=GPU 1]",
    }


@pytest.mark.parametrize(
    ("wrong", "found"),
    [
        ("copy,0,RTX", "line 3: found a row of 3 cells; expected 14 cells"),
        (row(128, gpu="fast"), "line 3: found “fast” in the column GPU Time .sec.; expected a number"),
    ],
)
def test_damaged_rows_are_refused(read, wrong, found):
    with pytest.raises(FormatError, match=found):
        read(row(64), wrong)
