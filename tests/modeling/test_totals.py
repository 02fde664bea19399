"""Which kernels make up the program's total."""

import numpy as np
import pytest

from modeling.totals import counts_to_total

TREE = ["main", "main->solve", "main->solve->sweep", "main->io"]


def test_exclusive_values_all_count():
    medians = np.array([[0.1, 0.1], [0.2, 0.2], [5.0, 9.0], [1.0, 1.0]])
    assert counts_to_total(TREE, medians).all()


def test_of_inclusive_values_only_the_root_counts():
    medians = np.array([[6.5, 10.6], [5.3, 9.2], [5.0, 9.0], [1.0, 1.1]])
    assert counts_to_total(TREE, medians).tolist() == [True, False, False, False]


def test_inclusive_timers_may_disagree_a_little():
    medians = np.array([[6.0, 10.0], [5.05, 9.1], [5.0, 9.0], [1.0, 1.0]])
    assert counts_to_total(TREE, medians).tolist() == [True, False, False, False]


def test_a_caller_without_values_of_its_own_is_skipped():
    paths = ["main", "main->hidden->sweep"]
    assert counts_to_total(paths, np.array([[5.0], [4.0]])).tolist() == [True, False]


@pytest.mark.parametrize(
    ("inclusive", "expected"), [(True, [True, False, False, False]), (False, [True] * 4)]
)
def test_what_the_team_says_overrides_the_values(inclusive, expected):
    assert counts_to_total(TREE, np.ones((4, 2)), inclusive).tolist() == expected


def test_a_flat_profile_counts_all():
    assert counts_to_total(["sweep", "halo", "io"], np.array([[5.0], [2.0], [1.0]])).all()


def test_a_flat_profile_with_a_line_for_everything_counts_that_line():
    medians = np.array([[1.0, 2.0], [9.0, 20.0], [5.0, 12.0], [4.0, 8.0]])
    assert counts_to_total(["init", "main()", "update", "force"], medians).tolist() == [
        False,
        True,
        False,
        False,
    ]


def test_missing_points_are_no_evidence():
    medians = np.array([[np.nan, 10.0], [5.0, 9.0]])
    assert counts_to_total(["main", "main->solve"], medians).tolist() == [True, False]


def test_nothing_measured_counts_all_and_warns_not():
    assert counts_to_total(["a", "b", "c"], np.full((3, 2), np.nan)).all()
