"""Tables whose columns are separated by blanks."""

import pytest

from ingest.formats import FormatError, parse


@pytest.fixture
def read(tmp_path):
    def read(*lines):
        path = tmp_path / "runs.dat"
        path.write_text("\n".join(lines) + "\n")
        return parse(path)

    return read


@pytest.mark.parametrize(
    "header",
    [
        "ranks n time",
        "  ranks   n  time  ",
        "# ranks n time",
        "# ranks, n, time",
        "ranks n time [s]",
        "number of ranks   n   wall time (s)",
        '"ranks" "n" "time"',
    ],
)
def test_it_works(read, header):
    campaign = read(header, "2 100  1.5", "  4   100 0.75 ", "", "8\t100 0.5")
    assert campaign.format == "csv"
    assert campaign.points.tolist() == [[2, 100], [4, 100], [8, 100]]
    assert [series.tolist() for series in campaign.series.values()] == [[[1.5], [0.75], [0.5]]]


def test_row_names_of_r_get_a_column(read):
    campaign = read('"ranks" "compiler" "time"', '"1" 2 "gcc 13" 1.5', '"2" 2 "icc 19" 2.5')
    assert {kernel for kernel, _ in campaign.series} == {"main [compiler=gcc 13]", "main [compiler=icc 19]"}


def test_a_row_of_another_length_is_named(read):
    with pytest.raises(FormatError, match="line 102: found a row of 3 cells; expected 2"):
        read("ranks time", *["2 1.5"] * 100, "4 2.5 3")


@pytest.mark.parametrize(
    "lines",
    [
        ["Loop time of 1.5 on", "4 procs for 100 steps", "with 300 atoms"],
        ["Dear all,", "the runs", "took longer"],
        ["two words", "2 1.5"],
        ["a title of several words", "2 1.5", "4 2.5"],
    ],
)
def test_prose_is_not_recognised_as_a_table(read, lines):
    with pytest.raises(FormatError, match="not recognised"):
        read(*lines)


def test_numbers_without_names_are_not_recognised_as_a_table(read):
    with pytest.raises(FormatError, match="a table of numbers without names"):
        read("2 1.5", "4 2.5", "8 3.5")


def test_bars_separate_cells(read):
    campaign = read("JobID|NNodes|Elapsed", "17|2|00:10:00", "18|4|00:05:30")
    assert campaign.series["main", "Elapsed"].tolist() == [[600], [330]]
    assert [origin.job for origin in campaign.origins.known] == ["17", "18"]


def test_names_in_a_comment_may_continue_in_a_second_line(read):
    campaign = read(
        "# scaling on the new machine",
        "# nodes  grid size   avg time /   std dev",
        "#                       step",
        " 256       128        15.5      0.125",
        " 512       128         8.5      0.25",
    )
    assert campaign.points.tolist() == [[256, 128], [512, 128]]
    assert campaign.series["main", "avg time"].tolist() == [[15.5], [8.5]]


def test_prose_above_numbers_is_no_header(read):
    with pytest.raises(FormatError, match="a table of numbers without names"):
        read("# three more runs", "# on the machine of 2024", "1 2 3", "2 3 4")
