"""Products of powers are those of a regression of logarithms, with one parameter more in each step."""

import numpy as np
import pytest

from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import PAIRS
from modeling.engine.modelers.evidence.search.powers import products
from tests.modeling.engine.modelers.evidence.search.enumeration import check_weights, measured

POINTS = 2.0 ** np.random.default_rng(0).integers(1, 7, (40, 5))
pytestmark = pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
"""The modeler ignores such warnings, too: a column that is used up has no slope."""
A, B, C = POINTS[:, :3].T


def exponents(laws, kernel):
    """Return the powers of the parameters of each product of a kernel, the shortest product first."""
    powers = PAIRS[laws.classes[0, :, :, kernel].T]
    return sorted(powers[..., 0].tolist(), key=np.count_nonzero)


def regression(y, x):
    """Return the coefficients of columns x, and the squares that remain."""
    columns = np.column_stack([np.ones(len(y)), *x])
    solution, left, *_ = np.linalg.lstsq(columns, y, rcond=None)
    return solution[1:], left[0]


def test_parameters_are_added_by_forward_selection():
    basis = Basis(POINTS)
    located = measured([3 * A**2 * np.sqrt(B) / C, 5 * B * C**1.5 * np.sqrt(A)], error=0.01)
    laws = products(basis, located, located.weights(located.y))
    for kernel, y in enumerate(np.log(located.y.T)):
        logs, chosen, found = np.log(POINTS.T), [], exponents(laws, kernel)
        for step in range(3):
            rest = [number for number in range(5) if number not in chosen]
            squares = [regression(y, logs[[*chosen, number]])[1] for number in rest]
            chosen.append(rest[int(np.argmin(squares))])
            powers = found[step]
            assert set(np.flatnonzero(powers)) == set(chosen)
            slopes, _ = regression(y, logs[chosen])
            usable = np.unique(PAIRS[(PAIRS[:, 1] == 0) & (PAIRS[:, 0] != 0), 0])
            for number, slope in zip(chosen, slopes, strict=True):
                assert abs(powers[number] - slope) <= abs(usable - slope).min() + 1e-9
    check_weights(basis, laws, located, located.weights(located.y))


def test_small_slopes_become_a_logarithm_and_missing_points_do_not_matter():
    basis, located = Basis(POINTS[:, :2]), measured([4 * A**0.14])
    located.variance[:5] = np.inf
    located.y[:5] = 1e9
    laws = products(basis, located, located.weights(located.y))
    first = PAIRS[laws.classes[0, :, :, 0].T]
    assert [0.0, 1.0] in first[:, 0].tolist()
    rest = type(located)(located.y[5:], located.variance[5:])
    others = products(Basis(POINTS[5:, :2]), rest, rest.weights(rest.y))
    np.testing.assert_array_equal(laws.classes, others.classes)


def test_a_parameter_that_never_varies_is_in_no_product():
    points = np.column_stack([A, np.full(len(A), 8.0), B])
    located = measured([A * B])
    laws = products(Basis(points), located, located.weights(located.y))
    assert not laws.classes[0, 1].any()
