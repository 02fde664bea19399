import numpy as np
import pytest

from modeling.models import Model, Total
from modeling.selectors.run import rows
from modeling.selectors.run.snapshot_loading import (
    runs_load,
    snapshot_load,
    snapshots_load,
    snapshots_of_runs,
)
from modeling.selectors.versions.comparison import crossover
from tests.factories import law_value, make_application, make_campaign, make_run
from tests.portal.stories import BAD_HALO, GOOD_HALO, laws

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    run = make_run(make_campaign(make_application(), "1.0"), laws())
    return runs_load([run.pk])[run.pk]


@pytest.fixture
def metric(run):
    return run.campaign.version.application.metrics.get()


def test_the_total_of_stored_predictions_is_the_stored_total(run, metric):
    stored, total = Total.objects.get(), snapshot_load(run, metric).total
    assert total.predicted == pytest.approx(stored.predicted)
    assert total.lower == pytest.approx(stored.lower)
    assert total.upper == pytest.approx(stored.upper)


def test_another_target_is_predicted_from_the_laws(run, metric):
    snapshot = snapshot_load(run, metric, {"p": 2048, "n": 1000})
    values = {row.kernel.path: value for row, value in zip(snapshot.rows, snapshot.predicted, strict=True)}
    assert values == pytest.approx({path: law_value(law, [2048, 1000]) for path, law in laws().items()})
    assert snapshot.beyond == {"p": 2.0}


def test_a_parameter_missing_in_the_target_has_its_largest_measured_value(run, metric):
    assert snapshot_load(run, metric, {"p": 2048}).target.tolist() == [2048, 4000]


@pytest.mark.parametrize("target", [{"p": 65536, "n": 8000}, {"p": 2048, "n": 1000}])
def test_the_predecessors_total_is_the_same_stored_or_computed(run, metric, target):
    snapshot = snapshot_load(run, metric, target)
    before = snapshot.before
    assert before.total == pytest.approx(snapshot.total.predicted)
    assert before.total_largest == pytest.approx(snapshot.total_largest)
    assert set(before.predicted) == {row.kernel_id for row in snapshot.rows}


def test_a_kernel_without_a_law_does_not_affect_the_total(run, metric):
    Model.objects.filter(kernel__path="main->setup").update(
        status="too few points", constant=None, predicted=None, lower=None, upper=None, largest=None
    )
    snapshot = snapshot_load(run, metric)
    known = [law_value(law, [65536, 8000]) for path, law in laws().items() if path != "main->setup"]
    assert snapshot.total.predicted == pytest.approx(sum(known))
    assert snapshot.total_largest is None


def test_versions_cross_where_their_laws_cross(run, metric):
    other = make_run(make_campaign(run.campaign.version.application, "1.1"), laws(BAD_HALO))
    after = snapshot_load(runs_load([other.pk])[other.pk], metric)
    found = crossover(snapshot_load(run, metric), after, "p", metric)
    assert found.worse_beyond
    near = [
        law_value(BAD_HALO, [p, 1]) - law_value(GOOD_HALO, [p, 1])
        for p in (found.value / 1.3, found.value * 1.3)
    ]
    assert near[0] < 0 < near[1]


def test_several_targets_are_predicted_as_each_alone(run, metric, django_assert_max_num_queries):
    targets = [{"p": 2048, "n": 1000}, run.target, {"p": 4096, "n": 2000}]
    alone = []
    for target in targets:
        rows._runs.clear()
        alone.append(snapshot_load(run, metric, target))
    rows._runs.clear()
    with django_assert_max_num_queries(2):  # one for the models, one for their posteriors
        together = snapshots_load(run, metric, targets)
    for one, other in zip(alone, together, strict=True):
        assert one.target.tolist() == other.target.tolist()
        for column in ("predicted", "lower", "upper"):
            np.testing.assert_array_equal(getattr(one, column), getattr(other, column))
    assert snapshot_load(run, metric, targets[2]) is together[2]


def test_portions_of_posteriors_are_read_with_one_query(run, metric, monkeypatch, django_assert_num_queries):
    targets = [{"p": 2048, "n": 1000}, {"p": 4096, "n": 2000}]
    points = np.array([[512.0, 4000]])
    whole = snapshots_load(run, metric, targets)
    curves = whole[0].curves(points)
    rows._runs.clear()
    monkeypatch.setattr(rows, "kernels_at_once", lambda campaign: 2)
    with django_assert_num_queries(2):  # the models and their posteriors
        portions = snapshots_load(run, metric, targets)
        again = portions[0].curves(points)  # the posteriors of the largest kernels were kept
    assert len(portions[0].rows) > 2
    np.testing.assert_array_equal(again, curves)
    for one, other in zip(whole, portions, strict=True):
        np.testing.assert_allclose(one.lower, other.lower)


def test_two_runs_are_read_together_as_each_alone(run, metric, monkeypatch, django_assert_num_queries):
    later = make_run(make_campaign(run.campaign.version.application, "1.1"), laws(BAD_HALO, more=2))
    runs = [runs_load([later.pk])[later.pk], run]  # not in the order of their ids
    targets = [{"p": 2048, "n": 1000}, run.target]
    alone = [snapshots_load(each, metric, targets) for each in runs]
    rows._runs.clear()
    monkeypatch.setattr(rows, "kernels_at_once", lambda campaign: 2)
    with django_assert_num_queries(2):  # the models and their posteriors
        together = snapshots_of_runs(runs, metric, targets)
    for one, other in zip(alone, together, strict=True):
        assert [row.kernel_id for row in one[0].rows] == [row.kernel_id for row in other[0].rows]
        for each, same in zip(one, other, strict=True):
            np.testing.assert_allclose(each.lower, same.lower)


def test_targets_are_predicted_even_if_there_is_no_room_to_keep_them(run, metric, monkeypatch):
    targets = [{"p": 2048, "n": 1000}, {"p": 4096, "n": 2000}]
    expected = [snapshot_load(run, metric, target).predicted.tolist() for target in targets]
    rows._runs.clear()
    monkeypatch.setattr(rows, "DERIVED_KEPT", 1)
    for _ in range(2):
        assert [each.predicted.tolist() for each in snapshots_load(run, metric, targets)] == expected


def test_the_total_without_its_interval_is_that_with_it(run, metric):
    for target in (None, {"p": 2048, "n": 1000}):
        snapshot = snapshot_load(run, metric, target)
        assert snapshot.predicted_total == snapshot.total.predicted
    Model.objects.update(constant=None, predicted=None, lower=None, upper=None)
    rows._runs.clear()
    assert snapshot_load(run, metric).predicted_total is None
