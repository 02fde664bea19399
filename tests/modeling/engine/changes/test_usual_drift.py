"""Comparisons learn from earlier campaigns how much kernels drift without any change."""

import numpy as np
import pytest

from modeling.engine import compare, usual_drift

POINT = np.array([[64.0]])
TARGET = np.array([512.0])
KERNELS = 60


def campaigns(seed, count=7, *, bursts=0.0, changed=0.0, factor=1.5):
    """Return campaigns of unchanged kernels at one point, in which bursts of load slow some kernels. In the
    last campaign the first kernels are slower by a factor.
    """
    rng = np.random.default_rng(seed)
    level = rng.uniform(0.1, 10, (KERNELS, 1))
    found = []
    for _ in range(count):
        logs = 0.03 * rng.standard_normal() + 0.01 * rng.standard_normal((KERNELS, 1))
        hit = rng.random((KERNELS, 1)) < bursts
        clean = level * np.exp(logs + hit * abs(0.4 * rng.standard_normal((KERNELS, 1))))
        found.append(clean[:, :, None] * rng.uniform(0.98, 1.02, (KERNELS, 1, 5)))
    found[-1][: int(changed * KERNELS)] *= factor
    return found


def reported(measured, usual):
    changes = compare((POINT, measured[-2]), (POINT, measured[-1]), target=TARGET, usual=usual)
    return changes.kind != "same"


def large(usual):
    """Return the probability of drift with a standard deviation above 10 %."""
    shares, scales = usual.tail
    return shares[scales * usual.scale > 0.1].sum()


def test_bursts_of_load_that_earlier_campaigns_show_are_not_reported():
    alone, learned = [], []
    for seed in range(8):
        measured = campaigns(seed, bursts=0.06)
        alone.append(reported(measured, None).mean())
        learned.append(reported(measured, usual_drift(measured)).mean())
    assert np.mean(alone) > 0.05
    assert np.mean(learned) < 0.01


def test_a_quiet_past_hides_no_change():
    for seed in range(4):
        measured = campaigns(seed, changed=0.1)
        found = reported(measured, usual_drift(measured))
        assert found.tolist() == [kernel < KERNELS // 10 for kernel in range(KERNELS)]


def test_a_change_far_beyond_the_usual_bursts_is_reported():
    measured = campaigns(1, bursts=0.06, changed=0.05, factor=30.0)
    assert reported(measured, usual_drift(measured))[:3].all()


def test_changes_that_last_are_no_drift():
    steps = campaigns(2)
    for number, measured in enumerate(steps):
        measured[: 10 * number] *= 1.5  # ten further kernels become slower in each version
    assert large(usual_drift(steps)) < 0.01


def test_campaigns_of_one_version_show_drift_that_lasts():
    first, second = campaigns(3, 2)
    second[:20] *= 1.5
    assert usual_drift([first, second]) is None  # these kernels may have changed
    # A third of the kernels drift in either campaign, so five ninths do in one of two.
    assert large(usual_drift([first, second], unchanged=True)) == pytest.approx(1 - (2 / 3) ** 2, abs=0.1)


def test_missing_values_and_kernels_are_left_out():
    measured = campaigns(4, 4)
    for number, each in enumerate(measured):
        each[number::7] = np.nan
    shares, _ = usual_drift(measured).tail
    assert np.isfinite(shares).all()
    assert shares.sum() == pytest.approx(1.0)
    nothing = [np.full_like(each, np.nan) for each in measured]
    assert usual_drift(nothing) is None
    assert usual_drift(measured[:2]) is None
    assert usual_drift([]) is None


def test_a_change_that_the_next_version_takes_back_hides_no_other_and_leaves_its_ratio_certain():
    points = np.array([[4.0], [8.0], [16.0], [32.0], [64.0]])
    rng = np.random.default_rng(5)
    level = rng.uniform(1, 10, (8, 1))

    def measured(*, slower=1.0, grows=False):
        law = np.ones((8, 5))
        law[0] *= points[:, 0] if grows else 1.0
        law[1] *= slower
        drift = np.exp(0.01 * rng.standard_normal((8, 1)))
        return (level * law * drift)[:, :, None] * rng.uniform(0.98, 1.02, (8, 5, 5))

    story = [measured(), measured(), measured(grows=True), measured(), measured(slower=1.5)]
    for last in (3, 4):
        usual = usual_drift(story[: last + 1])
        found = compare((points, story[last - 1]), (points, story[last]), target=TARGET, usual=usual)
        assert np.flatnonzero(found.kind != "same").tolist() == [last - 3]
        low, high = found.ratio_interval[last - 3]
        assert high < 3 * low
