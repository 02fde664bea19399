"""For kernels of one parameter that deviate, results equal sums over all laws and processes, computed one by
one.
"""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from modeling.engine import fit
from modeling.engine.deviations.known import STEP_OF_NUGGET, STEP_OF_SIZE, STEP_SIZE
from modeling.engine.deviations.processes import COUNTED_NUGGETS, processes
from modeling.engine.modelers.evidence.draws.around import Around, Directions
from modeling.engine.modelers.evidence.draws.deviations import KEPT_SHARE
from modeling.engine.modelers.evidence.draws.exact import joined, weighed
from modeling.engine.modelers.evidence.draws.shapes import Shapes
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.growths import GROWTHS, IDLE, SATURATES
from modeling.engine.results.posterior import SHAPES

X = np.array([4.0, 8, 16, 64, 128])
EQUAL = np.full(5, 0.03125)
UNEQUAL = np.array([0.015, 0.015, 0.12, 0.06, 0.03])
"""Standard errors of points."""

SERIES = {
    "rises": np.array([1.0, 1.7, 3.1, 14.0, 27.0]),
    "falls": np.array([50.0, 26.0, 14.0, 3.0, 1.9]),
    "bends": np.array([1.0, 1.02, 1.3, 2.9, 3.0]),
}
FAR = 400.0
FREEDOM = len(X) - 2


@pytest.fixture(scope="module")
def basis():
    return Basis(X[:, None])


@pytest.fixture(scope="module")
def shapes(basis):
    """Return every seventh shape of a law, because a test of all shapes would take minutes."""
    every = Shapes.at(basis, np.arange(5))
    some = np.arange(0, len(every.log_prior), 7)
    return Shapes(
        every.classes[:, some], every.coefficients[:, some], every.logarithms[some], every.log_prior[some]
    )


@pytest.fixture(scope="module", params=[EQUAL, UNEQUAL], ids=["equal", "unequal"])
def errors(request):
    return request.param


@pytest.fixture(scope="module")
def around(errors):
    among = processes(1)
    some = np.arange(2, len(among), 9)
    directions = Directions.at(among, np.log(X)[:, None])
    if errors is EQUAL:
        return Around.at(among, some, among.log_prior[some], directions, errors[0])
    return Around.at_unequal(among, some, among.log_prior[some], directions, errors)


def covariance_of(process, logs):
    """Return the covariance of deviations at points with these logarithms (N,).

    The independent error of each point is not included.
    """
    among = processes(1)
    if among.kind[process] < 0:
        return np.zeros((len(logs), len(logs)))
    kind = among.kinds[among.kind[process]]
    return among.size[process] ** 2 * kind.covariance(logs[:, None], logs[:, None])


def around_law(process, errors):
    """Return the distribution of the logarithms of points around their law."""
    own = np.diag(processes(1).nugget[process] ** 2 + errors**2)
    return multivariate_normal(np.zeros(5), covariance_of(process, np.log(X)) + own)


def evidence_of(y, law, process, errors):
    """Return the log density of the values y around a law, integrated numerically over the law's size."""
    normal = around_law(process, errors)
    sizes = np.linspace((y - law).min() - 8, (y - law).max() + 8, 6001)
    return logsumexp(normal.logpdf((y - law)[None] - sizes[:, None])) + np.log(sizes[1] - sizes[0])


@pytest.fixture(scope="module", params=SERIES)
def series(request, shapes, around, errors):
    """Return the logarithms of a series, and a table of its log evidence for each process (row) and shape
    (column).
    """
    y = np.log(SERIES[request.param])
    table = np.array(
        [[evidence_of(y, law, process, errors) for law in shapes.logarithms] for process in around.some]
    )
    return y, table


def test_evidence_equals_numerical_quadrature(shapes, around, errors):
    """Numerical quadrature gives the same evidence as the oracle's sum over sizes."""
    y, law, process = np.log(SERIES["rises"]), shapes.logarithms[3], int(around.some[5])
    normal = around_law(process, errors)
    middle = (y - law).mean()
    # The logarithm is used, because the density itself underflows to 0 there.
    top = normal.logpdf(y - law - middle)
    density = quad(
        lambda size: np.exp(normal.logpdf(y - law - size) - top), middle - 3, middle + 3, limit=500
    )[0]
    assert evidence_of(y, law, process, errors) == pytest.approx(np.log(density) + top, abs=1e-5)


