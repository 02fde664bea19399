"""The probabilities that pages and the REST interface show of a posterior add up."""

from dataclasses import replace

import numpy as np
import pytest

from modeling.engine import Models, fit
from modeling.selectors.run.weighed import LEAST_PROBABILITY, MOST_RIVALS, scatter, weighed

P = np.array([[4.0], [8.0], [16.0], [32.0], [64.0]])


def modelled(law: np.ndarray, noise: float = 0.05, modeler: str = "evidence") -> Models:
    factors = np.random.default_rng(1).uniform(1 - noise / 2, 1 + noise / 2, (1, 5, 5))
    return fit(P, law[None, :, None] * factors, modeler=modeler)


def test_probabilities_add_up_to_one_in_falling_order() -> None:
    [found] = weighed(modelled(2 + P[:, 0] ** 0.5, noise=0.3), [1024.0])
    probabilities = [rival.probability for rival in found.rivals]
    assert 1 < len(probabilities) <= MOST_RIVALS
    assert probabilities == sorted(probabilities, reverse=True)
    assert min(probabilities) >= LEAST_PROBABILITY
    assert sum(probabilities) + found.others == pytest.approx(1, abs=1e-6)
    assert sum(lead.probability for lead in found.leads[0]) == pytest.approx(1)
    assert sum(kind.probability for kind in found.noise) == pytest.approx(1)


def test_a_clear_law_leads_and_predicts() -> None:
    models = modelled(1 + 3 * P[:, 0], noise=0.02)
    [found] = weighed(models, [1024.0])
    assert found.leads[0][0][:2] == found.formula[0][:2] == (1.0, 0.0)
    assert found.rivals[0].exponents[:2] == (1.0, 0.0)
    assert found.rivals[0].predicted == pytest.approx(1 + 3 * 1024, rel=0.03)
    assert found.rivals[0].coefficients[0] == pytest.approx(3, rel=0.03)


def test_one_rival_is_the_formula() -> None:
    models = modelled((2 + P[:, 0] ** 0.5) * [1.3, 0.8, 1.2, 0.7, 1.1], noise=0.1)
    [found] = weighed(models)
    [formula] = [rival for rival in found.rivals if rival.constant == models.constant[0]]
    assert formula.coefficients[:1] == tuple(models.coefficients[0, :1])
    assert found.formula[0][:2] == formula.exponents[:2]


def test_laws_with_similar_powers_are_one_rival() -> None:
    models = modelled(0.2 * P[:, 0] ** 1.15, noise=0.01)
    (found,) = weighed(models, [1000.0])
    assert found.rivals[0].probability > 0.95
    assert found.rivals[0].exponents[0] == pytest.approx(1.15, abs=0.025)
    assert found.rivals[0].predicted == pytest.approx(0.2 * 1000**1.15, rel=0.1)
    assert sum(rival.probability for rival in found.rivals) + found.others == pytest.approx(1)


def test_rivals_are_in_falling_order_wherever_the_formula_is() -> None:
    models = modelled((2 + P[:, 0] ** 0.5) * [1.3, 0.8, 1.2, 0.7, 1.1], noise=0.1)
    probability = models.posterior.probability.copy()
    probability[0, [0, 1]] = probability[0, [1, 0]]
    [found] = weighed(replace(models, posterior=replace(models.posterior, probability=probability)))
    chances = [rival.probability for rival in found.rivals]
    assert chances == sorted(chances, reverse=True)
    assert found.rivals[1].constant == models.constant[0]


def test_without_a_point_there_are_no_predictions() -> None:
    [found] = weighed(modelled(1 + 3 * P[:, 0]))
    assert {rival.predicted for rival in found.rivals} == {None}


def test_runs_scatter_as_wide_as_the_noise() -> None:
    [(low, high)] = scatter(modelled(1 + 3 * P[:, 0], noise=0.2))
    assert 0.85 < low < 0.93
    assert 1.07 < high < 1.15


def test_a_modeler_without_probabilities_has_no_result() -> None:
    models = modelled(1 + 3 * P[:, 0], modeler="regression")
    assert weighed(models, [64.0]) == scatter(models) == []
