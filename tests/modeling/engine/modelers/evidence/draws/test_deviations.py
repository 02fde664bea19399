"""The likelihood of laws for deviating kernels whose points have different numbers of repetitions, compared
with normal densities with the whole covariance matrix, computed one by one.
"""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from modeling.engine.deviations.processes import processes
from modeling.engine.modelers.evidence.draws.deviations import Deviating
from modeling.engine.modelers.evidence.noise.runs import summarise

LINE = 2.0 ** np.arange(2, 8)[:, None]
GRID = np.array([(p, n) for p in (4.0, 8, 16) for n in (10.0, 20, 40, 80)])
CUBE = np.array([(p, n, k) for p in (2.0, 8) for n in (3.0, 9) for k in (1.0, 2, 5)])
KERNELS = 5
DENSE = 400


@pytest.fixture(params=[LINE, GRID, CUBE], ids=["one", "two", "three"])
def points(request):
    return request.param


def campaign(points):
    """Return repetitions of kernels, and laws near them (points, laws, kernels).

    The first kernel has 5 repetitions at all points, others have 1 to 32. One was not measured at a point.
    """
    rng = np.random.default_rng(1)
    laws = 3 * np.exp(0.1 * rng.normal(size=(len(points), 4, KERNELS))) * points.prod(axis=1)[:, None, None]
    values = laws[:, 0].T[..., None] * np.exp(0.1 * rng.normal(size=(KERNELS, len(points), 32)))
    count = np.array([5, 2, 32, 1, 8, 3])[rng.permutation(np.arange(len(points)) % 6)]
    count = np.tile(count, (KERNELS, 1))
    count[0], count[3, 2] = 5, 0
    values[np.arange(32) >= count[..., None]] = np.nan
    runs = summarise(values)
    return runs, laws / runs.scale


def errors_of(runs, kernel):
    """Return the standard errors of the medians of a kernel's points. Ratios of counts are powers of 2."""
    if kernel == 0:
        return np.repeat(runs.error[0], len(runs.count))
    count = runs.count[:, kernel]
    there = count > 0
    inverse = 2 ** np.round(np.log2((1 / count[there]).mean() ** -1 / np.maximum(count, 1)))
    return runs.error[kernel] * np.sqrt(inverse / inverse[there].mean())


def density(points, process, errors):
    among = processes(points.shape[1])
    own = np.diag(among.nugget[process] ** 2 + errors**2)
    kind = among.kind[process]
    if kind >= 0:
        own = own + among.size[process] ** 2 * among.kinds[kind].covariance(np.log(points), np.log(points))
    return multivariate_normal(np.zeros(len(points)), own)


def test_likelihoods_equal_normal_densities(points):
    runs, laws = campaign(points)
    deviating = Deviating(points)
    found = deviating.likelihoods(laws, runs)
    for kernel in range(KERNELS):
        rows, errors = np.flatnonzero(runs.count[:, kernel]), errors_of(runs, kernel)
        residual = (runs.log_median[:, [kernel]] - np.log(laws[:, :, kernel])).T
        for place in range(0, len(deviating.some), 7):
            normal = density(points[rows], deviating.some[place], errors[rows])
            expected = normal.logpdf(residual[:, rows]) + deviating.log_share[place]
            np.testing.assert_allclose(found[kernel, place], expected, rtol=1e-4, atol=1e-3)


def test_odds_of_deviations_equal_sums_over_all_processes(points):
    runs, laws = campaign(points)
    deviating, law = Deviating(points), laws[:, 1]
    found = deviating.log_odds(law, runs, least=-100.0)
    for kernel in range(KERNELS):
        rows, errors = np.flatnonzero(runs.count[:, kernel]), errors_of(runs, kernel)
        residual = (runs.log_median[:, kernel] - np.log(law[:, kernel]))[rows]
        sizes = np.linspace(-2, 2, 20 * DENSE + 1)

        def evidence(normal, residual=residual, sizes=sizes):
            """Integrate over a factor common to all points."""
            return logsumexp(normal.logpdf(residual - sizes[:, None]))

        of_process = [evidence(density(points[rows], one, errors[rows])) for one in deviating.some]
        none = multivariate_normal(np.zeros(len(rows)), np.diag(errors[rows] ** 2))
        expected = logsumexp(np.array(of_process) + deviating.log_share) - evidence(none)
        assert found[kernel] == pytest.approx(expected, abs=1e-3, rel=1e-3)


def test_impossible_odds_are_left_out(points):
    runs, laws = campaign(points)
    exact = np.exp(runs.log_median)
    assert (Deviating(points).log_odds(exact, runs, least=0.1) == -np.inf).all()
    assert (Deviating(points).log_odds(np.full_like(exact, np.nan), runs, least=0.1) == np.inf).all()
    assert (Deviating(points).log_odds(exact * laws[:, 1] ** 2, runs, least=0.1) > 0.1).all()


def test_laws_pass_near_precise_points_in_a_search():
    """A point with one repetition says little about how far the others lie from the law."""
    rng = np.random.default_rng(0)
    law = 5 * LINE[:, 0]
    values = law[:, None] * np.exp(0.1 * rng.normal(size=(200, 6, 100)))
    values[:, 4:, 1:] = np.nan
    runs = summarise(values)
    located = Deviating(LINE).relocate(law[:, None] / runs.scale, runs)
    ratio = np.sqrt(located.variance[4:].mean(axis=0) / located.variance[:4].mean(axis=0))
    assert np.median(ratio) > 4
    scores = (runs.log_median - np.log(law[:, None] / runs.scale)) / np.sqrt(located.variance)
    assert np.median(scores[4:] ** 2) == pytest.approx(np.median(scores[:4] ** 2), rel=0.6)
