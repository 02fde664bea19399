"""The comparison of two versions, when it is finished and when it is repeated."""

import pytest

from ingest.work import MOST_ATTEMPTS
from modeling.models import Change, Comparison, Model, ModelRun, State
from modeling.services.changes import comparisons
from modeling.services.changes.comparisons import comparison_request
from modeling.tasks import comparison_execute
from tests.factories import make_project
from tests.modeling.stored import modelled

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


@pytest.fixture(scope="module")
def finished(rows_of_module):
    """Compare two versions once for all tests."""
    project = make_project()
    modelled(project, "1.0", LAWS)
    modelled(project, "1.1", AFTER)
    comparison = Comparison.objects.get()
    comparison_execute(comparison.pk)
    return comparison.pk


@pytest.fixture
def comparison(finished):
    return Comparison.objects.get(pk=finished)


def test_a_campaign_is_compared_with_its_predecessor(comparison):
    assert (comparison.before.version.label, comparison.after.version.label) == ("1.0", "1.1")
    assert (comparison.state, comparison.error) == (State.DONE, "")


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


def test_a_version_inserted_between_two_is_compared_with_both(comparison):
    between = modelled(comparison.after.version.application.project, "1.0.1", LAWS)
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
