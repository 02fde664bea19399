"""Laws of a few among many parameters: whether they are found, what this costs, and how uncertain
they are.
"""

import tracemalloc

import numpy as np
import pytest

from modeling.engine import compare, fit, holdout_error
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.gaussian import log_evidence, solve
from modeling.engine.modelers.evidence.hypotheses.laws import Laws, Located, canonical, names, scored
from modeling.engine.modelers.evidence.search.likely_laws import search
from modeling.engine.modelers.evidence.search.one_factor import Moves, additions, exchanges, tried
from modeling.engine.questions.identifiability import lead_certainty
from modeling.engine.questions.stability import stability
from modeling.storage.posteriors import pack, unpack

VALUES = (4.0, 8, 16, 32, 64)


def scattered(parameters, points=50, seed=0):
    """Return points at which every parameter has one of five values, chosen at random."""
    rng = np.random.default_rng(seed)
    return np.unique(rng.choice(VALUES, (points, parameters)), axis=0)


def star(parameters, values=VALUES):
    """Return points at which one parameter at a time differs from its smallest value."""
    base = np.full(parameters, values[0])
    others = [
        np.where(np.arange(parameters) == axis, x, base) for axis in range(parameters) for x in values[1:]
    ]
    return np.array([base, *others])


def measured(truths, noise=0.05, seed=1):
    """Return five noisy repetitions of each of the true series (P,), with the shape (K, P, 5)."""
    truth = np.stack(truths)
    return truth[:, :, None] * np.exp(noise * np.random.default_rng(seed).standard_normal((*truth.shape, 5)))


LAWS = {
    "one": lambda x: 2 + 0.1 * x[:, 3] * np.log2(x[:, 3]),
    "sum": lambda x: 2 + 3 * np.sqrt(x[:, 0]) + 0.001 * x[:, 4] ** 2,
    "product": lambda x: 1 + 0.02 * x[:, 1] * x[:, 2] ** 1.5,
    "both": lambda x: 5 + 0.01 * x[:, 0] * x[:, 3] + 2 * np.log2(x[:, 5]),
    "three multiplied": lambda x: 0.3 * x[:, 1] * np.sqrt(x[:, 2]) / x[:, 4],
    "constant": lambda x: np.full(len(x), 7.0),
}


@pytest.mark.parametrize("parameters", [6, 12, 20])
@pytest.mark.parametrize("design", [scattered, star])
def test_laws_of_some_of_many_parameters_are_predicted(parameters, design):
    points = design(parameters)
    models = fit(points, measured([law(points) for law in LAWS.values()]))
    far = np.full((1, parameters), 128.0)
    expected = np.array([law(far)[0] for law in LAWS.values()])
    lower, upper = (bound[:, 0] for bound in models.interval(far))
    error = np.abs(models.predict(far)[:, 0] / expected - 1)
    if design is scattered:
        assert error.max() < 0.25
        matter = (models.lead_exponents != 0).any(axis=2).sum(axis=1)
        assert (matter[:5] == [1, 2, 2, 3, 3]).all()
        assert matter[5] <= 1  # With twenty parameters, one may seem to have an effect by chance.
    # Points on a star cannot distinguish a product of small effects from a sum.
    assert np.median(error) < 0.1
    assert ((lower <= expected) & (expected <= upper)).sum() >= 5


def test_a_law_is_found_as_if_nothing_else_had_been_varied():
    points = scattered(12, points=60)
    x, y = points[:, 2], points[:, 7]
    values = measured([3 + 0.1 * x * y, 1 + 2 * x + 0.01 * y**2, x / y], noise=0.02)
    many, two = fit(points, values), fit(*_averaged(points[:, [2, 7]], values))
    far = np.full((1, 12), 256.0)
    np.testing.assert_allclose(many.predict(far), two.predict(far[:, :2]), rtol=0.05)


def _averaged(points, values):
    """Merge the repetitions of equal points. Points with fewer of them are filled up with NaN."""
    distinct, which = np.unique(points, axis=0, return_inverse=True)
    most = np.bincount(which.ravel()).max() * values.shape[2]
    runs = np.full((len(values), len(distinct), most), np.nan)
    for number in range(len(distinct)):
        own = values[:, which.ravel() == number].reshape(len(values), -1)
        runs[:, number, : own.shape[1]] = own
    return distinct, runs


