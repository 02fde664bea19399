"""What follows the comparison of a version that made a kernel worse."""

import pytest

from ingest.models import Campaign
from ingest.services.deleting import campaign_delete, version_delete
from modeling.models import Alert, AlertEvent, Comparison
from modeling.services.changes.comparisons import comparison_execute, comparison_request, comparisons_renew
from perfweb.accounts.models import Project
from tests.factories import make_project, make_user
from tests.modeling.services.alerts.versions import GOOD, HALF_REPAIRED, WORSE_HALO, compared, measured

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def worse(rows_of_module):
    """Measure, model and compare two versions once for all tests. The second one is worse."""
    project = make_project()
    measured(project, "1.0", GOOD)
    measured(project, "1.1", WORSE_HALO)


@pytest.fixture
def project(worse):
    return Project.objects.get()


def test_a_worse_law_opens_an_alert(project):
    alert = Alert.objects.get()
    assert (alert.kernel.path, alert.version.label, alert.verdict) == ("main->halo", "1.1", "law_worse")
    assert (alert.state, alert.improvement) == (Alert.State.NEW, False)
    assert alert.ratio_lower < alert.ratio < alert.ratio_upper
    assert alert.difference > 0
    assert 0 < alert.effect < 1


def test_new_numbers_are_stored_and_decisions_kept(project):
    campaign = Campaign.objects.get(version__label="1.1")
    Alert.objects.update(state=Alert.State.FIXING, note="on it", ratio=1.0)
    comparisons_renew(campaign)
    compared()
    alert = Alert.objects.get()
    assert (alert.state, alert.note) == (Alert.State.FIXING, "on it")
    assert alert.ratio > 2
    assert AlertEvent.objects.count() == 1


def test_an_alert_whose_change_is_gone_is_marked_as_fixed(project):
    campaign = Campaign.objects.get(version__label="1.1")
    series = campaign.series.get(kernel__path="main->halo")
    worse = series.values
    series.values = [0.5 + 0.001 * (place % 3) for place in range(len(worse))]
    series.save()
    comparisons_renew(campaign)
    compared()
    assert Alert.objects.get().state == Alert.State.FIXED
    series.values = worse
    series.save()
    comparisons_renew(campaign)
    compared()
    assert Alert.objects.get().state == Alert.State.NEW


def test_an_alert_is_marked_as_fixed_by_a_later_version(project):
    Alert.objects.update(state=Alert.State.ACKNOWLEDGED)
    measured(project, "1.2", WORSE_HALO)
    assert Alert.objects.get().state == Alert.State.ACKNOWLEDGED
    measured(project, "1.3", GOOD)
    alert = Alert.objects.get(version__label="1.1")
    assert (alert.state, alert.fixed_in.label) == (Alert.State.FIXED, "1.3")
    assert Alert.objects.get(version__label="1.3").improvement


def test_a_partial_repair_does_not_mark_an_alert_as_fixed(project):
    measured(project, "1.2", HALF_REPAIRED)
    assert Alert.objects.get(version__label="1.1").state == Alert.State.NEW
    measured(project, "1.3", GOOD)
    assert Alert.objects.get(version__label="1.1").state == Alert.State.FIXED


def test_versions_that_are_no_neighbours_open_no_alerts(project):
    first = Campaign.objects.get(version__label="1.0")
    last = measured(project, "1.2", WORSE_HALO)
    comparison_request(first, last)
    compared()
    assert [alert.version.label for alert in Alert.objects.all()] == ["1.1"]


def test_a_repeated_comparison_changes_nothing(project):
    comparison_execute(Comparison.objects.get())
    assert Alert.objects.count() == AlertEvent.objects.count() == 1


def test_an_alert_is_open_again_if_the_version_that_fixed_it_is_deleted(project):
    campaign_delete(campaign=measured(project, "1.2", GOOD), user=make_user())
    alert = Alert.objects.get(version__label="1.1")
    assert (alert.state, alert.fixed_in) == (Alert.State.NEW, None)


def test_alerts_are_deleted_with_the_campaign_and_raised_for_the_next_version(project):
    worse = Campaign.objects.get(version__label="1.1")
    measured(project, "1.2", WORSE_HALO)
    campaign_delete(campaign=worse, user=make_user())
    assert not Alert.objects.exists()
    compared()
    assert Alert.objects.get().version.label == "1.2"


def test_a_later_version_takes_the_place_of_a_deleted_one_that_fixed_an_alert(project):
    fixing = measured(project, "1.2", GOOD)
    measured(project, "1.3", GOOD)
    version_delete(version=fixing.version, user=make_user())
    compared()
    alert = Alert.objects.get(version__label="1.1")
    assert (alert.state, alert.fixed_in.label) == (Alert.State.FIXED, "1.3")
