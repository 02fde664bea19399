"""Campaigns are compared with those of the versions before and after them."""

from itertools import pairwise

import numpy as np
import pytest

from ingest.models import Campaign, Kernel, Metric
from modeling.models import Alert, Change, Comparison, State
from modeling.selectors.alerts.explained import OVERHEAD, explained
from modeling.services.changes.comparisons import comparison_request
from modeling.services.changes.earlier import earlier_drift
from modeling.tasks import comparison_execute
from modeling.verdicts import Verdict
from tests.modeling.stored import modelled, store

pytestmark = pytest.mark.django_db


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
