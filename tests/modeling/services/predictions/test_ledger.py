"""The ledger of forecasts: a finished run records its forecasts, and a later measurement of the target scores
them.
"""

import numpy as np
import pytest

from ingest.models import Application, Target
from ingest.services.deleting import campaign_delete
from modeling.models import Change, Comparison, LedgerSummary, ModelRun, Prediction, State
from modeling.selectors.ledger.calibration import ledger_load, widening_at
from modeling.services.predictions.ledger import ledger_summarise
from modeling.tasks import application_retarget
from tests.factories import make_user
from tests.modeling.stored import PROCESSES, model, store

pytestmark = pytest.mark.django_db

LAWS = {"main->halo": lambda p: 0.1 * p, "main->sweep": lambda p: 2.0}


def stored(project, version, laws=LAWS, processes=PROCESSES, **more):
    return model(store(project, version, laws, processes, **more))


def aim(project, *values):
    """Set these targets, the first of them as the default, and update the runs."""
    application = Application.objects.get(project=project)
    application.targets.all().delete()
    for position, p in enumerate(values):
        Target.objects.create(application=application, name=str(p), values={"p": p}, position=position)
    application_retarget(application.pk)


def by_name(row, column):
    names = dict(row.application.kernels.values_list("pk", "path"))
    return {names[pk].split("->")[-1]: value for pk, value in zip(row.kernels, column, strict=True)}


def test_it_works(project):
    stored(project, "1.0")
    aim(project, 512)
    run = stored(project, "1.1")
    row = Prediction.objects.get(campaign=run.campaign)
    assert (row.point, row.distance, row.revision) == ([512], 8, 1)
    shown = {m.kernel.name: (m.predicted, m.lower, m.upper) for m in run.models.select_related("kernel")}
    columns = (by_name(row, each) for each in (row.predicted, row.lower, row.upper))
    found = {
        name: values for name, *values in zip(shown, *(column.values() for column in columns), strict=True)
    }
    assert {name: tuple(values) for name, values in found.items()} == shown
    assert row.scored_by is None


def test_a_later_version_scores_all_earlier_forecasts_of_its_target(project):
    stored(project, "1.0")
    aim(project, 512)
    stored(project, "1.1")
    last = stored(project, "1.2", LAWS | {"main->sweep": lambda p: 4.0}, (64, 128, 512))
    rows = list(Prediction.objects.filter(point=[512]))
    assert len(rows) == 2  # The last version has measured the target, so it makes no forecast for it.
    assert {row.scored_by_id for row in rows} == {last.campaign_id}
    assert by_name(rows[0], rows[0].measured) == pytest.approx({"halo": 51.2, "sweep": 4.0}, rel=0.02)


def test_earlier_versions_and_other_points_score_nothing(project):
    early, late = store(project, "1.0", LAWS, (64, 512)), store(project, "1.1", LAWS)
    model(early)
    aim(project, 512)
    model(late)
    stored(project, "1.2", LAWS, (64, 256, 1024))
    assert Prediction.objects.filter(campaign=late, scored_by=None).count() == 1


def test_the_order_in_which_runs_finish_does_not_matter(project):
    first, later = store(project, "1.0", LAWS), store(project, "1.1", LAWS, (64, 128, 512))
    model(later)
    aim(project, 512)
    model(first)
    assert Prediction.objects.get(campaign=first).scored_by == later


def test_forecasts_at_all_targets_are_recorded(project):
    run = stored(project, "1.0")
    aim(project, 512, 2048)
    said = {row.point[0]: by_name(row, row.predicted)["halo"] for row in Prediction.objects.all()}
    assert {512, 2048} <= set(said)
    assert said[512] == pytest.approx(51.2, rel=0.05)
    assert said[2048] == pytest.approx(204.8, rel=0.05)
    assert run.campaign.predictions.count() == Prediction.objects.count()


def test_modelling_again_keeps_recorded_forecasts(project):
    run = stored(project, "1.0")
    aim(project, 512)
    before = list(Prediction.objects.order_by("pk").values())
    ModelRun.objects.update(state=State.QUEUED, attempts=0)
    model(run.campaign)
    assert list(Prediction.objects.order_by("pk").values()) == before


def ledger(run):
    Comparison.objects.update(state=State.DONE)
    return ledger_load(run.campaign.version.application.metrics.get(), run.campaign.machine)


def test_calibration(project):
    stored(project, "1.0")
    aim(project, 512)
    assert (ledger(stored(project, "1.1")).all.count, ledger(ModelRun.objects.first()).waiting > 0) == (
        0,
        True,
    )
    found = ledger(stored(project, "1.2", LAWS | {"main->sweep": lambda p: 4.0}, (64, 128, 512)))
    assert [calibration.count for _, calibration in found.groups] == [4]
    # The target 512 is 8 times the largest measured value, so it belongs to the group that begins at 4 times.
    assert found.groups[0][0] == 4
    assert found.all.count == 4
    assert found.all.inside <= 0.5
    assert found.all.widening == 1  # Too few forecasts were scored to widen intervals.
    assert len(found.scored) == 2


def test_changed_kernels_do_not_score_forecasts(project):
    stored(project, "1.0")
    aim(project, 512)
    last = stored(project, "1.1", LAWS | {"main->sweep": lambda p: 4.0}, (64, 128, 512))
    comparison = Comparison.objects.get(after=last.campaign)
    Change.objects.create(
        comparison=comparison, kernel=last.models.get(kernel__path="main->sweep").kernel,
        metric=last.campaign.version.application.metrics.get(), kind="factor", probability=1, ratio=2,
    )  # fmt: skip
    assert ledger(last).all.count == 1


