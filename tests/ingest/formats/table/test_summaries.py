"""Rows that summarise other rows."""

import pytest


@pytest.mark.parametrize("name", ["mean", "Mean", "stddev", "median"])
def test_rows_that_summarise_the_runs_are_left_out(read, name):
    campaign = read("p,run,time", "2,1,8", "2,2,9", f"2,{name},8.5", "4,1,4", "4,2,5", f"4,{name},4.5")
    assert campaign.series["main", "time"].tolist() == [[8, 9], [4, 5]]
    assert campaign.notes[0] == f"rows of {name.lower()} were left out: they summarise the runs"


def test_a_note_names_kernels_that_may_summarise_others(read):
    campaign = read("kernel,p,time", "solve,2,8", "solve,4,4", "mean,2,8", "mean,4,4")
    assert ("mean", "time") in campaign.series
    assert campaign.notes == ("mean: read as kernels; delete these rows if they summarise others",)
    assert not read("kernel,p,time", "mean,2,8", "median,2,4").notes
