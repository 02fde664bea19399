"""From measurements, the engine infers the parameters on which each function depends."""

import numpy as np

from modeling.engine import fit, plan_minimal, synthetic_grid
from modeling.engine.design.deduced.inferred import inferred_terms

VALUES = (4.0, 8.0, 16.0, 32.0, 64.0)


def measured(*laws: np.ndarray, noise: float = 0.02) -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.stack([law[:, None] * rng.uniform(1 - noise / 2, 1 + noise / 2, (len(law), 3)) for law in laws])


def test_sums_products_and_single_parameters_are_distinguished() -> None:
    points = synthetic_grid([VALUES] * 2)
    p, n = points.T
    models = fit(points, measured(3 + 0.5 * p, 1 + 0.2 * p + 0.4 * n, 1 + 0.05 * p * n, np.full(25, 7.0)))
    assert inferred_terms(models, points) == [
        {frozenset({0})},
        {frozenset({0}), frozenset({1})},
        {frozenset({0, 1})},
        set(),
    ]


def test_formulas_alone_suffice() -> None:
    points = synthetic_grid([VALUES] * 2)
    p, n = points.T
    models = fit(points, measured(3 + 0.5 * p, 1 + 0.05 * p * n), modeler="regression")
    assert inferred_terms(models, points) == [{frozenset({0})}, {frozenset({0, 1})}]


def test_a_parameter_that_did_not_vary_may_act_with_all_others() -> None:
    points = np.column_stack([VALUES, np.full(5, 10.0)])
    models = fit(points, measured(3 + 0.5 * points[:, 0]))
    assert inferred_terms(models, points) == [{frozenset({0, 1})}]


def test_parameters_without_interactions_are_varied_at_the_same_time() -> None:
    points = synthetic_grid([VALUES] * 2)
    p, n = points.T
    names = ("p", "n")
    terms = inferred_terms(fit(points, measured(3 + 0.5 * p, 1 + 0.3 * n)), points)
    profile = {
        str(number): {frozenset(names[at] for at in term) for term in found}
        for number, found in enumerate(terms)
    }
    assert len(plan_minimal(profile, dict.fromkeys(names, VALUES))) == 5