def test_without_comparisons_no_forecasts_are_scored(project):
    stored(project, "1.0")
    aim(project, 512)
    last = stored(project, "1.1", LAWS, (64, 128, 512))
    metric = last.campaign.version.application.metrics.get()
    assert ledger_load(metric, last.campaign.machine).all.count == 0
    assert ledger(last).all.count == 2


def test_a_summary_is_stored_for_pages(project):
    stored(project, "1.0")
    run = stored(project, "1.0", LAWS, (64, 512, 1024))
    metric, machine = run.campaign.version.application.metrics.get(), run.campaign.machine
    row = LedgerSummary.objects.get(metric=metric, machine=machine)
    assert {group["begin"] for group in row.groups} == {None, 4.0, 8.0}
    assert widening_at(row.groups, 8.0) is None


GROUPS = [
    {"begin": None, "count": 80, "inside": 0.8, "widening": 1.5},
    {"begin": 2.0, "count": 40, "inside": 0.6, "widening": 2.0},
    {"begin": 8.0, "count": 5, "inside": 0.2, "widening": 1.0},
]


@pytest.mark.parametrize(
    ("distance", "factor"), [(1.0, None), (2.0, 1.5), (2.1, 2.0), (4.0, 2.0), (4.1, 1.5), (9.0, 1.5)]
)
def test_intervals_are_widened_by_distance_if_there_are_enough_scores(distance, factor):
    found = widening_at(GROUPS, distance)
    assert (found and found.factor) == factor
    if found:
        assert found.interval(10, 5, 20) == pytest.approx((10 / 2**factor, 10 * 2**factor))
        assert found.interval(0, 0, 1) == (0, 1)


def test_forecasts_within_a_version_are_counted(project):
    stored(project, "1.0")
    last = stored(project, "1.0", LAWS, (64, 512, 1024))
    found = ledger(last)
    assert found.all.count >= 4
    assert {begin for begin, _ in found.groups} <= {4.0, 8.0}


def test_a_metric_that_was_not_measured_keeps_waiting(project):
    stored(project, "1.0", metrics=("time", "bytes"))
    aim(project, 512)
    stored(project, "1.1", LAWS, (64, 128, 512))
    rows = Prediction.objects.filter(point=[512])
    assert {row.metric.name: row.scored_by is None for row in rows} == {"time": False, "bytes": True}


def test_a_point_that_a_kernel_lacks_scores_the_others(project):
    stored(project, "1.0")
    aim(project, 512)
    stored(project, "1.1", LAWS, (64, 128, 256, 512), missing=frozenset({("main->halo", 512)}))
    row = Prediction.objects.get(point=[512])
    measured = by_name(row, row.measured)
    assert np.isnan(measured["halo"])
    assert measured["sweep"] == pytest.approx(2, rel=0.02)


def test_a_deleted_campaign_scores_nothing(project):
    stored(project, "1.0")
    aim(project, 512)
    stored(project, "1.1")
    Comparison.objects.update(state=State.DONE)
    last = stored(project, "1.2", LAWS, (64, 128, 512))
    Comparison.objects.update(state=State.DONE)
    ledger_summarise(last.campaign.version.application, last.campaign.machine)
    assert LedgerSummary.objects.get().groups
    campaign_delete(campaign=last.campaign, user=make_user())
    assert not LedgerSummary.objects.get().groups


def test_another_branch_scores_nothing(project):
    stored(project, "1.0")
    aim(project, 512)
    tried = stored(project, "try-1", LAWS | {"main->sweep": lambda p: 1.0})
    tried.campaign.version.branch = "try"
    tried.campaign.version.save()
    last = stored(project, "1.1", LAWS, (64, 128, 512))
    scored = dict(Prediction.objects.filter(point=[512]).values_list("campaign__version__label", "scored_by"))
    assert scored == {"1.0": last.campaign_id, "try-1": None}


def test_forecasts_of_the_program_are_scored(project):
    stored(project, "1.0")
    aim(project, 512)
    run = stored(project, "1.1")
    row = Prediction.objects.get(campaign=run.campaign)
    total = run.totals.get()
    assert (row.total, row.total_lower, row.total_upper) == (total.predicted, total.lower, total.upper)
    assert row.counted == [True, True]
    found = ledger(stored(project, "1.2", LAWS, (64, 128, 512)))
    program = found.scored[0].program
    assert program.predicted == row.total
    assert program.measured == pytest.approx(53.2, rel=0.02)
    assert abs(program.error) < 0.05


def test_a_program_with_a_changed_part_is_not_scored(project):
    stored(project, "1.0")
    aim(project, 512)
    last = stored(project, "1.1", LAWS | {"main->sweep": lambda p: 4.0}, (64, 128, 512))
    kernel = last.campaign.version.application.kernels.get(path="main->sweep")
    comparison = Comparison.objects.get(after=last.campaign)
    Change.objects.create(
        comparison=comparison, kernel=kernel, metric=last.models.first().metric, kind="factor", probability=1
    )
    assert [scored.program for scored in ledger(last).scored] == [None]


def test_forecasts_of_totals_exist_for_all_targets(project):
    stored(project, "1.0")
    aim(project, 512, 2048)
    totals = {row.point[0]: row.total for row in Prediction.objects.all()}
    assert totals[2048.0] == pytest.approx(206.8, rel=0.05)
