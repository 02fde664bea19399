"""Laws within bounds are nearly as likely as the best ones that SciPy finds."""

import numpy as np
import pytest
from scipy.optimize import minimize

from modeling.engine.modelers.evidence.draws.sharpen import sharpen
from modeling.engine.modelers.evidence.noise.runs import summarise

X = 2.0 ** np.arange(7)
REPETITIONS = 20
TRUTHS = np.array([[3.0, 0.5], [20, 0.1], [0, 2]])  # the constant and the coefficient of X


def problem(one_sided):
    """Return columns (n, P, B), coefficients of least squares, and repetitions of three kernels."""
    rng = np.random.default_rng(5)
    law = TRUTHS[:, :1] + TRUTHS[:, 1:] * X
    noise = (
        rng.exponential(0.1, (3, 7, REPETITIONS))
        if one_sided
        else rng.uniform(-0.2, 0.2, (3, 7, REPETITIONS))
    )
    runs = summarise(law[:, :, None] * (1 + noise))
    columns = np.repeat(np.stack([np.ones(7), X])[:, :, None], 3, axis=2)
    start = np.stack([np.linalg.lstsq(columns[:, :, 0].T, mean, rcond=None)[0] for mean in runs.mean.T]).T
    return columns, start, runs


def delays_below(c, columns, runs, kernel):
    """Return the negative log likelihood of exponential delays above a law, and how far the law stays below
    all repetitions.
    """
    law = c @ columns
    delays = (runs.count[:, kernel] * (runs.mean[:, kernel] / law - 1)).sum()
    return (runs.count[:, kernel] * np.log(law)).sum() + runs.total[kernel] * np.log(delays), (
        runs.low[:, kernel] - law
    )


def uniform_around(c, columns, runs, kernel):
    """Return the negative log likelihood of uniform noise around a law, with the smallest possible level, and
    how far coefficients and level stay within bounds.
    """
    law = c @ columns
    half = max((runs.high[:, kernel] / law - 1).max(), (1 - runs.low[:, kernel] / law).max())
    return (runs.count[:, kernel] * np.log(law)).sum() + runs.total[kernel] * np.log(half), np.array([half])


@pytest.mark.parametrize(("likelihood", "one_sided"), [(delays_below, True), (uniform_around, False)])
def test_no_law_within_the_bounds_is_much_more_likely(likelihood, one_sided):
    columns, start, runs = problem(one_sided)
    centres = sharpen(columns, start, runs, one_sided=one_sided)
    for kernel in range(3):
        own, found = columns[:, :, kernel], centres.mean[:, kernel]

        def cost(c, own=own, kernel=kernel):
            value, room = likelihood(np.maximum(c, 1e-9), own, runs, kernel)
            return value + 1e6 * np.maximum(-room, 0).sum()

        value, room = likelihood(found, own, runs, kernel)
        assert (found > 0).all()
        assert (room >= 0).all()
        best = min(
            minimize(cost, begin, method="Nelder-Mead", options={"maxiter": 400, "xatol": 1e-7}).fun
            for begin in (found, 0.9 * found, found * [1.05, 0.9])
        )
        # On the central path of a barrier, the gap is the barrier's weight for each bound.
        bounds = len(X) * (1 if one_sided else 2) + 2
        assert best - 1e-6 <= value <= best + bounds * 3 / len(X)


@pytest.mark.parametrize("one_sided", [True, False])
def test_draws_have_the_width_of_the_room_within_the_bounds(one_sided):
    columns, start, runs = problem(one_sided)
    precision = np.moveaxis(sharpen(columns, start, runs, one_sided=one_sided).precision, 2, 0)
    assert (np.linalg.eigvalsh(precision) > 0).all()
    np.testing.assert_allclose(precision, precision.swapaxes(1, 2))
    deviation = np.sqrt(np.linalg.inv(precision)[:, 1, 1]) / TRUTHS[:, 1] * runs.scale
    # Twenty repetitions at each of seven points determine the slope within a few percent where it dominates.
    assert deviation[2] < 0.03
    assert deviation[1] > 5 * deviation[2]


@pytest.mark.parametrize("one_sided", [True, False])
def test_absent_terms_and_missing_points_do_not_matter(one_sided):
    columns, start, runs = problem(one_sided)
    alone = sharpen(columns, start, runs, one_sided=one_sided)
    wide = np.concatenate([columns, np.zeros_like(columns[:1])])
    centres = sharpen(wide, np.concatenate([start, np.zeros((1, 3))]), runs, one_sided=one_sided)
    assert (centres.mean[2] == 0).all()
    assert (centres.precision[2] == 0).all()
    # The weight of the barriers depends on the number of coefficients.
    np.testing.assert_allclose(centres.mean[1], alone.mean[1], rtol=0.05)
