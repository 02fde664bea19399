"""Columns whose role the user chooses."""

import pytest

from ingest.formats import FormatError, parse

WIDE = ["threads,test,clang,gcc,note", "1,1,4.5,4.25,a", "1,2,4.75,4.5,a", "2,1,2.5,2.25,a", "2,2,2.75,2.5,a"]


@pytest.fixture
def read(tmp_path):
    def read(*lines, **options):
        path = tmp_path / "runs.csv"
        path.write_text("\n".join(lines) + "\n")
        return parse(path, options=options)

    return read


def test_other_columns_of_numbers_are_left_out(read):
    campaign = read(*WIDE, parameters="threads", metrics="GCC")
    assert (campaign.parameters, list(campaign.series)) == (("threads",), [("main", "gcc")])
    assert campaign.series["main", "gcc"].tolist() == [[4.25, 4.5], [2.25, 2.5]]
    assert campaign.metadata == {"note": "a"}
    assert "the column clang was left out: other columns were chosen" in campaign.notes


def test_parameters_alone_leave_the_metrics(read):
    campaign = read(*WIDE, parameters="threads, test")
    assert campaign.parameters == ("threads", "test")  # the test was left out as the number of a run
    assert [metric for _, metric in campaign.series] == ["clang", "gcc"]
    assert campaign.notes == ()


def test_metrics_alone_leave_the_parameters(read):
    campaign = read("p,n,cost,std", "1,10,5,7", "2,10,6,8", "4,10,7,9", metrics="std")
    assert campaign.parameters == ("p", "n")
    assert campaign.series["main", "std"].tolist() == [[7], [8], [9]]
    assert campaign.notes == ("the column cost was left out: other columns were chosen",)


def test_columns_may_be_kernels_of_one_metric(read):
    campaign = read(*WIDE, metric="time")
    assert list(campaign.series) == [("clang", "time"), ("gcc", "time")]
    assert campaign.series["gcc", "time"].tolist() == [[4.25, 4.5], [2.25, 2.5]]
    campaign = read("p,kernel,a [ms],b [ms]", "1,solve,5,6", metric="time")
    assert list(campaign.series) == [("solve->a", "time"), ("solve->b", "time")]
    assert campaign.units == {"time": "ms"}


def test_the_metric_of_a_table_with_values_in_its_header_may_be_named(read):
    campaign = read("kernel/ranks,1,2", "solve,5,6", metric="time")
    assert list(campaign.series) == [("solve", "time")]
    assert campaign.parameters == ("ranks",)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"metrics": "speed"}, "no column “speed”; expected names of columns: “threads, test, clang"),
        ({"parameters": "note"}, "the column “note” with other cells than numbers"),
        ({"parameters": "clang,gcc"}, "the columns “threads, test, clang, gcc, note”"),
    ],
)
def test_wrong_choices_are_refused(read, options, found):
    with pytest.raises(FormatError, match=found) as raised:
        read(*WIDE, **options)
    assert raised.value.line == 1
