"""Locations of repetitions: which one is used for which noise, and how far it scatters."""

from collections.abc import Callable

import numpy as np
import pytest

from modeling.engine.changes.located import best_location, placed
from modeling.engine.changes.locations import Location, Place
from modeling.engine.changes.middle_half import middle_half
from modeling.engine.changes.outermost import KERNEL_TAIL, POINT_TAIL, above_smallest
from modeling.engine.changes.repetitions import ordered
from modeling.engine.validation import FloatArray

Noise = Callable[[np.random.Generator, tuple[int, ...]], FloatArray]

NOISES: dict[str, Noise] = {
    "uniform": lambda rng, shape: rng.uniform(0.9, 1.1, shape),
    "log-normal": lambda rng, shape: rng.lognormal(0, 0.06, shape),
    "wide log-normal": lambda rng, shape: rng.lognormal(0, 1, shape),
    "exponential": lambda rng, shape: 1 + 0.2 * rng.exponential(size=shape),
}


@pytest.mark.parametrize("repetitions", [4, 5, 12])
@pytest.mark.parametrize(
    ("noise", "expected"),
    [
        ("uniform", Place.MIDRANGE),
        ("log-normal", Place.MIDDLE),
        ("wide log-normal", Place.MIDDLE),
        ("exponential", Place.FLOOR),
    ],
)
def test_the_kind_of_noise_decides_which_location_is_used(
    noise: str, expected: Place, repetitions: int
) -> None:
    rng = np.random.default_rng(1)
    before, after = (ordered(NOISES[noise](rng, (500, 5, repetitions))) for _ in range(2))
    found = best_location([(before, after)], 2000)
    assert found.place == expected
    if expected == Place.MIDDLE:
        return
    assert found.scale == pytest.approx(1, abs=0.1)
    usual, sharp = (
        np.log(placed(before, each).location / placed(after, each).location).var()
        for each in (Location(), found)
    )
    assert sharp < 0.6 * usual
    tails = 1 + POINT_TAIL + KERNEL_TAIL / 5 if expected == Place.FLOOR else 1
    stated = (placed(before, found).noise + placed(after, found).noise).mean()
    assert 0.9 < stated / (tails * sharp) < 1.35


def test_three_repetitions_do_not_show_the_kind_of_noise() -> None:
    rng = np.random.default_rng(2)
    sides = [tuple(ordered(NOISES["uniform"](rng, (500, 5, 3))) for _ in range(2))]
    assert best_location([(one, other) for one, other in sides], 2000) == Location()


def test_the_first_kernels_decide_for_all() -> None:
    rng = np.random.default_rng(3)
    one, other = ((ordered(NOISES[name](rng, (300, 5, 8))),) * 2 for name in ("exponential", "log-normal"))
    assert best_location([one, other], 300).place == Place.FLOOR
    assert best_location([other, one], 300).place == Place.MIDDLE
    assert best_location([], 300) == Location()


def test_the_floor_is_no_lower_where_noise_is_larger() -> None:
    rng = np.random.default_rng(4)
    quiet, loud = (ordered(1 + level * rng.exponential(size=(4000, 5, 5))) for level in (0.02, 0.4))
    location = best_location([(quiet, loud)], 4000)
    difference = np.log(placed(loud, location).location / placed(quiet, location).location)
    assert abs(difference.mean()) < 0.01


def test_zeros_and_missing_repetitions_do_not_affect_other_points() -> None:
    values = np.array([[[2.0, 2.2, 2.1, 2.3], [0.0, 2.0, 2.2, 2.1], [np.nan, 2.0, np.nan, np.nan]]])
    values = np.concatenate([values, np.zeros((1, 3, 4)), np.full((1, 3, 4), np.nan)])
    for place in Place:
        found = placed(ordered(values), Location(place))
        assert ((found.location[0] > 1.5) & (found.location[0] < 2.4)).all()
        assert (found.location[1] == 0).all()
        assert np.isnan(found.location[2]).all()
        assert np.isfinite(found.noise).all()


def test_the_distance_above_the_smallest_is_that_of_exponential_noise() -> None:
    mean, freedom = above_smallest(9)
    assert mean[:2].tolist() == freedom[:2].tolist() == [0, 0]
    for count in (2, 3, 5, 9):
        values = np.sort(np.random.default_rng(5).exponential(size=(200_000, count)), axis=1)
        cut = int(middle_half(count)[0][count])
        above = values[:, cut : count - cut].mean(axis=1) - values[:, 0]
        assert above.mean() == pytest.approx(mean[count], rel=0.01)
        assert 2 * above.mean() ** 2 / above.var() == pytest.approx(freedom[count], rel=0.03)


@pytest.mark.parametrize(
    "noise",
    [lambda rng, shape: rng.laplace(0, 0.1, shape), lambda rng, shape: 0.05 * rng.standard_t(3, shape)],
)
def test_rare_large_repetitions_do_not_make_the_middle_half_uncertain(noise: Noise) -> None:
    """The variance of all repetitions would state a variance that is 2 to 3 times too large."""
    rng = np.random.default_rng(2)
    before, after = (ordered(np.exp(noise(rng, (1000, 1, 10)))) for _ in range(2))
    found = best_location([(before, after)], 2000)
    assert found.place == Place.MIDDLE
    real = np.log(before.middle.location / after.middle.location).var()
    stated, for_uniform = (
        np.mean(placed(before, each).noise + placed(after, each).noise) for each in (found, Location())
    )
    assert for_uniform > 2 * real
    assert 1 < stated / real < 0.75 * for_uniform / real


@pytest.mark.parametrize("repetitions", [4, 5])
def test_few_repetitions_keep_the_error_for_uniform_noise(repetitions: int) -> None:
    """A burst of load may reach most of them, and their range hardly shows that the others agree."""
    rng = np.random.default_rng(3)
    values = ordered(np.exp(0.05 * rng.standard_t(3, (1000, 1, repetitions))))
    assert best_location([(values, values)], 2000).scale == 1.0
