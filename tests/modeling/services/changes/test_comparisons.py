"""Campaigns are compared with those of the versions before and after them."""

from itertools import pairwise

import numpy as np
import pytest

from ingest.models import Campaign, Kernel, Metric
from ingest.work import MOST_ATTEMPTS
from modeling.models import Alert, Change, Comparison, Model, ModelRun, State
from modeling.selectors.alerts.explained import OVERHEAD, explained
from modeling.services.changes import comparisons
from modeling.services.changes.comparisons import comparison_request
from modeling.services.changes.earlier import earlier_drift
from modeling.tasks import comparison_execute, run_execute
from modeling.verdicts import Verdict
from tests.modeling.stored import store

pytestmark = pytest.mark.django_db

LAWS = {
    "main->halo": lambda p: 0.5,
    "main->sweep": lambda p: 2.0 + 0.01 * p,
    "main->io": lambda p: 1.0,
    "main->gone": lambda p: 1.0,
}
AFTER = {
    "main->halo": lambda p: 0.5 + 0.05 * p,
    "main->sweep": lambda p: 3.0 + 0.015 * p,
    "main->io": lambda p: 1.0,
    "main->new": lambda p: 1.0,
}


def modelled(project, version, laws):
    campaign = store(project, version, laws)
    run_execute(ModelRun.objects.get(campaign=campaign).pk)
    return campaign


@pytest.fixture
def comparison(project):
    modelled(project, "1.0", LAWS)
    modelled(project, "1.1", AFTER)
    comparison = Comparison.objects.get()
    comparison_execute(comparison.pk)
    comparison.refresh_from_db()
    return comparison


def test_a_campaign_is_compared_with_its_predecessor(comparison):
    assert (comparison.before.version.label, comparison.after.version.label) == ("1.0", "1.1")
    assert (comparison.state, comparison.error) == (State.DONE, "")


def test_an_overhead_is_told_from_a_law(project):
    quiet = {f"main->k{n}": lambda p, n=n: 0.1 * n + 0.02 * p for n in range(1, 10)}
    modelled(project, "1.0", quiet | {"main->start": lambda p: 0.2 + 0.02 * p})
    modelled(project, "1.1", quiet | {"main->start": lambda p: 0.7 + 0.02 * p})
    comparison = Comparison.objects.get()
    comparison_execute(comparison.pk)
    [change] = comparison.changes.all()
    assert (change.kernel.path, change.kind) == ("main->start", Change.Kind.OVERHEAD)
    assert change.overhead_probability > 0.9
    assert change.law_probability < 0.1
    [alert] = Alert.objects.all()
    assert alert.verdict in (Verdict.OVERHEAD_WORSE.value, Verdict.OVERHEAD.value)
    assert explained(alert).hypotheses[0].name == OVERHEAD


def test_laws_factors_and_unchanged_kernels_are_distinguished(comparison):
    kinds = dict(comparison.changes.values_list("kernel__path", "kind"))
    assert kinds == {"main->halo": Change.Kind.LAW, "main->sweep": Change.Kind.FACTOR}
    sweep = comparison.changes.get(kernel__path="main->sweep")
    assert sweep.ratio == pytest.approx(1.5, rel=0.1)
    assert sweep.ratio_lower < sweep.ratio < sweep.ratio_upper
    halo = comparison.changes.get(kernel__path="main->halo")
    assert halo.probability > 0.99
    assert halo.ratio > 20


def test_the_common_factor_is_stored_once(comparison):
    shift = comparison.shifts.get()
    assert shift.lower <= 1 <= shift.upper
    assert shift.ratio == pytest.approx(1, rel=0.1)
    assert shift.growth == []


def test_growth_that_all_kernels_share_is_stored_and_reported_for_none(project):
    before = {f"main->k{n}": lambda p, n=n: 0.1 * n + 0.02 * p for n in range(1, 13)}
    after = {name: lambda p, law=law: law(p) * p**0.25 for name, law in before.items()}
    modelled(project, "1.0", before)
    modelled(project, "1.1", after)
    comparison = Comparison.objects.get()
    comparison_execute(comparison.pk)
    assert not comparison.changes.exists()
    [power] = comparison.shifts.get().growth
    assert power["parameter"] == "p"
    assert power["lower"] < 0.25 < power["upper"]
    assert power["exponent"] == pytest.approx(0.25, abs=0.05)


def test_a_version_inserted_between_two_is_compared_with_both(comparison, project):
    between = modelled(project, "1.0.1", LAWS)
    # The version has no date, so it comes last. Its label does not matter.
    pairs = set(Comparison.objects.values_list("before__version__label", "after__version__label"))
    assert pairs == {("1.0", "1.1"), ("1.1", "1.0.1")}
    assert between.version.position == 2


def test_any_two_versions_can_be_compared_once(comparison):
    assert comparison_request(comparison.before, comparison.after) == comparison
    backwards = comparison_request(comparison.after, comparison.before)
    assert backwards.state == State.QUEUED
    comparison_execute(backwards.pk)
    assert backwards.changes.get(kernel__path="main->sweep").ratio == pytest.approx(1 / 1.5, rel=0.1)


