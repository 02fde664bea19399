"""A law that depends on a single point is recognised, and one that depends on all points is not suspected."""

import numpy as np
import pytest

from modeling.engine import fit
from modeling.engine.laws.synthetic import grid, measure, random_functions
from modeling.engine.laws.terms import LEAD_MULTIPLE
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.laws import Located
from modeling.engine.modelers.evidence.noise.families import LogNormal
from modeling.engine.modelers.evidence.noise.runs import summarise
from modeling.engine.modelers.evidence.search.left_out import left_out
from modeling.engine.questions.stability import Stability, stability
from modeling.engine.results.models import OK, SEGMENTED
from modeling.engine.validation import FloatArray

P = grid([(4, 8, 16, 32, 64, 128)])
LONG = grid([[2.0**power for power in range(2, 11)]])
PN = grid([(4, 8, 16, 32, 64), (10, 20, 30, 40, 50)])


def judged(points: FloatArray, truth: FloatArray, noise: float = 0.04) -> tuple[FloatArray, Stability]:
    values = measure(np.atleast_2d(truth), np.random.default_rng(7), noise=noise)
    return values, stability(points, values, fit(points, values))


@pytest.mark.parametrize("points", [LONG, PN], ids=["one parameter", "two"])
def test_a_clear_law_survives_without_any_point(points: FloatArray) -> None:
    _, found = judged(points, 3 + 0.5 * points.prod(axis=1))
    assert found.score.tolist() == [1.0]
    assert np.abs(found.ratio - 1).max() < 0.05


def test_growth_that_one_point_shows_depends_on_that_point() -> None:
    truth = np.full(len(P), 5.0)
    truth[-1] = 9.0
    values, found = judged(P, truth)
    assert found.score[0] < 1
    assert found.weakest.tolist() == [len(P) - 1]
    assert not found.survives[0, -1]
    assert found.ratio[0, -1] < 0.5
    # A complete fit without the point changes the prediction by about the same factor.
    without = values.copy()
    without[:, -1] = np.nan
    far = LEAD_MULTIPLE * P[-1:]
    whole = fit(P, without).predict(far) / fit(P, values).predict(far)
    assert np.log(found.ratio[0, -1]) == pytest.approx(np.log(whole[0, 0]), rel=0.25)


def test_most_results_agree_with_complete_fits() -> None:
    rng = np.random.default_rng(3)
    values = measure(random_functions(80, 1, rng).evaluate(P), rng, noise=0.1)
    for kernel in range(40):
        values[kernel, kernel % len(P)] *= 1.5
    models = fit(P, values)
    found = stability(P, values, models)
    lower, upper = (each[:, 0] for each in models.interval(LEAD_MULTIPLE * P[-1:]))
    before = models.predict(LEAD_MULTIPLE * P[-1:])[:, 0]
    same = []
    for point in range(len(P)):
        without = values.copy()
        without[:, point] = np.nan
        refitted = fit(P, without)
        predicted = refitted.predict(LEAD_MULTIPLE * P[-1:])[:, 0]
        moved = np.abs(refitted.lead_exponents - models.lead_exponents)[:, 0, 0]
        near = (lower <= predicted) & (predicted <= upper) | (np.abs(predicted / before - 1) <= 0.1)
        survives = near & (moved <= 0.2501)
        same.append(survives == found.survives[:, point])
    assert np.mean(same) > 0.8


def test_the_closed_form_equals_fits_to_the_other_points() -> None:
    rng = np.random.default_rng(5)
    basis = Basis(P)
    located = Located(*LogNormal().locate(summarise(measure(4 + 0.2 * P.T, rng, noise=0.3))))
    none = np.zeros((1, 1, 1, 1), dtype=int)
    whole = left_out(basis, located, none)
    for point in range(len(P)):
        variance = located.variance.copy()
        variance[point] = np.inf
        rest = left_out(basis, Located(located.y, variance), none)
        assert whole.far[point, 0] == pytest.approx(rest.far[-1, 0], rel=0.03)
        # The infinite variance has already removed this point.
        assert rest.far[point, 0] == pytest.approx(rest.far[-1, 0])


def test_points_without_values_are_not_left_out() -> None:
    values = measure(np.stack([3 + P[:, 0]] * 3), np.random.default_rng(1), noise=0.05)
    values[0, 2] = np.nan
    values[1, 2:] = np.nan
    values[2] = np.nan
    found = stability(P, values, fit(P, values))
    assert found.points_used.tolist() == [5, 2, 0]
    assert found.score[0] == 1
    assert np.isnan(found.score[1:]).all()
    assert found.survives[0, 2]


def test_a_term_that_vanishes_quickly_is_ignored() -> None:
    rng = np.random.default_rng(8)
    truth = 5 + 0.6 * LONG[:, 0] ** -1.5
    values = measure(np.stack([truth] * 20), rng, noise=0.05)
    found = stability(LONG, values, fit(LONG, values))
    assert found.score.mean() > 0.97


def test_segmented_laws_are_not_judged() -> None:
    truth = np.where(LONG[:, 0] < 100, 2.0, 2 + 0.5 * LONG[:, 0])
    values = measure(np.stack([truth, 3 + 0.1 * LONG[:, 0]]), np.random.default_rng(2), noise=0.02)
    models = fit(LONG, values)
    assert models.status.tolist() == [SEGMENTED, OK]
    found = stability(LONG, values, models)
    assert found.known.tolist() == [False, True]
    assert np.isnan(found.score[0])


def test_results_do_not_depend_on_other_kernels() -> None:
    rng = np.random.default_rng(9)
    values = measure(random_functions(30, 2, rng).evaluate(PN), rng, noise=0.2)
    models = fit(PN, values)
    together = stability(PN, values, models)
    some = np.arange(5, 9)
    alone = stability(PN, values[some], models.part(some))
    np.testing.assert_array_equal(alone.survives, together.survives[some])
    np.testing.assert_allclose(alone.ratio, together.ratio[some], rtol=1e-9)


def test_invalid_arguments_are_named() -> None:
    values = measure(3 + P.T, np.random.default_rng(1), noise=0.05)
    with pytest.raises(ValueError, match="models: found none that weigh laws"):
        stability(P, values, fit(P, values, modeler="regression"))
    with pytest.raises(ValueError, match="models: found 1 of them, expected 2"):
        stability(P, np.concatenate([values, values]), fit(P, values))
    with pytest.raises(ValueError, match="values"):
        stability(P, values[:, :3], fit(P, values))


def test_a_wild_value_does_not_count_as_a_point_on_which_the_law_depends() -> None:
    values = measure(np.full((1, len(LONG)), 5.0), np.random.default_rng(7), noise=0.01)
    values[:, 4] *= 3
    found = stability(LONG, values, fit(LONG, values))
    assert found.points_used.tolist() == [len(LONG) - 1]
    assert found.score.tolist() == [1.0]
    assert found.ratio[0, 4] == pytest.approx(1.0)
    assert np.abs(found.ratio - 1).max() < 0.05