def test_evidence_of_every_process_and_shape_equals_the_oracle(series, shapes, around):
    y, table = series
    laws = around.turned(shapes.logarithms.T)
    found = around.log_likelihood(around.turned(y[:, None]), laws) + shapes.log_prior
    expected = table + around.log_weight[:, None] + shapes.log_prior
    np.testing.assert_allclose(found, expected, atol=1e-6 * np.abs(expected).max())


def test_evidence_under_the_widest_processes_equals_the_oracle(series, shapes, around):
    """The widest process of each kind may deviate most, in the long run and from point to point."""
    y, table = series
    among = processes(1)
    variance = among.size[around.some] ** 2 + among.nugget[around.some] ** 2
    for kind in np.unique(among.kind[around.some]):
        own = among.kind[around.some] == kind
        assert variance[own].max() in variance[around.widest]
    of_values, of_laws = around.widely(y[:, None], shapes.logarithms.T)
    expected = table[around.widest] + around.log_weight[around.widest, None]
    np.testing.assert_allclose((of_values @ of_laws)[:, 0], expected, atol=1e-6 * np.abs(expected).max())


def weighed_at_once(y, shapes, around):
    """Return the draws of all kernels, the evidence of each process, and the evidence of each class of
    growth.
    """
    draws, evidence = zip(*weighed(y, shapes, around, learning=True), strict=True)
    return joined(draws), *(np.concatenate(each, axis=1) for each in zip(*evidence, strict=True))


def test_evidence_of_processes(series, shapes, around):
    y, table = series
    _, by_process, _ = weighed_at_once(y[:, None], shapes, around)
    expected = logsumexp(table + shapes.log_prior, axis=1)[np.argsort(around.some)]
    np.testing.assert_allclose(by_process[:, 0], expected, atol=1e-3)


def test_evidence_of_classes_of_growth(series, shapes, around):
    y, table = series
    _, _, by_growth = weighed_at_once(y[:, None], shapes, around)
    of_shape = logsumexp(table + around.log_weight[:, None], axis=0)
    for growth in range(GROWTHS):
        some = shapes.growth == growth
        expected = logsumexp(of_shape[some] + shapes.log_prior[some]) - logsumexp(shapes.log_prior[some])
        if expected > of_shape.max() - 11:  # Classes that are far less likely are left out of the sum.
            assert by_growth[growth, 0] == pytest.approx(expected, abs=0.01)


def test_shapes_of_growths_that_are_rarer_in_the_campaign_are_less_probable(shapes):
    frequencies = shapes.frequencies * np.where(np.arange(GROWTHS) == IDLE, 0.1, 1.0)
    frequencies /= frequencies.sum()
    other = shapes.where(frequencies)
    np.testing.assert_allclose(other.frequencies, frequencies)
    alike = np.flatnonzero(shapes.growth == shapes.growth[-1])
    odds = other.log_prior - shapes.log_prior
    np.testing.assert_allclose(odds[alike], odds[alike[0]])


def test_shapes_are_drawn_in_proportion_to_their_probability(series, shapes, around):
    y, table = series
    draws, _, _ = weighed_at_once(y[:, None], shapes, around)
    of_shape = logsumexp(table + around.log_weight[:, None] + shapes.log_prior, axis=0)
    probability = np.exp(of_shape - logsumexp(of_shape))
    weight = np.exp(draws.log_weights[:, 0] - logsumexp(draws.log_weights[:, 0]))
    names = [tuple(pair) for pair in draws.classes[:, 0, draws.law[:, 0]].T]
    known = [tuple(pair) for pair in shapes.classes.T]
    for name in set(known):
        expected = probability[[each == name for each in known]].sum()
        assert sum(weight[[each == name for each in names]]) == pytest.approx(expected, abs=0.02)
    assert logsumexp(draws.log_weights[:, 0]) == pytest.approx(logsumexp(of_shape), abs=1e-3)


