"""Two campaigns held against each other, kernel by kernel."""

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from ingest.models import Campaign
from ingest.selectors import campaigns_current
from ingest.work import MOST_ATTEMPTS, enqueue
from modeling import arrays
from modeling.engine import compare
from modeling.models import Comparison, State
from modeling.selectors.targets import target_point, target_values


def neighbours_request(campaign: Campaign) -> None:
    """Compare a campaign with its predecessor version's, and its successor's with it."""
    line = campaigns_current(campaign.version.application, campaign.machine)
    if campaign not in line:
        return
    place = line.index(campaign)
    if place > 0:
        comparison_request(line[place - 1], campaign)
    if place + 1 < len(line):
        comparison_request(campaign, line[place + 1])


def comparison_request(before: Campaign, after: Campaign) -> Comparison:
    """Ask for a comparison; asking again changes nothing."""
    with transaction.atomic():
        comparison, made = Comparison.objects.get_or_create(
            before=before, after=after, defaults={"application": after.version.application}
        )
        if made:
            enqueue("modeling.tasks.comparison_execute", comparison)
    return comparison


def comparisons_renew(campaign: Campaign) -> None:
    """Compare a campaign that has changed with the same others once more."""
    _renew(Comparison.objects.filter(Q(before=campaign) | Q(after=campaign)))


def comparisons_move(campaign: Campaign) -> None:
    """Compare a campaign with its predecessors once more, at the target that has moved."""
    _renew(Comparison.objects.filter(after=campaign))


def _renew(stale: QuerySet[Comparison]) -> None:
    for comparison in stale:
        enqueue("modeling.tasks.comparison_execute", comparison)
    stale.update(state=State.QUEUED, attempts=0, error="", queued_at=timezone.now())


def comparison_execute(comparison: Comparison) -> None:
    """Compare all kernels that both campaigns have, and store those that differ or cannot be told."""
    comparison.attempts += 1
    comparison.state = State.RUNNING
    if comparison.attempts > MOST_ATTEMPTS:
        comparison.state = State.FAILED
        comparison.error = f"Set aside: begun {MOST_ATTEMPTS} times and never finished."
    comparison.save(update_fields=["state", "attempts", "error"])
    if comparison.state == State.FAILED:
        return
    with transaction.atomic():
        comparison.changes.all().delete()
        if comparison.before.parameters == comparison.after.parameters:
            for metric_id in _common_metrics(comparison):
                _compare_metric(comparison, metric_id)
        else:
            comparison.error = "The campaigns vary different parameters."
        # Where it was asked for once more meanwhile, what was found here is out of date already.
        if not Comparison.objects.filter(pk=comparison.pk, queued_at=comparison.queued_at).update(
            state=State.DONE, error=comparison.error, finished_at=timezone.now()
        ):
            transaction.set_rollback(True)


def _common_metrics(comparison: Comparison) -> list[int]:
    return sorted({*arrays.metrics_of(comparison.before)} & {*arrays.metrics_of(comparison.after)})


def _compare_metric(comparison: Comparison, metric_id: int) -> None:
    before = arrays.series_load(comparison.before, metric_id)
    after = arrays.series_load(comparison.after, metric_id)
    before, after = arrays.common_kernels(before, after)
    if not len(before.kernels):
        return
    target = target_point(target_values(comparison.after), comparison.after)
    changes = compare((before.points, before.values), (after.points, after.values), target=target)
    arrays.changes_store(comparison, metric_id, before.kernels, changes)
