"""Cells without a number, and rows without a parameter."""

import numpy as np
import pytest


def test_a_size_of_zero_is_stored_at_the_smallest_point(read):
    campaign = read("size,latency", "0,1.1", "1,1.2", "2,1.3", "4,1.4")
    assert campaign.points.tolist() == [[1], [2], [4]]
    assert campaign.series["main [size=0]", "latency"][0].tolist() == [1.1]
    assert "main [size=0]" in campaign.notes[0]


def test_a_row_without_a_parameter_is_stored_at_the_smallest_point(read):
    campaign = read("p,n,time", "2,10,1", "4,10,3", "4,,2")
    assert campaign.points.tolist() == [[2, 10], [4, 10]]
    assert campaign.series["main [n=missing]", "time"][1].tolist() == [2]


@pytest.mark.parametrize("cell", ["", "NA", "NaN", "nan", "null", "None", "-", "n/a", "<NA>"])
def test_missing_cells_stay_missing(read, cell):
    campaign = read("p,time,energy", f"2,{cell},5", "4,2,6")
    np.testing.assert_array_equal(campaign.series["main", "time"], [[np.nan], [2]])


@pytest.mark.parametrize(
    "word", ["timeout", "OOM", "X", "inf", "-inf", "Out of memory", "DNF", "NaN", "FAILED", ">3600s"]
)
def test_a_word_in_place_of_a_number_is_a_missing_value(read, word):
    campaign = read("p,time", "2,4.5", f"4,{word}", "8,1.5", f"16,{word}")
    np.testing.assert_array_equal(campaign.series["main", "time"][:, 0], [4.5, np.nan, 1.5, np.nan])
    assert (
        campaign.notes[0] == f"time: 2 cells without a result, such as “{word}”, read as missing (line 3, 5)"
    )


def test_words_in_a_decimal_comma_table_are_missing_values(read):
    campaign = read("p;time", "2;4,5", "4;inf", "8;timeout")
    np.testing.assert_array_equal(campaign.series["main", "time"][:, 0], [4.5, np.nan, np.nan])
