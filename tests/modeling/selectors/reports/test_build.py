"""The numbers of a report equal plain arithmetic on the laws of the simulated campaigns."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from ingest.models import Metric, Target
from modeling.models import Alert, Change, Comparison, ModelRun, State
from modeling.selectors.application.choices import choices
from modeling.selectors.reports.build import report_content
from modeling.selectors.reports.subject import subject_of
from modeling.selectors.versions.standings import standings
from tests.factories import POINTS, law_value, make_application, make_campaign, make_run
from tests.portal.stories import BAD_HALO, laws, make_story

pytestmark = pytest.mark.django_db


def subject(application, label="1.2"):
    found = choices(type(application).objects.filter(pk=application.pk))
    version = application.versions.get(label=label)
    campaign = version.campaigns.get()
    metric = application.metrics.get(name="time")
    return subject_of(found, standings(application), campaign.machine, version.pk, metric)


def content(application, label="1.2"):
    return report_content(subject(application, label))


def test_it_works():
    _, application, _ = make_story()
    report = content(application)
    assert json.loads(json.dumps(report, allow_nan=False)) == report
    assert (report["application"], report["version"]["label"], report["machine"]) == (
        "Hydro", "1.2", "cluster-a",
    )  # fmt: skip
    assert [target["name"] for target in report["targets"]] == [
        "largest measured point", "full machine", "4 × full machine",
    ]  # fmt: skip
    assert report["main"] == 1
    assert report["points"] == len(POINTS)


def test_totals_are_those_of_the_laws():
    _, application, _ = make_story()
    for label, halo in (("1.2", BAD_HALO),):
        report = content(application, label)
        for target in report["targets"]:
            point = [target["values"][name] for name in ("p", "n")]
            expected = sum(law_value(law, point) for law in laws(halo).values())
            assert target["total"]["predicted"] == pytest.approx(expected)
            earlier = sum(law_value(law, point) for law in laws().values())
            assert target["before"] == pytest.approx(earlier)
            assert target["ratio"] == pytest.approx(expected / earlier)
        assert report["targets"][0]["beyond"] == {}
        assert report["targets"][1]["beyond"] == {"p": 64, "n": 2}
        assert report["targets"][0]["measured"] == pytest.approx(
            sum(law_value(law, POINTS[-1]) for law in laws(halo).values())
        )


def test_the_changed_kernel_has_both_laws():
    _, application, _ = make_story()
    comparison = content(application)["comparison"]
    (change,) = comparison["changes"]
    assert (change["path"], change["verdict"], change["ratio"]) == ("main->halo", "law_worse", 115.0)
    assert change["before"]["coefficients"] == [0.012]
    assert change["after"]["exponents"] == [2 / 3, 1, 0, 0]
    assert comparison["counts"] == {"law_worse": 1}
    assert comparison["same"] == 2


def test_kernels_are_the_most_expensive_ones_of_all_targets():
    _, application, _ = make_story(more=40)
    report = content(application)
    assert report["kernels"][0]["name"] == "halo"
    assert 10 <= len(report["kernels"]) <= 30
    for kernel in report["kernels"]:
        shares = [at["share"] for at in kernel["at"]]
        assert all(0 <= share <= 1 for share in shares)
    verdicts = {kernel["name"]: kernel["verdict"] for kernel in report["kernels"]}
    assert verdicts["halo"] == "law_worse"
    assert verdicts["sweep"] == "same"


def test_a_target_of_the_application_is_preferred_to_a_constructed_one():
    _, application, _ = make_story()
    Target.objects.create(application=application, name="half", values={"p": 32768, "n": 8000}, position=1)
    names = [target["name"] for target in content(application)["targets"]]
    assert names == ["largest measured point", "full machine", "half"]


def test_the_first_version_is_compared_with_nothing():
    _, application, _ = make_story()
    report = content(application, "1.0")
    assert report["comparison"] is None
    assert {kernel["verdict"] for kernel in report["kernels"]} == {""}
    assert all(target["before"] is None for target in report["targets"])


@pytest.mark.parametrize("state", [State.QUEUED, State.FAILED])
def test_a_missing_comparison_is_mentioned(state):
    _, application, campaigns = make_story()
    Comparison.objects.filter(after=campaigns[-1]).update(state=state, error="No common point.")
    assert content(application)["comparison"]["state"] == state
    Comparison.objects.all().delete()
    assert content(application)["comparison"]["state"] == ""


def test_a_predecessor_with_other_parameters_has_no_numbers():
    _, application, campaigns = make_story()
    type(campaigns[1]).objects.filter(pk=campaigns[1].pk).update(parameters=["p", "m"])
    report = content(application)
    assert report["comparison"]["changes"] == []
    assert report["targets"][1]["before"] is None


def test_nothing_is_reported_before_it_is_modelled():
    _, application, campaigns = make_story()
    ModelRun.objects.filter(campaign=campaigns[-1]).update(state=State.RUNNING)
    assert content(application) is None


def test_kernels_without_models_are_mentioned():
    _, application, campaigns = make_story()
    ModelRun.objects.filter(campaign=campaigns[-1]).update(failures=[{"message": "bytes failed."}])
    assert content(application)["missing"] == ["bytes failed."]


def test_changes_in_other_metrics_are_counted():
    _, application, campaigns = make_story()
    bytes_ = Metric.objects.create(application=application, name="bytes", unit="B")
    comparison = Comparison.objects.get(after=campaigns[-1])
    halo = application.kernels.get(path="main->halo")
    Change.objects.create(
        comparison=comparison, kernel=halo, metric=bytes_, kind=Change.Kind.FACTOR, probability=1, ratio=2
    )
    assert content(application)["comparison"]["elsewhere"] == {"bytes": {"slower": 1}}


def test_alerts_are_counted_by_state_with_open_older_ones():
    _, application, campaigns = make_story()
    metric = application.metrics.get()
    states = (Alert.State.NEW, Alert.State.NOISE)
    for campaign in campaigns[1:]:
        for kernel, state in zip(application.kernels.all(), states, strict=False):
            Alert.objects.create(
                application=application, version=campaign.version, machine=campaign.machine, kernel=kernel,
                metric=metric, cause="change", verdict="slower", probability=1, state=state,
            )  # fmt: skip
    assert content(application)["alerts"] == {"here": {"new": 1, "noise": 1}, "earlier": {"new": 1}}
    Alert.objects.filter(version=campaigns[-1].version, state="new").update(improvement=True)
    Alert.objects.filter(version=campaigns[1].version).update(
        silenced_until=timezone.now() + timedelta(days=1)
    )
    counted = {"here": {"noise": 1}, "earlier": {}}
    assert content(application)["alerts"] == counted, "improvements and silenced ones wait for nobody"


def test_changed_settings_are_listed_first():
    _, application, campaigns = make_story()
    for campaign, compiler in zip(campaigns, ("gcc", "gcc", "icc"), strict=True):
        campaign.metadata = {"compiler": compiler, "a": 1}
        campaign.save()
    settings = content(application)["environment"]
    assert settings[0] == {"name": "compiler", "value": "icc", "before": "gcc"}
    assert {"name": "a", "value": "1", "before": "1"} in settings


def test_a_metric_for_which_more_is_better_has_no_totals():
    application = make_application()
    make_run(make_campaign(application, "1.0"), laws())
    application.metrics.update(name="rate", unit="1/s", lower_is_better=False)
    application.metrics.update(name="time")
    report = content(application, "1.0")
    assert not report["adds_up"]
    assert report["efficiency"] is None
