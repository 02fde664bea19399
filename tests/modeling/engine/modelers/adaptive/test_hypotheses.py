"""Laws made of classes, against fits that leave out one point after the other."""

import numpy as np
import pytest

from modeling.engine.laws.synthetic import grid
from modeling.engine.measured.observations import observe
from modeling.engine.modelers.adaptive.examples import CLASSES
from modeling.engine.modelers.adaptive.hypotheses import best_laws, cross_validated, sums_of_products
from modeling.engine.validation import FloatArray


def class_of(i: float, j: float) -> int:
    return int(np.abs(CLASSES - (i, j)).sum(axis=1).argmin())


def left_out_by_loop(column: FloatArray, y: FloatArray) -> float:
    """Cross-validated SMAPE of one law, one fit a point, residuals as shares of the values."""
    errors = []
    for point in range(len(y)):
        others = np.arange(len(y)) != point
        design = np.stack([np.ones(len(y)), column], axis=1)
        weighed = design[others] / y[others, None]
        coefficients = np.linalg.lstsq(weighed, np.ones(others.sum()), rcond=None)[0]
        predicted = design[point] @ coefficients
        errors.append(2 * abs(y[point] - predicted) / (abs(y[point]) + abs(predicted)))
    return float(np.mean(errors))


def test_cross_validation_is_that_of_a_fit_for_each_point() -> None:
    rng = np.random.default_rng(4)
    points = grid([(4, 8, 16, 32, 64)])
    values = (3 + 0.5 * points[:, 0]) * rng.uniform(0.9, 1.1, (6, 5))
    observations = observe(points, values[..., None], "mean")

    found = cross_validated(np.repeat(points, 6, axis=1)[None], observations)

    assert found == pytest.approx([left_out_by_loop(points[:, 0], y) for y in values])


def test_structures_are_all_partitions() -> None:
    assert sums_of_products(1) == [(1,)]
    assert sorted(sorted(each) for each in sums_of_products(2)) == [[1, 2], [3]]
    assert len(sums_of_products(3)) == 5
    assert sums_of_products(4) == [(15,), (1, 2, 4, 8)]


@pytest.mark.parametrize(
    ("law", "terms"),
    [
        (lambda p, n: 5 + 2 * p * n**2, {((1.0, 0.0), (2.0, 0.0))}),
        (lambda p, n: 5 + 30 * p + n**2, {((1.0, 0.0), (0.0, 0.0)), ((0.0, 0.0), (2.0, 0.0))}),
    ],
)
def test_sums_and_products_are_told_apart(law, terms) -> None:  # type: ignore[no-untyped-def]
    points = grid([(4, 8, 16, 32, 64), (10, 20, 30, 40, 50)])
    observations = observe(points, law(*points.T)[None, :, None], "mean")
    probabilities = np.full((2, 1, 43), 0.001)
    probabilities[0, 0, [class_of(1, 0), class_of(0.5, 0), class_of(1, 1)]] = 0.5, 0.4, 0.3
    probabilities[1, 0, [class_of(0, 1), class_of(2, 0), class_of(5 / 3, 0)]] = 0.5, 0.4, 0.3

    exponents = best_laws(probabilities, observations).exponents[0]

    assert {tuple(map(tuple, term)) for term in exponents.tolist() if np.any(term)} == terms
