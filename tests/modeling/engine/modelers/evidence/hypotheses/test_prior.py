"""What is assumed about laws before anything is measured."""

import numpy as np
import pytest

from modeling.engine import fit, holdout_error
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import PAIRS, classes_of

P = 2.0 ** np.arange(2, 7)
GRID = np.array([(p, n) for p in P for n in 256 * P])
FAR = np.array([[1024.0, 256 * 64.0]])


def constant_kernels(noise, count=40):
    """Return constant kernels whose few slow repetitions could hide a steep term."""
    rng = np.random.default_rng(5)
    return 1e-4 * np.exp(noise * rng.standard_exponential((count, len(GRID), 4)))


def test_steep_terms_of_processes_are_improbable():
    plain, roles = np.exp(Basis(GRID).log_prior), np.exp(Basis(GRID, processes=(0,)).log_prior)
    (linear, squared, cubed) = classes_of((1, 0), (2, 0), (3, 0))
    assert roles[1] == pytest.approx(plain[1])
    of_linear = plain[0] / plain[0, linear], roles[0] / roles[0, linear]
    assert of_linear[1][squared] == pytest.approx(0.2 * of_linear[0][squared])
    assert of_linear[1][cubed] == pytest.approx(0.02 * of_linear[0][cubed])
    # The probability that a kernel depends on the processes is the same, and so is that of falling laws.
    falls = (PAIRS < 0).any(axis=1)
    assert roles[0, 0] == pytest.approx(plain[0, 0])
    assert roles[0, falls].sum() == pytest.approx(plain[0, falls].sum())


def test_parameters_chosen_from_others_keep_their_roles():
    whole = Basis(np.column_stack([GRID, GRID[:, :1]]), processes=(2,))
    assert whole.only(np.array([1, 2])).processes == (1,)
    assert whole.only(np.array([0, 1])).processes == ()
    assert whole.part(np.arange(5)).processes == (2,)


def test_noise_does_not_hide_steep_growth_with_processes():
    values = constant_kernels(noise=0.3)
    upper = [fit(GRID, values, processes=roles).interval(FAR)[1][:, 0] for roles in ((), (0,))]
    assert np.quantile(upper[1], 0.95) < np.quantile(upper[0], 0.95)
    assert (upper[1] > 1e-3).mean() <= 0.1


def test_a_measured_square_is_found_all_the_same():
    rng = np.random.default_rng(6)
    law = 1e-4 + 1e-7 * GRID[:, 0] ** 2
    values = law[None, :, None] * np.exp(0.02 * rng.standard_normal((10, len(GRID), 4)))
    truth = 1e-4 + 1e-7 * FAR[0, 0] ** 2
    predicted = fit(GRID, values, processes=(0,)).predict(FAR)[:, 0]
    assert predicted == pytest.approx(truth, rel=0.15)


def test_a_bound_number_of_processes_keeps_its_role():
    """Ranks are 8 · nodes, and laws are written in nodes, whose role counts."""
    points = np.column_stack([8 * GRID[:, 0], GRID])
    values = constant_kernels(noise=0.3, count=8)
    written = fit(points, values, first=1, processes=(0, 1))
    alone = fit(GRID, values, processes=(0,))
    assert written.interval(np.array([[8 * 1024.0, *FAR[0]]]))[1] == pytest.approx(alone.interval(FAR)[1])


def test_other_modelers_ignore_roles():
    values = constant_kernels(noise=0.1, count=3)
    for modeler in ("regression", "refinement"):
        plain, roles = (fit(GRID, values, modeler=modeler, processes=each) for each in ((), (0,)))
        assert plain.expressions(("p", "n")) == roles.expressions(("p", "n"))
        assert holdout_error(GRID, values, modeler=modeler, processes=(0,)) == pytest.approx(
            holdout_error(GRID, values, modeler=modeler)
        )