def test_processes_are_drawn_in_proportion_to_their_probability(series, shapes, around):
    y, table = series
    draws, _, _ = weighed_at_once(y[:, None], shapes, around)
    of_process = logsumexp(table + around.log_weight[:, None] + shapes.log_prior, axis=1)
    expected = np.exp(of_process - logsumexp(of_process))
    drawn = (draws.level[:, 0] == around.some[:, None]).mean(axis=1)
    np.testing.assert_allclose(drawn, expected, atol=0.03)


def test_kernels_together_have_the_same_draws_as_alone(shapes, around):
    y = np.log(np.array([*SERIES.values()])).T
    together, evidence, _ = weighed_at_once(y, shapes, around)
    for kernel in range(3):
        alone, own_evidence, _ = weighed_at_once(y[:, [kernel]], shapes, around)
        np.testing.assert_allclose(evidence[:, [kernel]], own_evidence, rtol=1e-9)
        np.testing.assert_allclose(together.coefficients[..., [kernel]], alone.coefficients, rtol=1e-9)
        np.testing.assert_array_equal(
            together.classes[..., together.law[:, kernel]], alone.classes[..., alone.law[:, 0]]
        )


def predicted(values, frequency, shapes, at, error):
    """Return the mean and standard deviation of the logarithm at another point.

    Each process and shape gives a conditional normal distribution, which is weighted by its evidence.
    """
    y, logs = np.log(values), np.log(np.append(X, at))
    basis, beyond = Basis(X[:, None]), Basis(np.append(X, at)[:, None])
    laws = shapes.coefficients[0] + sum(
        c * beyond.tables[0][k, 5] * beyond.scales[0][k] / basis.scales[0][k]
        for c, k in zip(shapes.coefficients[1:], shapes.classes, strict=True)
    )
    weights, means, variances = [], [], []
    for process in np.flatnonzero(frequency > KEPT_SHARE):
        whole = covariance_of(process, logs)
        inverse = np.linalg.inv(whole[:5, :5] + (processes(1).nugget[process] ** 2 + error**2) * np.eye(5))
        precision = inverse.sum()
        residual = y - shapes.logarithms
        size = residual @ inverse.sum(axis=0) / precision
        residual = residual - size[:, None]
        pull = inverse @ whole[:5, 5]
        squares = np.einsum("hp,pq,hq->h", residual, inverse, residual)
        weights.append(
            np.log(frequency[process])
            + shapes.log_prior
            + 0.5 * np.linalg.slogdet(inverse)[1]
            - 0.5 * np.log(precision)
            - 0.5 * squares
        )
        means.append(np.log(laws) + size + residual @ pull)
        left = whole[5, 5] - pull @ whole[:5, 5]
        if at > X[-1] and processes(1).nugget[process] > max(COUNTED_NUGGETS):
            by_nugget = STEP_OF_NUGGET * processes(1).nugget[process] / FREEDOM
            left += min(STEP_SIZE, np.hypot(STEP_OF_SIZE * processes(1).size[process], by_nugget)) ** 2
        # The variance of Student's distribution is larger than its squared scale.
        left *= FREEDOM / (FREEDOM - 2)
        variances.append(np.full(len(laws), left + (1 - pull.sum()) ** 2 / precision))
    weight = np.exp(np.array(weights) - np.max(weights))
    weight /= weight.sum()
    mean = (weight * means).sum()
    return mean, np.sqrt((weight * (np.array(variances) + (means - mean) ** 2)).sum())


@pytest.mark.parametrize("name", SERIES)
@pytest.mark.parametrize("at", [32.0, 256.0, FAR])
def test_predictions_equal_sums_over_all_shapes_and_processes(name, at, basis):
    """For kernels measured once at each point, the whole modeler predicts the same as the sum over all shapes
    and processes, if it does not follow trends.
    """
    models = fit(X[:, None], SERIES[name][None, :, None], trend=False)
    assert (models.posterior.family == SHAPES.index("deviating")).all()
    frequency = np.array(models.common.by_process)
    every = Shapes.at(basis, np.arange(5)).where(np.array(models.common.by_growth))
    error = models.posterior.deviation.error[0]
    mean, spread = predicted(SERIES[name], frequency, every, at, error)
    draws = np.log(models.draws(np.array([[at]]))[0, :, 0])
    # The mean of 128 independent draws would have a standard error of 0.09 of the spread.
    assert draws.mean() == pytest.approx(mean, abs=0.18 * spread)
    assert draws.std() == pytest.approx(spread, rel=0.2)


