"""The laws from which draws are made: few enough to save time, but all that are likely."""

import numpy as np
import pytest

from modeling.engine.modelers.evidence.draws.sampling import sample
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.laws import Located
from modeling.engine.modelers.evidence.noise.families import LogNormal
from modeling.engine.modelers.evidence.noise.runs import summarise
from modeling.engine.modelers.evidence.search.likely_laws import search
from tests.modeling.engine.cases import GRID, noisy

P, N = GRID.T
TRUTHS = (2 + 0.3 * P + 0.01 * N**2, 5 + 0.02 * P * np.sqrt(N), 0.5 * np.log2(P) + 0.1 * N, np.full(25, 3.0))


def found(width):
    """Return the laws that the search finds for eighty noisy kernels, and the draws made from them."""
    basis = Basis(GRID)
    runs = summarise(np.concatenate([noisy(truth, width, 5, seed=at) for at, truth in enumerate(TRUTHS)]))
    located = Located(np.exp(runs.log_mean), np.ones_like(runs.log_mean) * (width**2 / 12 / 5))
    with np.errstate(all="ignore"):  # The modeler silences these warnings, too.
        laws = search(basis, located)
        return laws, sample(basis, runs, LogNormal(), laws, located)


@pytest.mark.parametrize("width", [0.1, 0.5])
def test_at_least_a_quarter_of_the_laws_is_not_drawn_from(width):
    laws, draws = found(width)
    count = np.isfinite(laws.log_evidence).sum()
    assert draws.classes.shape[2] <= 0.75 * 2 * count  # Each law is possible with a constant and without one.


@pytest.mark.parametrize("width", [0.1, 0.5])
def test_the_laws_not_drawn_from_have_at_most_one_percent_of_the_probability(width):
    laws, draws = found(width)
    drawn = {law.tobytes() for law in np.moveaxis(draws.classes, 2, 0)}
    for kernel in range(laws.classes.shape[3]):
        probability = np.exp(laws.log_evidence[:, kernel] - laws.log_evidence[0, kernel])
        left_out = [
            chance
            for law, chance in zip(np.moveaxis(laws.classes[..., kernel], 2, 0), probability, strict=True)
            if law.tobytes() not in drawn
        ]
        assert sum(left_out) <= 0.01 * probability.sum()
