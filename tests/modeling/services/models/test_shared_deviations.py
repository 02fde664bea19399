"""A finished run stores the correlation between its kernels' deviations."""

import numpy as np
import pytest

from ingest.models import Series
from modeling.engine.deviations.correlation import NOTHING_SHARED, SharedDeviation
from modeling.models import ModelRun, Total
from modeling.selectors.run.snapshot_loading import snapshot_load
from modeling.services.models import shared_deviations
from modeling.services.models.runs import run_execute
from modeling.services.models.shared_deviations import shared_deviations_store
from modeling.services.predictions.default_target import totals_store
from tests.factories import POINTS, make_application, make_campaign
from tests.measured import measure

pytestmark = pytest.mark.django_db

LAWS = {f"kernel{number}": (0.5 + number, [(1e-3, (1.0, 0.0, 0.0, 0.0))]) for number in range(12)}


def finished(rho: float, laws=LAWS) -> ModelRun:
    """Return a finished run of kernels that deviate by 10 % and have the correlation `rho`."""
    campaign = make_campaign(make_application(), "1.0")
    measure(campaign, laws, noise=0.0, repetitions=1)
    rng = np.random.default_rng(4)
    common = rng.normal(size=len(POINTS))
    for series in Series.objects.order_by("kernel_id"):
        own = rng.normal(size=len(POINTS))
        factors = np.exp(0.1 * (np.sqrt(rho) * common + np.sqrt(1 - rho) * own))
        series.values = (np.array(series.values) * factors).tolist()
        series.save(update_fields=["values"])
    run = ModelRun.objects.create(campaign=campaign, modeler="regression")
    run_execute(run)
    run.refresh_from_db()
    return run


def learned(run: ModelRun) -> SharedDeviation:
    (numbers,) = run.shared.values()
    return SharedDeviation.from_json(numbers)


def test_it_works():
    together, apart = learned(finished(0.9)), learned(finished(0.0))
    assert together.correlation > 0.6
    assert apart.correlation < 0.25


def test_the_total_of_correlated_kernels_is_less_certain():
    run = finished(0.9)
    (total,) = run.totals.all()
    rows = run.models.values_list("predicted", "lower", "upper")
    predicted, lower, upper = np.array(rows).T
    assert total.predicted == pytest.approx(predicted.sum())
    assert total.upper - total.lower > 2 * np.sqrt(((upper - lower) ** 2).sum())
    assert total.upper - total.lower < (upper - lower).sum()
    total.delete()
    totals_store(run)
    assert Total.objects.get().upper == total.upper  # A second computation gives the same total.


def test_pages_and_stored_totals_use_the_same_draws():
    run = finished(0.5)
    metric = run.campaign.version.application.metrics.get()
    total, stored = snapshot_load(run, metric).total, Total.objects.get()
    assert (total.predicted, total.lower, total.upper) == pytest.approx(
        (stored.predicted, stored.lower, stored.upper)
    )


def test_callers_are_not_counted_with_their_callees():
    """If values are inclusive, the total is that of the root.

    The correlation is learned from the kernels that the root calls, and not from the root as well.
    """
    laws = {"main": (200.0, [])} | {f"main->{path}": law for path, law in LAWS.items()}
    run = finished(0.0, laws)
    assert run.models.filter(counts_to_total=True).count() == 1
    found = learned(run)
    assert found.kernels < 13
    assert found.correlation < 0.25


def test_only_the_largest_kernels_are_used(monkeypatch):
    monkeypatch.setattr(shared_deviations, "MOST_KERNELS", 3)
    assert learned(finished(0.5)).kernels <= 3


def test_a_failure_does_not_affect_the_models(monkeypatch):
    monkeypatch.setattr(shared_deviations, "shared_deviation", lambda *_: 1 / 0)
    run = finished(0.5)
    assert run.state == "done"
    assert run.shared == {}
    assert run.totals.get().lower is not None


def test_a_single_kernel_has_no_correlation():
    run = finished(0.5, {"main": LAWS["kernel3"]})
    assert learned(run) == NOTHING_SHARED
    shared_deviations_store(run)
    assert learned(run) == NOTHING_SHARED


def test_a_kernel_measured_once_does_not_widen_the_total():
    campaign = make_campaign(make_application(), "1.0")
    measure(campaign, {"solve": LAWS["kernel5"], "init": LAWS["kernel0"]}, noise=0.05, repetitions=3)
    once = Series.objects.get(kernel__path="init")
    first = np.array(once.values[: once.repetitions]) / 1e3
    once.values = [*first.tolist(), *[float("nan")] * (len(once.values) - len(first))]
    once.save(update_fields=["values"])
    run = ModelRun.objects.create(campaign=campaign, modeler="evidence")
    run_execute(run)
    (total,) = run.totals.all()
    solve = run.models.get(kernel__path="solve")
    assert total.predicted > solve.predicted
    assert total.upper == pytest.approx(solve.upper, rel=0.01)
    assert snapshot_load(run, once.metric).total.upper == pytest.approx(total.upper)
