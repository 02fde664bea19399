import copy

import pytest

from modeling.models import Change, Comparison, Model, ModelRun
from modeling.selectors.reports.build import report_content
from modeling.selectors.reports.since import since
from modeling.selectors.reports.subject import subject_again
from modeling.services.predictions.default_target import totals_store
from modeling.services.releases.reports import content_digest, report_make
from tests.modeling.selectors.reports.test_build import subject
from tests.portal.stories import make_story

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    member, application, _ = make_story()
    one = subject(application)
    content = report_content(one)
    return report_make(subject=one, content=content, seen=content_digest(content), note="", user=member)


def again(report):
    report.refresh_from_db()
    return since(report.content, report_content(subject_again(report)))


def remodel(report, path, **values):
    """Change the laws of the report's version, as modeling again with a later engine may do."""
    run = ModelRun.objects.get(campaign__version=report.version)
    Model.objects.filter(run=run, kernel__path=path).update(**values)
    run.judged += 1  # Pages discard what they have cached of a run when this number changes.
    run.save()
    run.totals.all().delete()
    totals_store(run)


def test_nothing_moved(made):
    assert again(made).nothing


def test_changes_are_listed_and_the_report_stays_the_same(made):
    frozen = copy.deepcopy(made.content)
    remodel(made, "main->sweep", constant=3.8, predicted=20.0, lower=18.0, upper=22.0)
    found = again(made)
    assert made.content == frozen
    assert {moved.what for moved in found.kernels} == {"sweep"}
    assert found.totals[0].ratio > 1
    assert found.laws == []


def test_other_terms_are_reported_but_other_coefficients_are_not(made):
    remodel(made, "main->sweep", exponents=[0, 0, 2, 0])
    (law,) = again(made).laws
    assert (law.name, law.then["exponents"], law.now["exponents"]) == ("sweep", [0, 0, 1, 0], [0, 0, 2, 0])


def test_verdicts_move(made):
    comparison = Comparison.objects.get(after__version=made.version)
    Change.objects.all().delete()
    sweep = made.application.kernels.get(path="main->sweep")
    Change.objects.create(
        comparison=comparison, kernel=sweep, metric=made.metric, kind="factor", probability=1, ratio=1.2
    )
    moved = {each.name: (each.then.value, each.now.value) for each in again(made).verdicts}
    assert moved == {"halo": ("law_worse", "same"), "sweep": ("same", "slower")}


def test_predictions_are_for_the_targets_of_the_report(made):
    made.application.targets.update(values={"p": 128, "n": 1000})
    assert again(made).nothing


def test_nothing_is_compared_over_other_parameters(made):
    made.content["parameters"][1]["name"] = "m"
    made.save()
    assert again(made) is None


def test_the_digest_ignores_the_last_digits(made):
    other = copy.deepcopy(made.content)
    other["targets"][0]["measured"] *= 1 + 1e-12
    assert content_digest(other) == content_digest(made.content)
    other["targets"][0]["measured"] *= 1.001
    assert content_digest(other) != content_digest(made.content)


def test_without_the_measurements_nothing_is_compared(made):
    made.version.delete()
    made.refresh_from_db()
    assert made.content["version"]["label"] == "1.2"
    assert subject_again(made) is None
