"""How far predictions can be trusted, and why."""

from dataclasses import replace

import numpy as np
import pytest

from modeling.engine import fit
from modeling.engine.questions import trust
from modeling.engine.questions.trust import GRADES, judge
from modeling.engine.results.models import FAILED, FEW_VALUES, MISFIT, OK, TOO_FEW_VALUES
from tests.modeling.engine.cases import LINE, P, law

LINEAR = law([2.0], [[[1, 0]]], lower=np.array([4.0]), upper=np.array([64.0]))
NARROW = (10.0, 9.9, 10.1)


def grade(target=64.0, ends=NARROW, certainty=0.9, status=OK) -> str:
    models = replace(LINEAR, status=np.array([status]))
    known = None if certainty is None else np.array([[certainty]])
    predicted, lower, upper = (np.array([end]) for end in ends)
    return GRADES[judge(models, np.array([target]), known, (predicted, lower, upper)).grade[0]]


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        (NARROW, "reliable"),
        ((10.0, 8.0, 10.1), "reliable"),
        ((10.0, 9.9, 13.0), "usable"),
        ((10.0, 4.0, 11.0), "a guess"),
        ((10.0, 9.0, 101.0), "cannot be told"),
        ((10.0, 0.0, 11.0), "cannot be told"),
        ((0.0, 0.0, 0.0), "reliable"),
        ((10.0, np.nan, np.nan), "cannot be told"),
        ((np.nan, np.nan, np.nan), "cannot be told"),
        ((np.inf, np.inf, np.inf), "cannot be told"),
    ],
)
def test_predictions_with_wide_intervals_have_low_grades(ends, expected):
    assert grade(ends=ends) == expected


@pytest.mark.parametrize(
    ("target", "fits", "misses"),
    [
        (4.0, "reliable", "reliable"),
        (100.0, "reliable", "usable"),
        (512.0, "reliable", "usable"),
        (513.0, "usable", "a guess"),
        (4096.0, "usable", "a guess"),
        (4097.0, "a guess", "a guess"),
        (0.4, "usable", "a guess"),
    ],
)
def test_a_law_that_misses_its_points_gives_low_grades_sooner(target, fits, misses):
    assert (grade(target), grade(target, status=MISFIT)) == (fits, misses)


def test_unknown_growth_matters_only_if_it_is_extrapolated():
    assert grade(64.0, certainty=0.4) == "reliable"
    assert grade(128.0, certainty=0.4) == "usable"
    # Without probabilities of other laws, the interval assumes that the form of the law is right.
    assert grade(128.0, certainty=None) == "usable"
    assert grade(64.0, certainty=None) == "reliable"


def test_without_data_there_is_no_grade():
    assert grade(64.0, status=TOO_FEW_VALUES) == "reliable"
    assert grade(128.0, status=TOO_FEW_VALUES) == "cannot be told"
    assert grade(64.0, status=FAILED) == "cannot be told"


def test_a_law_far_from_its_points_does_not_fit():
    values = 1 + 2 * P
    assert trust.status(LINEAR, LINE, values[None]) == [OK]
    assert trust.status(LINEAR, LINE, 1.2 * values[None]) == [OK]
    assert trust.status(LINEAR, LINE, 1.5 * values[None]) == [MISFIT]
    assert trust.status(LINEAR, LINE, np.where(P == 64, np.nan, 1.5 * values)[None]) == [MISFIT]
    few = replace(LINEAR, status=np.array([FEW_VALUES]))
    assert trust.status(few, LINE, 1.5 * values[None]) == [FEW_VALUES]


def test_small_values_need_not_lie_on_the_law():
    points = 2.0 ** np.arange(12)[:, None]
    values = (1 + 2 * points[:, 0])[None]
    disturbed = np.where(points[:, 0] < 16, 100.0, values)
    assert trust.status(LINEAR, points, disturbed) == [OK]
    assert trust.status(LINEAR, points[:7], disturbed[:, :7]) == [MISFIT]


def test_points_without_values_are_ignored():
    assert trust.status(LINEAR, LINE, np.full((1, 5), np.nan)) == [OK]


def test_distances_are_those_from_the_points_of_each_kernel():
    points, few = np.array([[x] for x in (2.0, 4, 8, 16, 32, 64, 128)]), np.arange(7) < 4
    values = np.tile(points[None] * 1.0, (2, 1, 3))
    values[1, ~few] = np.nan
    models = fit(points, values)
    found = judge(models, np.array([1024.0]), np.ones((2, 1)), (np.full(2, 9.0),) * 3)
    assert found.distance.tolist() == [8.0, 64.0]
    assert [GRADES[grade] for grade in found.grade] == ["reliable", "usable"]


def test_nothing_can_be_told_where_a_relation_is_broken():
    ranks = 2.0 ** np.arange(6)
    models = fit(np.stack([ranks, 8 * ranks], axis=1), np.tile(ranks[None, :, None], (1, 1, 3)))
    narrow = tuple(np.array([end]) for end in NARROW)
    kept, broken = (
        judge(models, np.array(target), np.ones((1, 2)), narrow) for target in ([32.0, 256.0], [32.0, 64.0])
    )
    assert [GRADES[found.grade[0]] for found in (kept, broken)] == ["reliable", "cannot be told"]
    assert broken.broken.tolist() == [[False, True]]