def test_a_failing_comparison_is_repeated_and_finally_set_aside(comparison):
    Comparison.objects.update(state=State.RUNNING)
    comparison_execute(comparison.pk)
    assert comparison.changes.count() == 2
    Comparison.objects.update(state=State.RUNNING, attempts=MOST_ATTEMPTS)
    comparison_execute(comparison.pk)
    comparison.refresh_from_db()
    assert comparison.state == State.FAILED


@pytest.fixture
def in_portions(monkeypatch):
    """Let portions hold 15 values, so that each of three kernels with 5 points and 3 repetitions is a
    portion.
    """
    monkeypatch.setattr(comparisons, "VALUES_AT_ONCE", 15)


def stored(comparison):
    return list(
        comparison.changes.order_by("kernel__path").values_list(
            "kernel__path", "kind", "ratio", "probability"
        )
    )


def test_portions_give_the_same_result_as_the_whole(comparison, in_portions, monkeypatch):
    whole, seen, before = stored(comparison), [], comparisons.compare

    def compare(*measured, **how):
        seen.append(measured[0][1].shape)
        return before(*measured, **how)

    monkeypatch.setattr(comparisons, "compare", compare)
    Comparison.objects.update(state=State.QUEUED)
    comparison_execute(comparison.pk)
    assert seen == [(1, 5, 3)] * 3
    for one, other in zip(stored(comparison), whole, strict=True):
        assert one[:2] == other[:2]
        assert one[2:] == pytest.approx(other[2:])


def test_an_interrupted_comparison_stores_nothing(comparison, in_portions, monkeypatch):
    whole, before = stored(comparison), comparisons._store

    def killed(row, metric, kernels, changes):
        before(row, metric, kernels, changes)
        if comparison.changes.count() == 2:
            raise SystemExit

    monkeypatch.setattr(comparisons, "_store", killed)
    Comparison.objects.update(state=State.QUEUED)
    with pytest.raises(SystemExit):
        comparison_execute(comparison.pk)
    assert stored(comparison) == whole


def test_the_ratio_of_a_law_that_changed_is_near_that_of_the_stored_models(comparison):
    halo = comparison.changes.get(kernel__path="main->halo")
    after, before = (
        Model.objects.get(run__campaign=campaign, kernel=halo.kernel).predicted
        for campaign in (comparison.after, comparison.before)
    )
    assert halo.ratio == pytest.approx(after / before, rel=0.3)


def test_campaigns_without_models_are_compared(comparison):
    whole = stored(comparison)
    ModelRun.objects.all().delete()
    Comparison.objects.update(state=State.QUEUED)
    comparison_execute(comparison.pk)
    halo, sweep = stored(comparison)
    assert halo[:2] == whole[0][:2]
    assert halo[2] == pytest.approx(whole[0][2], rel=0.5)
    assert sweep == whole[1]


def test_bursts_of_load_that_earlier_campaigns_show_are_no_changes(project):
    drift = np.exp(0.01 * np.random.default_rng(7).standard_normal((5, 30)))
    for number, values in enumerate(drift):
        values[number % 2 : 6 : 2] *= 1.5
        laws = {f"main->k{kernel}": lambda _, value=value: value for kernel, value in enumerate(values)}
        store(project, f"1.{number}", laws)
    line = list(Campaign.objects.order_by("pk"))
    reported = []
    for before, after in pairwise(line):
        comparison = comparison_request(before, after)
        comparison_execute(comparison.pk)
        reported.append(comparison.changes.exclude(kind=Change.Kind.UNKNOWN).count())
    assert reported[0] > 0
    assert reported[2:] == [0, 0]


def test_changes_marked_as_noise_are_drift_in_later_comparisons(project):
    steady = {f"main->k{kernel}": lambda _, k=kernel: 1.0 + k for kernel in range(30)}
    slower = steady | {f"main->k{kernel}": lambda _, k=kernel: 1.5 * (1.0 + k) for kernel in range(3)}
    campaigns = [store(project, label, laws) for label, laws in (("1.0", steady), ("1.1", slower))]
    comparison_execute(comparison_request(*campaigns).pk)
    latest = comparison_request(campaigns[1], store(project, "1.2", slower))
    kernels = np.array(sorted(Kernel.objects.values_list("pk", flat=True)))

    def large():
        """Return the probability of drift with a standard deviation above 10 %."""
        usual = earlier_drift(latest, Metric.objects.get().pk, kernels)
        shares, scales = usual.tail
        return shares[scales * usual.scale > 0.1].sum()

    assert large() < 0.01
    assert Alert.objects.update(state=Alert.State.NOISE) == 3
    assert large() > 0.05


def test_versions_without_a_common_kernel_are_not_called_compared(project):
    old, new = (store(project, label, {f"main->{label}": lambda _: 1.0}) for label in ("a", "b"))
    comparison = comparison_request(old, new)
    comparison_execute(comparison.pk)
    comparison.refresh_from_db()
    assert (comparison.state, comparison.error) == (State.DONE, "The campaigns have no kernel in common.")


def test_a_pair_without_earlier_campaigns_teaches_nothing(project):
    laws = {"main->k": lambda _: 1.0}
    comparison = comparison_request(store(project, "1.0", laws), store(project, "1.1", laws))
    assert earlier_drift(comparison, Metric.objects.get().pk, np.array([1])) is None
