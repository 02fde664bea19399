"""The kernels of every run are compared with the expectations that users have set."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from ingest.models import Application, Metric
from ingest.services.deleting import campaign_delete
from modeling.models import Alert, AlertEvent, Expectation, ExpectationResult, ModelRun
from modeling.services.changes import expectations
from modeling.services.changes.expectations import expectation_add, expectation_remove
from modeling.storage import model_portions
from modeling.tasks import application_expect, runs_sweep
from perfweb.accounts.models import AuditEntry
from tests.factories import make_user
from tests.modeling.stored import model, store

pytestmark = pytest.mark.django_db

LAWS = {"main->halo": lambda p: 0.1 * p, "main->sweep": lambda p: 2.0}
WORSE = {"main->halo": lambda p: 0.02 * p**1.5, "main->sweep": lambda p: 2.0}


def stored(project, version, laws=LAWS):
    return model(store(project, version, laws))


def expect(project, pattern, text):
    application = Application.objects.get(project=project)
    return expectation_add(
        application=application, metric=application.metrics.get(), pattern=pattern, text=text,
        user=make_user(),
    )  # fmt: skip


def found(run):
    rows = ExpectationResult.objects.filter(run=run).select_related("kernel", "expectation")
    return {(row.expectation.text, row.kernel.name): row.probability for row in rows}


def test_it_works(project):
    stored(project, "1.0")
    expect(project, "*", "O(p)")
    expect(project, "main->halo", "≤ 20 s at p = 128")
    expect(project, "sweep", "≤ 1000 ms at p = 128")
    results = found(stored(project, "1.1"))
    assert {key: round(value) for key, value in results.items()} == {
        ("O(p)", "halo"): 1,
        ("O(p)", "sweep"): 1,
        ("≤ 20 s at p = 128", "halo"): 1,
        ("≤ 1000 ms at p = 128", "sweep"): 0,
    }


def test_a_new_expectation_is_compared_with_existing_runs(project):
    run = stored(project, "1.0")
    expectation = expect(project, "halo", "O(log p)")
    assert list(expectations.applications_unexpected()) == [run.campaign.version.application]
    application_expect(run.campaign.version.application_id)
    assert found(run)["O(log p)", "halo"] < 0.05
    assert not expectations.applications_unexpected().exists()
    expectation_remove(expectation=expectation, user=make_user())
    assert not ExpectationResult.objects.exists()
    assert AuditEntry.objects.filter(action__startswith="expectation.").count() == 2


def test_runs_of_compared_modelers_raise_no_alerts(project):
    run = stored(project, "1.0", WORSE)
    ModelRun.objects.filter(pk=run.pk).update(shown=False)

    expect(project, "halo", "O(p)")
    application_expect(run.campaign.version.application_id)

    assert not expectations.applications_unexpected().exists()
    assert not Alert.objects.exists()


def test_the_sweeper_finds_runs_that_were_not_judged(project, monkeypatch):
    sent = []
    monkeypatch.setattr("modeling.tasks.enqueue", lambda task, row: sent.append((task, row.pk)))
    run = stored(project, "1.0")
    expect(project, "halo", "O(p)")
    runs_sweep()
    assert ("modeling.tasks.application_expect", run.campaign.version.application_id) in sent


def test_a_run_that_cannot_be_judged_does_not_affect_others(project, monkeypatch):
    first, second = stored(project, "1.0"), stored(project, "1.1")
    expect(project, "halo", "O(p)")
    real = expectations.run_expect

    def broken(run):
        if run.pk == first.pk:
            raise ArithmeticError
        real(run)

    monkeypatch.setattr(expectations, "run_expect", broken)
    application_expect(first.campaign.version.application_id)
    assert not found(first)
    assert found(second)
    assert not expectations.applications_unexpected().exists()


def test_a_failed_judgement_costs_no_model(project, monkeypatch):
    def broken(run):
        raise ArithmeticError("no")

    monkeypatch.setattr(expectations, "run_expect", broken)
    run = stored(project, "1.0")
    assert run.state == "done"
    assert "could not be compared with expectations" in run.failures[0]["message"]


def test_an_alert_names_the_version_in_which_it_broke(project):
    stored(project, "1.0")
    expect(project, "*", "O(p)")
    expect(project, "halo", "O(p log p)")
    broken = stored(project, "1.1", WORSE)
    stored(project, "1.2", WORSE)
    application_expect(broken.campaign.version.application_id)
    alert = Alert.objects.get(cause=Alert.Cause.EXPECTATION)
    assert (alert.version.label, alert.kernel.name, alert.state) == ("1.1", "halo", "new")
    assert alert.probability > 0.95
    Alert.objects.update(state=Alert.State.EXPECTED)
    ModelRun.objects.filter(pk=broken.pk).update(expected_at=timezone.now() - timedelta(days=1))
    application_expect(broken.campaign.version.application_id)
    assert Alert.objects.get().state == "expected"  # A state that people have set is kept.


def test_a_deleted_version_leaves_a_broken_expectation_to_the_next_one(project):
    first = stored(project, "1.0", WORSE).campaign
    stored(project, "1.1", WORSE)
    expect(project, "halo", "O(p)")
    application_expect(first.version.application_id)
    assert Alert.objects.get().version.label == "1.0"
    campaign_delete(campaign=first, user=make_user())
    application_expect(first.version.application_id)
    assert Alert.objects.get().version.label == "1.1"


def test_judging_in_portions_gives_the_same_result(project, monkeypatch):
    run = stored(project, "1.0")
    expect(project, "*", "O(p^(1/2))")
    application_expect(run.campaign.version.application_id)
    whole = found(run)
    monkeypatch.setattr(model_portions, "kernels_at_once", lambda campaign: 1)
    expectations.run_expect(ModelRun.objects.get(pk=run.pk))
    assert found(run) == whole


def test_parameters_that_do_not_vary_have_unknown_results(project):
    run = stored(project, "1.0")
    application = run.campaign.version.application
    application.parameters.create(name="n", position=1)
    expect(project, "halo", "O(n)")
    expect(project, "halo", "≤ 2 s at n = 5")
    application_expect(application.pk)
    assert set(found(run).values()) == {None}
    assert not Alert.objects.exists()


def test_modelling_again_judges_again(project):
    run = stored(project, "1.0")
    expect(project, "halo", "O(p)")
    application_expect(run.campaign.version.application_id)
    before = found(run)
    ModelRun.objects.filter(pk=run.pk).update(state="queued", attempts=0)
    assert found(model(run.campaign)) == before


@pytest.mark.parametrize(
    ("pattern", "text", "field", "message"),
    [
        ("", "O(p)", "pattern", "write * for all kernels"),
        ("*", "O(q)", "text", "Character 3: found “q”, expected a parameter (p)."),
        ("*", "≤ 2 GB at p = 4", "text", "expected the unit of time, s"),
        ("*", "O(n", "text", "expected a parameter"),
    ],
)
def test_invalid_expectations_are_refused(project, pattern, text, field, message):
    stored(project, "1.0")
    Metric.objects.update(unit="s")
    with pytest.raises(ValidationError) as wrong:
        expect(project, pattern, text)
    assert message in wrong.value.message_dict[field][0]


def test_the_same_expectation_is_refused(project):
    stored(project, "1.0")
    expect(project, "*", "O(p)")
    with pytest.raises(ValidationError, match="expected already"):
        expect(project, " ** ", "O(p) ")
    assert Expectation.objects.count() == 1


def test_the_number_of_expectations_is_limited(project, monkeypatch):
    stored(project, "1.0")
    monkeypatch.setattr(expectations, "MOST_EXPECTATIONS", 1)
    expect(project, "*", "O(p)")
    with pytest.raises(ValidationError, match="at most 1 expectations"):
        expect(project, "*", "O(p^2)")


def test_an_alert_is_closed_with_its_only_expectation(project):
    run = stored(project, "1.0")
    only = expect(project, "halo", "O(log p)")
    application_expect(run.campaign.version.application_id)
    Alert.objects.update(state=Alert.State.FIXING, note="who wrote this?")
    remover = make_user()
    expectation_remove(expectation=only, user=remover)
    alert = Alert.objects.get()
    assert (alert.state, alert.note) == ("expected", "who wrote this?")
    assert alert.events.get(action="closed").user == remover
    # The expectation was removed by mistake, and its alert returns in its former state.
    expect(project, "halo", "O(log p)")
    application_expect(run.campaign.version.application_id)
    assert Alert.objects.get().state == "fixing"


def test_an_alert_stays_open_for_other_reasons(project):
    run = stored(project, "1.0")
    first, _ = expect(project, "halo", "O(log p)"), expect(project, "main->halo", "O(1)")
    application_expect(run.campaign.version.application_id)
    Alert.objects.update(reason="O(log p)")
    expectation_remove(expectation=first, user=make_user())
    alert = Alert.objects.get()
    assert (alert.state, alert.reason) == ("new", "O(1)")


def test_alerts_closed_by_people_stay_closed(project):
    run = stored(project, "1.0")
    only = expect(project, "halo", "O(log p)")
    application_expect(run.campaign.version.application_id)
    Alert.objects.update(state=Alert.State.NOISE)
    expectation_remove(expectation=only, user=make_user())
    assert Alert.objects.get().state == "noise"
    assert not AlertEvent.objects.filter(action="closed").exists()
