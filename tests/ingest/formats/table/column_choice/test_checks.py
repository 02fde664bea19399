"""Tables whose columns cannot be recognised are refused, and columns that cannot be used left out."""

import pytest

from ingest.formats import FormatError


def test_a_metric_with_negative_values_is_left_out(read):
    campaign = read("p,time,delta", "2,1,-1", "4,2,3")
    assert list(campaign.series) == [("main", "time")]
    assert campaign.notes[0] == "the column delta was left out: it has negative values"


def test_a_metric_of_the_long_form_with_negative_values_is_left_out(read):
    campaign = read("p,kernel,metric,value", "2,main,time,1", "2,main,err,-1", "4,main,err,2")
    assert list(campaign.series) == [("main", "time")]
    assert campaign.notes[0] == "the metric err was left out: it has negative values"


def test_a_table_with_empty_metrics_is_refused(read):
    with pytest.raises(FormatError, match="no value in the columns time_us, speedup; expected at least one"):
        read("threads,time_us,speedup", "1,,", "2,,", "4,,")


def test_a_profile_in_space_is_no_measurement(read):
    rows = (f"{x / 8:.3f},{x * x / 3 % 7:.4f},{x / 7:.4f}" for x in range(1, 41))
    with pytest.raises(FormatError, match=r"line 1: found many numbers in x.*no name of a measured quantity"):
        read("x,den,vel", *rows)


@pytest.mark.parametrize(
    "rows",
    [
        ("JobID|JobName|AllocCPUS|State", "1001|solve|32|COMPLETED", "1001.batch|batch|16|COMPLETED"),
        ("case|state|nodes", "large|ok|32", "small|ok|16"),
    ],
)
def test_a_table_with_nothing_but_numbers_of_processes_has_no_metric(read, rows):
    with pytest.raises(FormatError, match=r"line 1: found the columns .*; expected columns of parameters"):
        read(*rows)


def test_measured_whole_numbers_are_no_parameter(read):
    rows = (f"{place % 3},{20000 + 7 * (place // 2)},{9000 + place // 3}" for place in range(4000))
    with pytest.raises(FormatError, match=r"found many numbers in fork, and no name of a measured quantity"):
        read("noop,fork,vfork", *rows)


def test_a_history_of_commits_is_no_version(read):
    rows = (f"{commit},2,1" for commit in ("ab12cd34ef", "12cd34ef56", "34ef56ab12"))
    with pytest.raises(
        FormatError, match="found the rows of 3 commits in the column commit; expected the rows"
    ):
        read("commit,p,time", *rows)
