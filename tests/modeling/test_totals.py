"""Which kernels make up the total of the program."""

import numpy as np
import pytest

from modeling.models import ModelRun
from modeling.services.models.runs import run_execute
from modeling.totals import counts_to_total
from tests.factories import make_project
from tests.modeling.stored import store

TREE = ["main", "main->solve", "main->solve->sweep", "main->io"]


def test_exclusive_values_are_all_added():
    medians = np.array([[0.1, 0.1], [0.2, 0.2], [5.0, 9.0], [1.0, 1.0]])
    assert counts_to_total(TREE, medians).all()


def test_of_inclusive_values_only_the_root_is_added():
    medians = np.array([[6.5, 10.6], [5.3, 9.2], [5.0, 9.0], [1.0, 1.1]])
    assert counts_to_total(TREE, medians).tolist() == [True, False, False, False]


def test_inclusive_timers_may_disagree_a_little():
    medians = np.array([[6.0, 10.0], [5.05, 9.1], [5.0, 9.0], [1.0, 1.0]])
    assert counts_to_total(TREE, medians).tolist() == [True, False, False, False]


def test_a_caller_without_values_is_skipped():
    paths = ["main", "main->hidden->sweep"]
    assert counts_to_total(paths, np.array([[5.0], [4.0]])).tolist() == [True, False]


@pytest.mark.parametrize(
    ("inclusive", "expected"), [(True, [True, False, False, False]), (False, [True] * 4)]
)
def test_the_setting_of_a_maintainer_takes_precedence(inclusive, expected):
    assert counts_to_total(TREE, np.ones((4, 2)), inclusive).tolist() == expected


def test_all_kernels_of_a_flat_profile_are_added():
    assert counts_to_total(["sweep", "halo", "io"], np.array([[5.0], [2.0], [1.0]])).all()


def test_the_line_for_the_whole_program_is_the_total_of_a_flat_profile():
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


def test_without_values_all_kernels_are_added_without_a_warning():
    assert counts_to_total(["a", "b", "c"], np.full((3, 2), np.nan)).all()


MAXIMA = np.array([[10.0, 20.0], [9.8, 19.9], [7.0, 13.0], [6.0, 12.0]])
"""Each call shows the maximum over ranks, so the sum of the callees is larger than their caller."""
BRANCHES = ["main", "main->solve", "main->solve->sweep", "main->solve->halo"]


@pytest.mark.parametrize(
    ("metric", "counted"), [("time_max", 1), ("Max time/rank", 1), ("time", 4), ("climax", 4)]
)
def test_for_maxima_a_caller_contains_each_of_its_callees(metric, counted):
    found = counts_to_total(BRANCHES, MAXIMA, metric=metric)
    assert found.sum() == counted
    assert found[0]


@pytest.mark.parametrize(
    ("metric", "counted"), [("time (inc)", 1), ("Inclusive time", 1), ("time (exc)", 4), ("avg#exclusive", 4)]
)
def test_the_name_of_a_metric_may_decide(metric, counted):
    assert counts_to_total(TREE, np.ones((4, 2)), metric=metric).sum() == counted


@pytest.mark.parametrize("inclusive", [True, False])
def test_the_line_for_the_whole_program_is_the_total_even_with_a_call_tree(inclusive):
    paths = ["total", "solve", "solve->sweep", "io"]
    medians = np.array([[10.0, 21.0], [6.0, 12.0], [5.0, 9.0] if inclusive else [7.0, 5.0], [3.9, 8.8]])
    if not inclusive:
        medians[0] = medians[1:].sum(axis=0) * 1.01
    assert counts_to_total(paths, medians).tolist() == [True, False, False, False]


def test_roots_beside_main_are_added():
    paths = ["main", "main->solve", "MPI_Init", "MPI_Finalize"]
    medians = np.array([[10.0, 12.0], [9.0, 11.0], [1.0, 2.0], [0.1, 0.2]])
    assert counts_to_total(paths, medians).tolist() == [True, False, True, True]


def test_half_of_a_program_is_not_the_whole_program():
    """A kernel is the whole program only if it takes as long as all others together at every point, not just
    on average.
    """
    medians = np.array([[10.0, 20.0, 52.0], [5.0, 14.0, 21.0], [3.0, 8.0, 29.0]])
    assert counts_to_total(["sweep", "halo", "io"], medians).all()
    medians[0] = medians[1:].sum(axis=0) * 1.03
    assert counts_to_total(["sweep", "halo", "io"], medians).tolist() == [True, False, False]


def test_the_line_for_the_program_may_be_a_little_below_its_parts():
    paths = ["int main(int, char**)", "loop", "update", "init"]
    medians = np.array([[9.99, 20.0], [10.0, 19.9], [9.9, 19.0], [0.1, 0.1]])
    assert counts_to_total(paths, medians).tolist() == [True, False, False, False]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("form", "options", "counted"),
    [
        ("tau", {}, 3),
        ("cube", {"inclusive": "no"}, 3),
        ("cube", {"inclusive": "yes"}, 1),
        ("json_lines", {}, 1),
    ],
)
def test_formats_that_hold_both_kinds_of_values_say_which(form, options, counted):
    laws = {"main": lambda p: 10.0, "main->halo": lambda p: 3.0, "main->sweep": lambda p: 5.0}
    campaign = store(make_project(), "1.0", laws)
    campaign.uploads.update(format=form, options=options)
    run = ModelRun.objects.get(campaign=campaign)
    run_execute(run)
    assert run.models.filter(counts_to_total=True).count() == counted
