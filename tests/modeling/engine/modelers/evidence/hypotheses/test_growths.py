"""How kernels of a campaign grow is evidence about the growth of its other kernels."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from modeling.engine import fit
from modeling.engine.modelers.evidence.hypotheses.classes import PAIRS
from modeling.engine.modelers.evidence.hypotheses.growths import (
    FALLS,
    FALLS_AND_RISES,
    GROWTHS,
    IDLE,
    LINEAR_AND_LOGARITHM,
    LOGARITHM,
    SATURATES,
    growths,
)
from modeling.engine.results.common import Common

X = 2.0 ** np.arange(4, 12)
AHEAD = np.array([[2.0**14]])


def growth_of(*pairs, subtracted=False):
    numbers = {tuple(pair): number for number, pair in enumerate(PAIRS)}
    classes = [[numbers[float(Fraction(i)), j]] for i, j in pairs]
    return int(growths(np.array(classes), np.array([subtracted]))[0])


def test_classes_of_growth():
    none = (0, 0)
    assert growth_of(none, none) == IDLE
    assert growth_of((-1, 0), none) == FALLS
    assert growth_of((-1, 0), (1, 0)) == FALLS_AND_RISES
    assert growth_of((-1, 0), none, subtracted=True) == SATURATES
    assert growth_of((0, 1), none) == growth_of((0, 2), none) == LOGARITHM
    assert growth_of((1, 1), none) == LINEAR_AND_LOGARITHM
    powers = [growth_of((power, 0), none) for power in ("1/3", "1/2", "3/4", "1", "5/4", "3/2", "2", "5/2")]
    assert powers == sorted(powers)
    assert len(set(powers)) == 6
    assert powers[0] == powers[1]
    assert growth_of((2, 1), none) == growth_of((2, 0), none)


def wandering(rng, kernels, exponent):
    """Return kernels that deviate smoothly by 20 % from a power law.

    Deviations of points that are a factor of seven apart are nearly independent.
    """
    logs = np.log(X)
    gaps = np.abs(logs[:, None] - logs) / 2
    root = np.linalg.cholesky((1 + np.sqrt(3) * gaps) * np.exp(-np.sqrt(3) * gaps) + 1e-9 * np.eye(len(X)))
    return X**exponent * np.exp(0.2 * rng.standard_normal((kernels, len(X))) @ root.T)


@pytest.mark.parametrize(("exponent", "nearer"), [(1.0, 0.8), (2.0, 0.97)])
def test_an_ambiguous_kernel_grows_as_the_other_kernels_do(exponent, nearer):
    """The last values of the kernel are flat by chance.

    A model of the kernel alone stays flat. A model that uses all properties learned from the other kernels
    except their growth stays nearly flat.
    """
    rng = np.random.default_rng(2)
    odd = X**exponent * np.exp(-0.1 * np.maximum(np.log(X) - np.log(X[3]), 0) ** 2)
    campaign = np.vstack([odd, wandering(rng, 40, exponent)])[:, :, None]
    truth = odd[-1] * (AHEAD[0, 0] / X[-1]) ** exponent
    common = fit(X[:, None], campaign).common

    def error(known):
        predicted = fit(X[:, None], odd[None, :, None], common=known).predict(AHEAD)[0, 0]
        return np.log(predicted / truth)

    alone, without, learned = error(None), error(replace(common, by_growth=())), error(common)
    assert alone < without < 0
    assert nearer * without < learned < 0


def test_learned_frequencies_are_stored_with_the_common_properties():
    models = fit(X[:, None], wandering(np.random.default_rng(3), 30, 1.0)[:, :, None])
    known = models.common.by_growth
    assert len(known) == GROWTHS
    assert sum(known) == pytest.approx(1)
    assert known[growth_of((1, 0), (0, 0))] + known[LINEAR_AND_LOGARITHM] > 0.4
    assert Common.from_json(models.common.to_json()) == models.common
