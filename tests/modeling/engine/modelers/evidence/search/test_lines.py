"""The likeliest classes along lines equal those that non-negative least squares finds on each line alone."""

import numpy as np
from scipy.optimize import nnls

from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import PAIRS
from modeling.engine.modelers.evidence.hypotheses.laws import Located
from modeling.engine.modelers.evidence.search.lines import likely_classes
from tests.modeling.engine.cases import GRID, noisy

COUNT = 12


def merits(basis, parameter, y, weights):
    """Return the log likelihood of each class for one kernel, relative to a constant on each line."""
    merit = basis.log_prior[parameter].copy()
    for line in np.concatenate(list(basis.lines[parameter])):
        root = np.sqrt(weights[line])
        constant = np.linalg.lstsq(root[:, None], root * y[line], rcond=None)[1][0]
        for number, g in enumerate(basis.tables[parameter][:, line]):
            columns = np.stack([np.ones(len(line)), g], axis=1) * root[:, None]
            misfit = min(nnls(columns, root * y[line])[1] ** 2, constant)
            merit[number] += (constant - misfit) / 2
    return merit


def test_classes_are_ordered_by_their_fit_to_all_lines():
    p, n = GRID.T
    laws = [3 + p * n, 90 * n / p + 4 * np.log2(p), 40 - np.sqrt(n) + p**0.25, 0.2 * n**1.5 * np.log2(p)]
    y = np.stack([noisy(law, 0.1, repetitions=1, seed=number)[0, :, 0] for number, law in enumerate(laws)]).T
    basis, weights = Basis(GRID), 400 / y**2
    chosen = likely_classes(basis, Located(y, 1 / weights), weights, COUNT)
    assert (chosen[:, 0] == 0).all()
    for parameter in range(2):
        for kernel in range(len(laws)):
            expected = merits(basis, parameter, y[:, kernel], weights[:, kernel])
            numbers = chosen[parameter, 1:, kernel]
            found = expected[numbers]
            others = np.setdiff1d(np.arange(1, len(PAIRS)), numbers)
            np.testing.assert_array_less(np.diff(found), 1e-6)
            assert found[-1] >= expected[others].max() - 1e-6
