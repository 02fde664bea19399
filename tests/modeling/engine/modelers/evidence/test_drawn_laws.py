"""Lead exponents and the formula's law equal those of plain loops over kernels and laws."""

from collections import defaultdict

import numpy as np
import pytest

from modeling.engine.laws.growth import SAME_EXPONENT
from modeling.engine.modelers.evidence.drawn_laws import CLEAR_PROBABILITY, LEAST_SHOWN, DrawnLaws
from modeling.engine.modelers.evidence.draws.coefficients import WeightedDraws
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import PAIRS, classes_of

BASIS = Basis(2.0 ** np.arange(2, 9)[:, None])
CLASSES = [0, *classes_of((1, 0), (1, 1), (3 / 4, 0), (5 / 4, 1), (2, 0), (1 / 2, 2), (1 / 4, 0))]
KERNELS, DRAWS = 40, 30
FAMILIES = 2


def draws(idle: float) -> WeightedDraws:
    """Return draws of laws of at most one term. Each law is there once for either kind of noise."""
    rng = np.random.default_rng(3)
    number = rng.integers(1, len(CLASSES), (DRAWS, KERNELS))
    number[rng.random(number.shape) < idle] = 0
    family = np.arange(DRAWS) % FAMILIES
    each = number + len(CLASSES) * (family[:, None] + FAMILIES * np.arange(KERNELS))
    return WeightedDraws(
        classes=np.tile(CLASSES, FAMILIES * KERNELS)[None, None],
        law=each,
        coefficients=rng.lognormal(0, 1, (2, DRAWS, KERNELS)),
        weights=rng.dirichlet(np.full(DRAWS, 0.3), KERNELS).T,
        level=np.zeros((DRAWS, KERNELS)),
        family=family,
    )


def plainly(classes: list[int], weights: list[float]) -> tuple[tuple[float, float], int]:
    """Return the lead exponent of one kernel, and the class of the law that its formula shows."""
    probability: dict[int, float] = defaultdict(float)
    for each, weight in zip(classes, weights, strict=True):
        probability[each] += weight
    power = {each: PAIRS[each][0] for each in probability}
    mass = {i: sum(p for each, p in probability.items() if power[each] == i) for i in set(power.values())}
    best, apart = max(mass, key=mass.__getitem__), 0.0
    if mass[best] < CLEAR_PROBABILITY:
        apart = SAME_EXPONENT
        near = {i: sum(p for j, p in mass.items() if abs(i - j) <= SAME_EXPONENT) for i in set(PAIRS[:, 0])}
        best = min(near, key=lambda i: (-round(near[i], 12), i))
    if probability.get(0, 0) > 0.5:
        best, apart = 0.0, 0.0
    logs: dict[float, float] = defaultdict(float)
    for each, p in probability.items():
        if power[each] == best:
            logs[PAIRS[each][1]] += p
    least = LEAST_SHOWN * max(probability.values())
    grows = {each: abs(power[each] - best) <= apart for each in probability}
    shown = [each for each, p in probability.items() if grows[each] and p >= least] or [*probability]
    return (best, max(logs, key=logs.__getitem__, default=0.0)), max(shown, key=probability.__getitem__)


@pytest.mark.parametrize("idle", [0.0, 0.4])
def test_leads_and_the_formulas_law_equal_those_of_plain_loops(idle: float) -> None:
    given = draws(idle)
    laws = DrawnLaws.of(given)
    leads, shown = laws.leads(BASIS)
    first = laws.with_first(shown)
    most_probable = 0
    for kernel in range(KERNELS):
        own = given.classes[0, 0][given.law[:, kernel]].tolist()
        lead, law = plainly(own, given.weights[:, kernel].tolist())
        assert tuple(leads[kernel, 0]) == lead
        assert laws.draws.classes[0, 0, shown[kernel]] == law
        assert first.draws.classes[0, 0, first.begin[kernel]] == law
        most_probable += shown[kernel] == laws.begin[kernel]
    assert 0 < most_probable < KERNELS


def test_laws_are_listed_once_and_draws_keep_theirs() -> None:
    given = draws(0.2)
    laws = DrawnLaws.of(given)
    chosen = laws.begin[1:] - 1
    for found in (laws, laws.with_first(chosen)):
        assert (found.draws.classes[0, 0][found.draws.law] == given.classes[0, 0][given.law]).all()
        assert np.bincount(found.kernel, found.probability) == pytest.approx(np.ones(KERNELS))
        for begin, end in zip(found.begin[:-1], found.begin[1:], strict=True):
            assert len(set(found.draws.classes[0, 0, begin:end])) == end - begin
    assert (np.diff(laws.probability)[np.diff(laws.kernel) == 0] <= 0).all()
    assert (laws.with_first(chosen).probability[laws.begin[:-1]] == laws.probability[chosen]).all()
