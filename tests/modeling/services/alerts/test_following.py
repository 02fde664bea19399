"""Alerts follow the comparisons of successive versions: they are opened, updated, and marked as fixed."""

import pytest

from modeling.models import Alert, AlertEvent, Comparison
from modeling.services.changes.comparisons import comparison_execute
from modeling.services.releases.rules import release_rules_set
from modeling.tasks import comparison_execute as comparison_task
from modeling.tasks import run_execute
from tests.factories import make_user
from tests.modeling.services.alerts.versions import (
    FASTER_SWEEP,
    GOOD,
    WORSE_HALO,
    compared,
    measured,
)
from tests.modeling.stored import store

pytestmark = pytest.mark.django_db


def test_an_alert_raised_before_its_version_was_modelled_gets_its_cost_afterwards(project):
    first, second = store(project, "1.0", GOOD), store(project, "1.1", WORSE_HALO)
    run_execute(first.runs.get().pk)
    compared()
    assert Alert.objects.get().difference is None
    run_execute(second.runs.get().pk)
    compared()
    alert = Alert.objects.get()
    assert alert.difference > 0
    assert 0 < alert.effect < 1


def test_the_first_version_opens_no_alerts(project):
    measured(project, "1.0", WORSE_HALO)
    assert not Alert.objects.exists()


def test_an_improvement_is_not_an_open_change(project):
    measured(project, "1.0", GOOD)
    measured(project, "1.1", FASTER_SWEEP)
    alert = Alert.objects.get()
    assert (alert.verdict, alert.improvement) == ("faster", True)
    assert alert.difference < 0


def test_a_failure_loses_neither_comparison_nor_alerts(project, monkeypatch):
    def fail(**_):
        raise RuntimeError("killed")

    measured(project, "1.0", GOOD)
    campaign = store(project, "1.1", WORSE_HALO)
    run_execute(campaign.runs.get().pk)
    comparison = Comparison.objects.get()
    with monkeypatch.context() as patch:
        patch.setattr("modeling.services.alerts.following.alerts_raise", fail)
        with pytest.raises(RuntimeError):
            comparison_execute(comparison)
    comparison_task(comparison.pk)
    assert Alert.objects.count() == AlertEvent.objects.count() == 1


def test_a_branch_is_first_compared_with_the_main_branch(project):
    measured(project, "1.0", GOOD, "main")
    measured(project, "fix-1", WORSE_HALO, "fix")
    measured(project, "1.1", GOOD, "main")
    measured(project, "fix-2", WORSE_HALO, "fix")
    pairs = {(row.before.version.label, row.after.version.label) for row in Comparison.objects.all()}
    assert pairs == {("1.0", "fix-1"), ("1.0", "1.1"), ("fix-1", "fix-2")}
    assert Alert.objects.get().version.label == "fix-1"


def test_another_branch_closes_no_alerts(project):
    measured(project, "1.0", GOOD, "main")
    measured(project, "fix-1", WORSE_HALO, "fix")
    measured(project, "1.1", WORSE_HALO, "main")
    measured(project, "1.2", GOOD, "main")
    states = dict(Alert.objects.filter(improvement=False).values_list("version__label", "state"))
    assert states == {"fix-1": "new", "1.1": "fixed"}
    measured(project, "fix-2", GOOD, "fix")
    assert set(Alert.objects.filter(improvement=False).values_list("state", flat=True)) == {"fixed"}


def test_another_main_branch_changes_baselines(project):
    measured(project, "1.0", GOOD, "develop")
    measured(project, "stable-1", GOOD, "stable")
    campaign = measured(project, "fix-1", WORSE_HALO, "fix")
    application = campaign.version.application
    assert Comparison.objects.get(after=campaign).before.version.label == "stable-1"
    release_rules_set(application=application, main_branch="develop", gate_policy="", user=make_user())
    compared()
    asked = Comparison.objects.filter(after=campaign).values_list("before__version__label", flat=True)
    assert set(asked) == {"1.0", "stable-1"}
    assert Alert.objects.get().comparison.before.version.label == "1.0"
