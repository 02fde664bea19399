"""Laws made of classes of exponents, compared with fits that leave out one point at a time."""

from itertools import product

import numpy as np
import pytest

from modeling.engine.laws.synthetic import grid
from modeling.engine.measured.observations import observe
from modeling.engine.modelers.adaptive.candidates import (
    CANDIDATES,
    CLASSES_TRIED,
    NEAR_POWERS,
    central_classes,
    likely_classes,
)
from modeling.engine.modelers.adaptive.examples import CLASSES
from modeling.engine.modelers.adaptive.fits import cross_validated, sum_of_squares
from modeling.engine.modelers.adaptive.hypotheses import best_laws, sums_of_products
from modeling.engine.validation import FloatArray


def class_of(i: float, j: float) -> int:
    return int(np.abs(CLASSES - (i, j)).sum(axis=1).argmin())


def left_out_by_loop(column: FloatArray, y: FloatArray) -> float:
    """Return the cross-validated SMAPE of one law.

    For each point, the law is fitted to the relative residuals of the other points.
    """
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


def test_sums_of_squares_are_those_of_least_squares() -> None:
    rng = np.random.default_rng(5)
    columns, values = rng.uniform(0.1, 1, (3, 9, 200)), rng.uniform(1, 2, (9, 200))
    columns[2, :, :20] = 3 * columns[1, :, :20]  # This column is a multiple of another one.

    found = sum_of_squares(list(columns), values)

    for kernel in range(200):
        design = columns[: 2 if kernel < 20 else 3, :, kernel].T
        coefficients, *_ = np.linalg.lstsq(design, values[:, kernel], rcond=None)
        expected = ((values[:, kernel] - design @ coefficients) ** 2).sum()
        assert found[kernel] == pytest.approx(np.inf if (coefficients[1:] < 0).any() else expected)


def test_the_most_probable_combinations_are_found() -> None:
    rng = np.random.default_rng(6)
    probabilities = rng.dirichlet(np.full(43, 0.2), (3, 4))

    found = likely_classes(probabilities)

    for kernel in range(4):
        tried = np.argsort(-probabilities[:, kernel])[:, :CLASSES_TRIED]
        joint = {
            classes: np.log(probabilities[range(3), kernel, classes]).sum() for classes in product(*tried)
        }
        best = sorted(joint, key=lambda each: -joint[each])[:CANDIDATES]
        assert [tuple(each) for each in found.classes[:, :, kernel]] == best
        assert found.log_probabilities[:, kernel] == pytest.approx([joint[each] for each in best])


def test_of_one_parameter_the_class_wins_that_is_true_or_near_the_truth_most_probably() -> None:
    rng = np.random.default_rng(7)
    points = grid([(4, 8, 16, 32, 64)])
    observations = observe(points, (3 + points.T.repeat(50, axis=0))[..., None], "mean")
    probabilities = rng.dirichlet(np.full(43, 0.2), (1, 50))

    exponents = best_laws(probabilities, observations).exponents[:, 0, 0]

    for kernel, law in enumerate(exponents):
        own = probabilities[0, kernel]
        goods = [own[c] + own[np.abs(CLASSES[:, 0] - CLASSES[c, 0]) <= NEAR_POWERS].sum() for c in range(43)]
        assert goods[class_of(*law)] == pytest.approx(max(goods))
        assert class_of(*law) == central_classes(probabilities)[0, kernel]


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
