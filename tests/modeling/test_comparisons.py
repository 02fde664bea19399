"""Campaigns compared with their neighbours in the history."""

import pytest

from ingest.work import MOST_ATTEMPTS
from modeling.models import Change, Comparison, ModelRun, State
from modeling.services.comparisons import comparison_request
from modeling.tasks import comparison_execute, run_execute
from tests.factories import make_project
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
def project():
    return make_project()


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


def test_a_law_a_factor_and_nothing_are_told_apart(comparison):
    kinds = dict(comparison.changes.values_list("kernel__path", "kind"))
    assert kinds == {"main->halo": Change.Kind.LAW, "main->sweep": Change.Kind.FACTOR}
    sweep = comparison.changes.get(kernel__path="main->sweep")
    assert sweep.ratio == pytest.approx(1.5, rel=0.1)
    assert sweep.ratio_lower < sweep.ratio < sweep.ratio_upper
    halo = comparison.changes.get(kernel__path="main->halo")
    assert halo.probability > 0.99
    assert halo.ratio > 20


def test_a_version_that_comes_between_is_compared_on_both_sides(comparison, project):
    between = modelled(project, "1.0.1", LAWS)
    # It has no date, so it came last; its place is told by the position alone.
    pairs = set(Comparison.objects.values_list("before__version__label", "after__version__label"))
    assert pairs == {("1.0", "1.1"), ("1.1", "1.0.1")}
    assert between.version.position == 2


def test_any_two_can_be_asked_for_and_only_once(comparison):
    assert comparison_request(comparison.before, comparison.after) == comparison
    backwards = comparison_request(comparison.after, comparison.before)
    assert backwards.state == State.QUEUED
    comparison_execute(backwards.pk)
    assert backwards.changes.get(kernel__path="main->sweep").ratio == pytest.approx(1 / 1.5, rel=0.1)


def test_a_broken_comparison_begins_anew_and_is_set_aside_at_last(comparison):
    Comparison.objects.update(state=State.RUNNING)
    comparison_execute(comparison.pk)
    assert comparison.changes.count() == 2
    Comparison.objects.update(state=State.RUNNING, attempts=MOST_ATTEMPTS)
    comparison_execute(comparison.pk)
    comparison.refresh_from_db()
    assert comparison.state == State.FAILED
