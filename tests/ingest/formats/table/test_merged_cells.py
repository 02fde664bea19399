"""Cells that a spreadsheet has merged: only the first of them is filled."""

import pytest


def test_an_empty_cell_repeats_the_cell_above_it(read):
    campaign = read("n,threads,time", "1000,1,8", ",2,4", ",4,2", ",,", "2000,1,16", ",2,8.5", ",4,4.5")
    assert campaign.parameters == ("n", "threads")
    assert campaign.points.tolist() == [[n, p] for n in (1000, 2000) for p in (1, 2, 4)]
    assert campaign.series["main", "time"].ravel().tolist() == [8, 4, 2, 16, 8.5, 4.5]
    assert campaign.notes == ("n: an empty cell was read as the cell above it",)


def test_texts_may_be_merged_as_well(read):
    campaign = read("application,threads,time", "bt,1,8", ",2,4", "lu,1,6", ",2,3")
    assert {kernel for kernel, _ in campaign.series} == {"main [application=bt]", "main [application=lu]"}


@pytest.mark.parametrize(
    "rows",
    [
        ("bt,1,8", ",2,4", "bt,4,6", ",8,3"),  # a text comes twice
        (",1,8", "bt,2,4", ",4,6", "lu,8,3"),  # the first cell is empty
        ("bt,1,8", "lu,2,4", "sp,4,6", ",8,3"),  # few cells are empty
    ],
)
def test_other_empty_cells_stay_empty(read, rows):
    assert not any("cell above" in note for note in read("application,threads,time", *rows).notes)


@pytest.mark.parametrize("name", ["time", "comment", "value [s]"])
def test_metrics_and_remarks_are_not_filled(read, name):
    campaign = read(f"threads,{name},elapsed [s]", "1,8,9", "2,,5", "4,2,3", "8,,2")
    assert not any("cell above" in note for note in campaign.notes)