def test_intervals_contain_laws_of_many_parameters():
    points, rng = scattered(8), np.random.default_rng(5)
    powers = rng.choice([0.5, 1, 1.5, 2], (60, 2))
    which = np.array([rng.choice(8, 2, replace=False) for _ in powers])
    sizes = rng.uniform(0.5, 2, (60, 2))

    def truth(x):
        terms = (x[:, which] / 16) ** powers
        return (1 + (sizes * terms).sum(axis=2)).T

    models = fit(points, measured(list(truth(points)), noise=0.1))
    far = np.full((1, 8), 128.0)
    lower, upper = models.interval(far)
    assert ((lower <= truth(far)) & (truth(far) <= upper)).mean() > 0.87


AWKWARD = {
    "fewer points than parameters": scattered(20, points=9),
    "a point a parameter": star(20, values=(4.0, 8)),
    "all vary together": np.outer(VALUES, np.ones(20)) * np.arange(1, 21),
    "two groups": np.repeat(scattered(2, points=12), 10, axis=1),
    "one varies": np.column_stack([np.full((5, 19), 8.0), VALUES]),
    "none varies": np.full((1, 20), 8.0),
}


@pytest.mark.parametrize("design", AWKWARD)
@pytest.mark.parametrize("modeler", ["evidence", "regression", "refinement"])
def test_designs_with_little_information_are_modelled(design, modeler):
    points = AWKWARD[design]
    values = measured([np.full(len(points), 3.0), points[:, -1], 1 + points[:, 0] * points[:, -1]])
    values[0, 0] = np.nan
    models = fit(points, values, modeler=modeler)
    assert np.isfinite(models.predict(points)[1:]).all()
    assert len(models.expressions([f"p{number}" for number in range(20)])) == 3
    lower, upper = models.interval(points)
    assert not (lower > upper).any()
    if len(points) > 1:
        holdout_error(points, values, modeler=modeler)
    if modeler == "evidence":
        stability(points, values, models)
        compare((points, values), (points, 2 * values), target=points[0])
        assert lead_certainty(models, points).shape == (3, 20)


def test_a_law_fits_where_all_parameters_vary_together():
    points = AWKWARD["all vary together"]
    truth = 1 + 0.1 * points[:, 0]
    models = fit(points, measured([truth], noise=0.1))
    np.testing.assert_allclose(models.predict(points)[0], truth, rtol=0.2)


def test_copies_of_a_parameter_follow_from_it_and_are_known_only_with_it():
    points = np.repeat(scattered(2, points=20), 5, axis=1)
    models = fit(points, measured([1 + points[:, 0]], noise=0.02))
    np.testing.assert_array_equal(models.measured.together[0], ~np.isin(np.arange(10), (0, 5)))
    assert (lead_certainty(models, points)[0] > 0.9).all()
    apart = points[-1] * np.where(np.arange(10) == 3, 2.0, 1.0)
    assert models.unknown(apart[None])[0].all()
    assert not models.unknown(2 * points[-1][None])[0].any()


def test_if_parameters_rise_together_by_no_power_none_is_certain():
    points = np.repeat(scattered(2, points=20), 5, axis=1) + np.tile([0, 2, 5, 9, 20], 2)
    models = fit(points, measured([1 + points[:, 0]], noise=0.2))
    alone = np.arange(10) >= 5
    certainty = lead_certainty(models, points)[0]
    assert (certainty[~alone] < 0.6).all()
    assert certainty[1] < lead_certainty(models)[0, 1], "each parameter is judged with those beside it"
    assert (certainty[alone] > 0.5).all()


def test_twenty_parameters_take_little_time():
    points = scattered(20)
    values = measured([law(points) for law in LAWS.values()] * 2)
    tracemalloc.start()
    models = fit(points, values)
    holdout_error(points, values)
    lead_certainty(models, points)
    models.predict(points)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 200e6


def test_posteriors_of_twenty_parameters_are_stored_and_read():
    points = scattered(20)
    models = fit(points, measured([law(points) for law in LAWS.values()]))
    found = unpack(pack(models.posterior))
    far = np.full((1, 20), 128.0)
    np.testing.assert_allclose(found.values(far), models.posterior.values(far), rtol=1e-4)


