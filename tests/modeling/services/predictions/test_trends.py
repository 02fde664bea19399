"""Each kernel has a line of predictions over the versions, which is updated one version at a time."""

from itertools import pairwise, permutations

import pytest

from ingest.models import Version
from modeling.models import Model, Trend
from modeling.services.predictions.trends import trends_follow
from tests.factories import make_application, make_campaign, make_run

pytestmark = pytest.mark.django_db

PREDICTED = {"1.0": {"main": 5.0, "old": 1.0}, "1.1": {"main": 7.0}, "1.2": {"main": 6.5, "new": 2.0}}


@pytest.fixture
def application():
    return make_application()


@pytest.fixture
def campaigns(application):
    return {label: make_campaign(application, label) for label in PREDICTED}


def modelled(campaign, **predicted):
    return make_run(campaign, {path: (value, []) for path, value in predicted.items()})


def lines():
    """Return, for each path, the version labels and predictions of the kernel's line, and the kernel's
    impact.
    """
    labels = dict(Version.objects.values_list("pk", "label"))
    return {
        row.kernel.path: ([labels[pk] for pk in row.versions], row.predicted, row.impact)
        for row in Trend.objects.select_related("kernel")
    }


def expected(predicted):
    """Return what `lines` should return, computed for each kernel from the predictions of each version."""
    found = {}
    for path in {path for values in predicted.values() for path in values}:
        line = {label: values[path] for label, values in predicted.items() if path in values}
        steps = [abs(after - before) for before, after in pairwise(line.values())]
        found[path] = (list(line), list(line.values()), pytest.approx(max(steps, default=0.0)))
    return found


@pytest.mark.parametrize("order", list(permutations(PREDICTED)))
def test_versions_are_in_order_whatever_the_order_of_modelling(campaigns, order):
    for label in order:
        modelled(campaigns[label], **PREDICTED[label])
    assert lines() == expected(PREDICTED)


def test_modelling_a_version_again_changes_only_its_value(campaigns):
    runs = {label: modelled(campaign, **PREDICTED[label]) for label, campaign in campaigns.items()}
    runs.pop("1.1").delete()
    # The lines are updated without reading these models.
    Model.objects.filter(run__in=runs.values()).delete()
    modelled(campaigns["1.1"], main=3.0, old=4.0)
    assert lines() == expected(PREDICTED | {"1.1": {"main": 3.0, "old": 4.0}})


def test_a_kernel_missing_in_a_version_has_a_gap_or_no_line(campaigns):
    runs = {label: modelled(campaign, **PREDICTED[label]) for label, campaign in campaigns.items()}
    runs["1.2"].delete()
    modelled(campaigns["1.2"], new=2.5)
    assert lines() == expected(PREDICTED | {"1.2": {"new": 2.5}})
    runs["1.0"].delete()
    trends_follow(campaigns["1.0"].version.application, campaigns["1.0"].machine, campaigns["1.0"].version_id)
    assert lines() == expected({"1.1": {"main": 7.0}, "1.2": {"new": 2.5}})


def test_other_applications_and_machines_have_separate_lines(campaigns, application):
    other = make_application(slug="other", project=application.project)
    elsewhere = [make_campaign(application, "1.1", "cluster-b"), make_campaign(other, "1.0")]
    for campaign in (campaigns["1.0"], *elsewhere):
        modelled(campaign, main=5.0)
    before = sorted(Trend.objects.values_list("pk", "versions"))
    modelled(campaigns["1.2"], main=9.0)
    changed = set(map(str, Trend.objects.values_list("pk", "versions"))) - set(map(str, before))
    assert len(before) == Trend.objects.count() == 3
    assert len(changed) == 1