def test_every_shape_is_the_law_that_its_coefficients_give(basis):
    shapes = Shapes.at(basis, np.array([1, 3, 4]))
    columns = basis.tables[0][:, [1, 3, 4]]
    law = shapes.coefficients[0][:, None] + sum(
        c[:, None] * columns[k] for c, k in zip(shapes.coefficients[1:], shapes.classes, strict=True)
    )
    np.testing.assert_allclose(np.exp(shapes.logarithms), law, rtol=1e-9)
    assert np.exp(shapes.log_prior).sum() == pytest.approx(1)


@pytest.mark.parametrize("power", [1, 2, 3])
def test_steep_laws_pass_through_their_own_points(power):
    """The smallest value of a cubic law over three powers of ten is a billionth of the largest value."""
    x = 4.0 ** np.arange(6)
    models = fit(x[:, None], (x**power)[None, :, None])
    assert models.expressions(["n"]) == ["n" if power == 1 else f"n^{power}"]
    np.testing.assert_allclose(models.predict(x[:, None])[0], x**power, rtol=1e-3)


LOGARITHMS = {"n·log(n)": lambda x: 1 + x * np.log2(x), "log(n)": lambda x: 0.4 + np.log2(x)}


@pytest.mark.parametrize("law", LOGARITHMS.values(), ids=LOGARITHMS)
def test_campaigns_with_a_value_at_1_where_logarithms_are_0(law):
    x = 2.0 ** np.arange(9)
    values = law(x) * np.exp(np.random.default_rng(1).normal(0, 0.05, (6, 9)))
    models = fit(x[:, None], values[:, :, None])
    far = np.append(x, [1.2, 3.0, 512.0])[:, None]
    predicted, lower, upper = models.estimates(far)
    np.testing.assert_allclose(predicted[:, 1:9], values[:, 1:], rtol=0.2)
    np.testing.assert_allclose(predicted[:, -1], law(512.0), rtol=0.3)
    assert np.isfinite(upper).all()
    assert (upper < 20 * lower)[:, 1:].all()


def test_kernels_measured_only_at_1_do_not_affect_others():
    x = 2.0 ** np.arange(8)
    values = np.tile(3 * x, (3, 1))
    values[0, 1:] = values[1, 2:] = np.nan
    models = fit(x[:, None], values[:, :, None])
    predicted = models.predict(np.array([[1.0], [256.0]]))
    np.testing.assert_allclose(predicted[:, 0], 3, rtol=0.1)
    assert predicted[2, 1] == pytest.approx(768, rel=0.02)
    assert models.status.tolist() == ["too few values", "too few values", "ok"]


def test_laws_that_rise_towards_a_limit_are_positive_at_points_that_are_not_used():
    """At small values, where kernels are not weighed, formulas are evaluated nevertheless."""
    basis = Basis(2.0 ** np.arange(12)[:, None])
    shapes = Shapes.at(basis, np.arange(5, 12))
    rises = shapes.growth == SATURATES
    assert rises.any()
    assert (np.diff(shapes.logarithms[rises]) > 0).all()
    terms = shapes.coefficients[1, rises, None] * basis.tables[0][shapes.classes[0, rises]]
    assert (shapes.coefficients[0, rises, None] + terms > 0).all()


def test_kernels_that_scale_perfectly_are_predicted_to_continue():
    """The smallest overhead that laws of divided work may have is a share of the work at the largest point.
    If it were a share of the work at the smallest point, it would be a third of the work at 256 processes.
    """
    p = 2.0 ** np.arange(1, 9)
    chance = np.random.default_rng(5)
    ratios = []
    for _ in range(24):
        values = 15 / p * np.exp(0.06 * chance.standard_normal(8))
        ratios.append(fit(p[:, None], values[None, :, None]).predict([[768.0]])[0, 0] * 768 / 15)
    assert np.quantile(ratios, 0.9) < 1.5
    assert np.mean(np.abs(np.log(ratios))) < 0.2