# How the laws are found.


def problem(parameters, seed=3):
    """Return a basis, and the values of three kernels with their variances and weights."""
    basis = Basis(scattered(parameters, points=30, seed=seed))
    x = basis.points.T
    y = np.stack([1 + x[0] * x[1] / 50, 2 + np.sqrt(x[2]), 3 + x[0] / 9 + 8 / x[3]], axis=1)
    y *= np.exp(0.03 * np.random.default_rng(seed).standard_normal(y.shape))
    located = Located(y, np.full_like(y, 0.01))
    return basis, located, located.weights(y)


def test_tried_factors_have_the_same_evidence_as_their_laws():
    basis, located, weights = problem(7)
    begun = np.zeros((3, 7, 3), dtype=np.int64)
    begun[0, 0], begun[1, 4, 1:] = 7, 9
    kernel = np.arange(3)
    found = tried(basis, located, weights, Moves.joined([additions(begun, kernel), exchanges(begun, kernel)]))
    again = scored(basis, found.classes, located, weights)
    possible = np.isfinite(found.log_evidence)
    assert possible.sum() > 150
    np.testing.assert_allclose(found.log_evidence[possible], again.log_evidence[possible], atol=1e-6)


def test_the_found_law_is_as_probable_as_the_best_one_of_its_parameters():
    basis, located, _ = problem(12)
    found = search(basis, located)
    for kernel, parameters in enumerate(([0, 1], [2], [0, 3])):
        part = basis.only(np.array(parameters))
        near = located.part(np.array([kernel]))
        best = search(part, near).log_evidence[0, 0] + (12 - len(parameters)) * basis.log_prior[0, 0]
        assert found.log_evidence[0, kernel] > best - 0.5


def test_terms_of_many_parameters_have_one_order():
    rng = np.random.default_rng(2)
    laws = rng.integers(1, 40, (4, 20, 6)) * (rng.random((4, 20, 6)) < 0.2)
    laws[3] = 0
    # A law of the last parameter alone, whose number would be too large for the encoding of terms.
    laws[2, :19, :] = 0
    shuffled = laws[[3, 1, 2, 0]]
    np.testing.assert_array_equal(canonical(laws), canonical(shuffled))
    assert not canonical(shuffled)[3].any()
    assert len(np.unique(names(canonical(laws)))) == 6


def test_columns_of_many_parameters_are_products_of_their_factors():
    basis = Basis(scattered(9))
    classes = np.zeros((2, 9, 1), dtype=np.int64)
    classes[0, [1, 6, 8], 0] = 3, 40, 12
    by_hand = basis.tables[1][3] * basis.tables[6][40] * basis.tables[8][12]
    columns = basis.columns(classes)[..., 0]
    np.testing.assert_array_equal(columns, [by_hand, np.zeros(len(by_hand))])


def test_laws_whose_terms_vary_together_are_left_out():
    x = np.arange(1.0, 9)
    columns = [np.ones(8), x, 2 * x]
    gram = [[np.array(one @ other) for other in columns[: i + 1]] for i, one in enumerate(columns)]
    fit_of = solve(gram, [np.array(one @ x) for one in columns], np.array(x @ x))
    assert log_evidence(fit_of, [np.ones(1)] * 3, independent=True) == -np.inf
    assert np.isfinite(log_evidence(fit_of, [np.ones(1)] * 3))


def test_with_more_parameters_no_more_are_selected_by_chance():
    found = []
    for parameters in (6, 20):
        points = scattered(parameters)
        values = measured([np.full(len(points), 5.0)] * 40, noise=0.2)
        leads = fit(points, values).lead_exponents
        found.append((leads != 0).any(axis=(1, 2)).mean())
    assert max(found) < 0.1


def test_laws_are_widened_and_cut_to_the_terms_they_have():
    laws = Laws(np.zeros((3, 5, 2, 1), dtype=np.int64), np.zeros((2, 1)))
    laws.classes[0, 2] = 4
    assert laws.terms == 1
    assert laws.with_terms(1).classes.shape[0] == 1
    assert laws.with_terms(4).classes.shape[0] == 4
    np.testing.assert_array_equal(laws.with_terms(4).classes[:1], laws.classes[:1])
