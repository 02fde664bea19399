"""The processes of deviations from laws are learned from all kernels of a campaign together."""

import json

import numpy as np
import pytest

from modeling.engine import Common, fit
from modeling.engine.deviations.processes import LENGTHS, processes
from modeling.engine.modelers.evidence.pooling import process_frequencies
from modeling.engine.results.models import join

X = 2.0 ** np.arange(2, 12)
LINE = X[:, None]
CROSS = np.array(
    [[4, 10], [8, 10], [16, 10], [32, 10], [64, 10], [4, 20], [4, 30], [4, 40], [4, 50]], dtype=float
)


DENSE = np.arange(20.0, 60, 2)


def campaign(kind, size, nugget, kernels=60, *, seed=0, x=X):
    """Return kernels of power laws that deviate by this process and are measured once at each point."""
    among, logs, rng = processes(1), np.log(x[:, None]), np.random.default_rng(seed)
    covariance = size**2 * among.kinds[kind].covariance(logs, logs) + nugget**2 * np.eye(len(x))
    powers = rng.choice([0, 0.5, 1, 1.5, 2], (kernels, 1))
    deviations = rng.multivariate_normal(np.zeros(len(x)), covariance, kernels)
    return (rng.uniform(1, 9, (kernels, 1)) * x**powers * np.exp(deviations))[:, :, None]


@pytest.mark.parametrize(("kind", "x"), [*((kind, X) for kind in range(len(LENGTHS))), (len(LENGTHS), DENSE)])
def test_the_process_of_a_campaign_is_recognised(kind, x):
    among = processes(1)
    frequency = np.array(fit(x[:, None], campaign(kind, 0.3, 0.005, x=x)).common.by_process)
    kinds = [frequency[among.kind == number].sum() for number in range(len(among.kinds))]
    assert kinds[kind] > 0.6
    of_kind = np.where(among.kind == kind, frequency, 0) / kinds[kind]
    size, nugget = (np.exp(of_kind @ np.log(np.maximum(each, 1e-9))) for each in (among.size, among.nugget))
    assert 0.15 < size < 0.6
    assert nugget < 0.5 * size


@pytest.mark.parametrize("nugget", [0.02, 0.1])
def test_independent_deviations_are_no_smooth_process(nugget):
    """The mean of three campaigns, because the frequency in a single one is between 0.10 and 0.18."""
    among = processes(1)
    models = [fit(LINE, campaign(0, 0.0, nugget, seed=seed)) for seed in range(3)]
    frequency = np.mean([each.common.by_process for each in models], axis=0)
    assert frequency[among.size > 2 * nugget].sum() < 0.15
    assert np.exp(frequency @ np.log(among.nugget)) == pytest.approx(nugget, rel=0.4)


@pytest.mark.parametrize(("repetitions", "scatter"), [(3, 0.05), (5, 0.2), (5, 0.01)])
def test_if_repetitions_explain_all_distances_there_is_no_process(repetitions, scatter):
    rng = np.random.default_rng(0)
    powers = rng.choice([0, 0.5, 1, 1.5, 2], (60, 1, 1))
    values = 5 * X[:, None] ** powers * np.exp(scatter * rng.normal(size=(60, len(X), repetitions)))
    posterior = fit(LINE, values).posterior
    assert posterior.deviation is None or posterior.deviation.there.sum() <= 2


def test_models_do_not_depend_on_the_split():
    """The models do not depend on the split, even for kernels with two, one or no points."""
    values = campaign(0, 0.2, 0.005, kernels=12, seed=1)
    values[0, 3:] = values[1, :-2] = values[2, 1:] = values[3, :-1] = values[4] = values[5, 2:8] = np.nan
    values[6, ::2] = np.nan
    whole = fit(LINE, values)
    common = Common.from_json(json.loads(json.dumps(whole.common.to_json())))
    at = np.array([[1.0], [3.0], [100.0], [1e4]])
    for parts in (np.split(np.arange(12), 6), [np.arange(1, 12), np.array([0])], np.arange(12)[:, None]):
        found = join([fit(LINE, values[part], common=common) for part in parts])
        np.testing.assert_allclose(found.draws(at), whole.draws(at)[np.concatenate(parts)], rtol=1e-9)
        np.testing.assert_array_equal(found.status, whole.status[np.concatenate(parts)])


def test_one_wild_kernel_does_not_affect_a_campaign_of_two_parameters():
    rng = np.random.default_rng(0)
    values = np.exp(0.05 * rng.normal(size=(5, 9, 1))) * (CROSS[:, :1] + CROSS[:, 1:])
    values[0] = 10 ** rng.uniform(-12, 12, (9, 1))
    models = fit(CROSS, values)
    assert np.isfinite(models.common.by_process).all()
    np.testing.assert_allclose(models.predict(CROSS)[1:], values[1:, :, 0], rtol=0.2)


def test_kernels_that_fit_no_process_do_not_affect_others():
    among = processes(1)
    evidence = np.random.default_rng(0).normal(size=(len(among), 4))
    wild = np.column_stack([evidence, np.full(len(among), -np.inf)])
    np.testing.assert_array_equal(process_frequencies(among, wild), process_frequencies(among, evidence))
