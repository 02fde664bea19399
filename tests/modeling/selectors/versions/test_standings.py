"""The versions of applications, each with its campaign and the run that pages show."""

from datetime import UTC, datetime

import pytest

from modeling.models import ModelRun, ReleaseRules
from modeling.selectors.versions.standings import Standing, standings, standings_of
from tests.factories import POINTS, make_application, make_campaign

pytestmark = pytest.mark.django_db


def make_shown(campaign, modeler, *, shown=True):
    return ModelRun.objects.create(campaign=campaign, modeler=modeler, shown=shown)


def test_it_works():
    application = make_application()
    campaign = make_campaign(application, "1.0")
    run = make_shown(campaign, "evidence")
    (found,) = standings(application)
    version = campaign.version
    assert found == Standing(
        version.pk, "1.0", version.commit, version.position, version.created_at,
        campaign.machine, campaign.pk, run.pk,
    )  # fmt: skip
    assert found.machine.name == "cluster-a"


def test_a_version_measured_twice_stands_for_its_campaign_with_the_most_points():
    application = make_application()
    larger, smaller, latest = (make_campaign(application, "1.0") for _ in range(3))
    smaller.points = POINTS[:4]
    smaller.save()
    assert [found.campaign_id for found in standings(application)] == [latest.pk]
    latest.points = POINTS[:5]
    latest.save()
    assert [found.campaign_id for found in standings(application)] == [larger.pk]


def test_a_campaign_has_the_shown_run_of_several_or_none():
    application = make_application()
    campaign = make_campaign(application, "1.0")
    assert [found.run_id for found in standings(application)] == [None]
    run = make_shown(campaign, "evidence")
    make_shown(campaign, "regression", shown=False)
    assert [found.run_id for found in standings(application)] == [run.pk]


def test_versions_are_dated_by_their_commits():
    application = make_application()
    version = make_campaign(application, "1.0").version
    version.committed_at = datetime(2025, 3, 1, tzinfo=UTC)
    version.save()
    assert standings(application)[0].dated == version.committed_at


def test_each_application_has_its_own_versions_and_main_branch():
    one, other, empty = (make_application(slug=slug) for slug in ("one", "other", "empty"))
    ReleaseRules.objects.create(application=other, main_branch="trunk")
    for application in (one, other):
        for branch in ("main", "trunk", "fix"):
            version = make_campaign(application, f"{application.slug}-{application.versions.count()}").version
            version.branch = branch
            version.save()
    found = standings_of([one, other, empty])
    assert set(found) == {one.pk, other.pk}
    assert found[one.pk][2].baseline == found[one.pk][0].campaign_id
    assert found[other.pk][2].baseline == found[other.pk][1].campaign_id
