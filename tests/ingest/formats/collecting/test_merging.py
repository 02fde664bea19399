"""Two uploads are merged into one campaign."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.formats import Campaign, FormatError, Limits
from ingest.formats.collecting.merging import merge, merge_all
from tests.ingest.formats.memory import at_most_seconds

NAN = float("nan")


def campaign(points, parameters=("p", "n"), **series):
    tables = {(kernel, "time"): np.array(values, float) for kernel, values in series.items()}
    return Campaign(parameters, np.array(points, float), tables)


def test_new_points_come_after_known_ones():
    merged = merge(campaign([[4, 1]], k=[[1.0, 2.0]]), campaign([[8, 1]], k=[[3.0]]))
    assert merged.points.tolist() == [[4, 1], [8, 1]]
    np.testing.assert_array_equal(merged.series["k", "time"], [[1, 2], [3, NAN]])


def test_repetitions_of_a_known_point_are_appended_without_gaps():
    known = campaign([[4, 1], [8, 1]], k=[[1.0, NAN], [2.0, 3.0]])
    merged = merge(known, campaign([[8, 1], [4, 1]], k=[[5.0], [4.0]]))
    np.testing.assert_array_equal(merged.series["k", "time"], [[1, 4, NAN], [2, 3, 5]])


def test_a_kernel_missing_in_one_run_has_missing_values_there():
    merged = merge(campaign([[4, 1]], k=[[1.0]]), campaign([[8, 1]], other=[[2.0]]))
    np.testing.assert_array_equal(merged.series["k", "time"], [[1], [NAN]])
    np.testing.assert_array_equal(merged.series["other", "time"], [[NAN], [2]])


def test_parameters_may_have_another_order():
    merged = merge(campaign([[4, 1]], k=[[1.0]]), campaign([[1, 8]], ("n", "p"), k=[[3.0]]))
    assert merged.parameters == ("p", "n")
    assert merged.points.tolist() == [[4, 1], [8, 1]]


def test_other_parameters_are_refused():
    with pytest.raises(FormatError, match="found the parameters q; expected the parameters of the campaign"):
        merge(campaign([[4, 1]], k=[[1.0]]), campaign([[4]], ("q",), k=[[1.0]]))


@pytest.mark.parametrize("name", ["points", "kernels", "metrics", "series", "repetitions", "values"])
def test_merged_campaigns_keep_the_limits_of_one_file(name):
    known = Campaign(("p",), np.array([[4.0]]), {("k", "time"): np.array([[1.0]])})
    new = Campaign(
        ("p",), np.array([[4.0], [8.0]]), {("k", "time"): np.ones((2, 1)), ("l", "bytes"): np.ones((2, 1))}
    )
    with pytest.raises(
        FormatError, match=f"{name} in the campaign together with this file; expected at most 1 {name}"
    ):
        merge(known, new, Limits(**{name: 1}))


RUNS = st.lists(
    st.tuples(st.sampled_from([2.0, 4.0, 8.0]), st.sampled_from("abc"), st.integers(1, 99)),
    min_size=1, max_size=12,
)  # fmt: skip


@given(RUNS)
def test_in_any_order_of_runs_no_value_is_lost_or_invented(runs):
    parts = [campaign([[p]], ("p",), **{kernel: [[float(value)]]}) for p, kernel, value in runs]
    merged = parts[0]
    for part in parts[1:]:
        merged = merge(merged, part)
    found = sorted(
        (merged.points[row, 0], kernel, value)
        for (kernel, _), values in merged.series.items()
        for row, line in enumerate(values.tolist())
        for value in line
        if not math.isnan(value)
    )
    assert found == sorted((p, kernel, float(value)) for p, kernel, value in runs)


@given(RUNS)
def test_merging_at_once_equals_merging_one_after_the_other(runs):
    parts = [campaign([[p]], ("p",), **{kernel: [[float(value)]]}) for p, kernel, value in runs]
    one_by_one = parts[0]
    for part in parts[1:]:
        one_by_one = merge(one_by_one, part)
    np.testing.assert_equal(vars(merge_all(parts)), vars(one_by_one))


def test_rounds_stay_with_their_points():
    known, new = campaign([[4, 1]], k=[[2.0]]), campaign([[8, 1], [4, 1]], k=[[5.0], [3.0]])
    known = replace(known, rounds={("k", "time"): np.array([[1.0, 2.0, 3.0]])})
    new = replace(new, rounds={("k", "time"): np.array([[5.0, NAN], [3.0, 4.0]])})
    rounds = merge(known, new).rounds["k", "time"]
    np.testing.assert_array_equal(rounds, [[1, 2, 3, 3, 4], [5, NAN, NAN, NAN, NAN]])


def test_units_notes_and_runs_of_both_are_kept():
    known = replace(campaign([[4, 1]], k=[[2.0]]), notes=("a", "b"), units={"time": "s"}, runs=[{"p": 4.0}])
    new = replace(
        campaign([[8, 1]], k=[[2.0]]), notes=("b", "c"), units={"time": "s", "x": "B"}, runs=[{"p": 8.0}]
    )
    merged = merge(known, new)
    assert merged.notes == ("a", "b", "c")
    assert merged.units == {"time": "s", "x": "B"}
    assert merged.runs == [{"p": 4.0}, {"p": 8.0}]


def test_the_time_grows_linearly_with_the_values():
    kernels = {f"k{number}": [[1.0]] for number in range(100)}
    parts = [campaign([[float(p % 100 + 1)]], ("p",), **kernels) for p in range(1000)]
    with at_most_seconds(3):
        assert merge_all(parts).series["k0", "time"].shape == (100, 10)
