"""A campaign that is modelled in portions gets the same models as in one call."""

import json

import numpy as np
import pytest

from modeling.engine import Common, fit, holdout_error, leading_kernels, portion_kernels, portions
from modeling.engine.results.models import SEGMENTED, join
from tests.modeling.engine.cases import LINE, noisy

X = 4 * 2.0 ** np.arange(10)
LONG = X[:, None]
SWITCH = np.where(X < 100, 0.02 * X, 1.4 + 0.3 * np.log2(X))
FIELDS = ("constant", "coefficients", "exponents", "smape", "cv_smape", "noise", "leads")


@pytest.fixture(scope="module")
def values():
    """Return kernels of many kinds: growing, switching, deviating, with missing values, measured once, and
    never.
    """
    rng = np.random.default_rng(1)
    truth = np.stack([3 + 0.5 * X, SWITCH, 2 * X * np.exp(0.3 * rng.normal(size=10)), 40 / X] * 6)
    values = truth[:, :, None] * (1 + 0.2 * rng.exponential(size=(24, 10, 4)))
    values[3, 2:7] = np.nan
    values[5, :, 1:] = np.nan
    values[7] = np.nan
    return values


def same(one, other):
    for name in FIELDS:
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-12, err_msg=name)
    assert one.status.tolist() == other.status.tolist()
    far = np.array([[100.0], [8000.0]])
    np.testing.assert_allclose(one.predict(far), other.predict(far), rtol=1e-12)
    np.testing.assert_allclose(one.interval(far), other.interval(far), rtol=1e-12)
    np.testing.assert_allclose(one.prediction_interval(far), other.prediction_interval(far), rtol=1e-12)


def test_given_what_kernels_share_any_split_gives_the_same_models(values):
    whole = fit(LONG, values)
    assert (whole.status == SEGMENTED).any()
    common = Common.from_json(json.loads(json.dumps(whole.common.to_json())))
    assert common == whole.common
    for parts in ([[*range(24)]], [[k] for k in range(24)], [[*range(1, 24)], [0]]):
        found = join([fit(LONG, values[part], common=common) for part in parts])
        same(found.part(np.argsort(np.concatenate(parts))), whole)
    assert found.common == common


def test_a_run_over_portions_gives_the_models_of_one_call(values, monkeypatch):
    monkeypatch.setitem(portions.KERNELS_AT_ONCE, 1, 7)
    size = portion_kernels(10, 1, 4)
    leads = leading_kernels(24, size)
    first = fit(LONG, values[leads])
    rest = np.setdiff1d(np.arange(24), leads)
    others = [fit(LONG, values[part], common=first.common) for part in np.array_split(rest, 4)]
    order = np.argsort(np.concatenate([leads, rest]))
    same(join([first, *others]).part(order), fit(LONG, values))
    halves = [holdout_error(LONG, half) for half in (values[:9], values[9:])]
    np.testing.assert_allclose(np.concatenate(halves), holdout_error(LONG, values), rtol=1e-12)


def test_the_noise_of_the_campaign_helps_to_classify_that_of_a_kernel():
    slowed = noisy(10 + np.zeros(5), 0.0, kernels=60, repetitions=3)
    slowed *= 1 + 0.2 * np.random.default_rng(0).exponential(size=slowed.shape)
    common = fit(LINE, slowed).common
    alone, among = (
        np.mean([fit(LINE, one[None], common=given).posterior.family == 3 for one in slowed[:10]])
        for given in (None, common)
    )
    assert alone < 0.9 < among


def test_leading_kernels_are_of_all_kinds():
    assert leading_kernels(3, 5).tolist() == [0, 1, 2]
    assert leading_kernels(0, 5).tolist() == []
    leads = leading_kernels(10_000, 500)
    assert len(set(leads.tolist())) == 100
    for kinds in (2, 5, 20):  # In many campaigns, kernels of a kind follow each other at regular distances.
        assert len({*(leads % kinds).tolist()}) == kinds
    np.testing.assert_array_equal(leads, leading_kernels(10_000, 500))


@pytest.mark.parametrize("modeler", ["evidence", "regression"])
def test_portions_are_smaller_where_kernels_are_larger(modeler):
    sizes = [portion_kernels(points, 2, 5, modeler=modeler) for points in (1, 25, 1000, 10**7)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1


def test_modelers_that_share_nothing_say_so(values):
    assert fit(LONG, values, modeler="regression").common is None


def test_single_values_have_no_interval_in_any_portion():
    points = np.array([[4.0], [8.0]])
    values = np.full((6, 2, 1), np.nan)
    values[np.arange(6), np.arange(6) % 2] = 3.0
    common = fit(points, values).common
    assert fit(points, values[2:3], common=common).posterior is None
