"""Model the portions of a run. A portion's models are stored together or not at all."""

import time
from collections import Counter

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from ingest.models import Campaign, Metric, Upload
from ingest.work import enqueue
from modeling.engine import ADAPTIVE_MODELER
from modeling.models import ModelRun, Portion, State
from modeling.services.models import fitting
from modeling.services.models.adapting import UnwantedError
from modeling.services.work.failures import KILLED, Entry, logged, noted
from modeling.services.work.time_limit import TimeLimitError, time_limit
from modeling.storage import model_rows

UNFINISHED = Portion.objects.filter(state=Portion.State.QUEUED, run__state=State.RUNNING).select_related(
    "metric", "run__campaign__version__application"
)

MOST_SECONDS = 60
"""Time limit of a portion in seconds, many times the expected time (`engine.portion_kernels`)."""

SECONDS_TO_ADAPT = 1000
"""Time limit in seconds of a portion that may first adapt a network."""

ATTEMPTS_WHOLE = 2
"""Attempts before a portion is split, because something else may have caused the first failure."""

ATTEMPTS_ALONE = 3
"""Attempts with a single kernel, which is then stored as failed."""

SPLIT_INTO = 8
"""Number of parts into which a portion is split. Splitting repeats down to single kernels."""

OF_ADAPTIVE = Q(run__modeler=ADAPTIVE_MODELER)
"""Selects the portions of the adaptive modeler, which has workers of its own."""


def portion_send(portion: Portion) -> None:
    """Enqueue a portion once the transaction that wrote it is committed."""
    enqueue(f"modeling.tasks.{'portion_adapt' if _adapts(portion) else 'portion_execute'}", portion)


def _adapts(portion: Portion) -> bool:
    return portion.run.modeler == ADAPTIVE_MODELER


def portion_execute(portion: Portion) -> None:
    """Model a portion's kernels and store the models. If this fails repeatedly, split the portion."""
    if portion.attempts >= (ATTEMPTS_WHOLE if len(portion.kernels) > 1 else ATTEMPTS_ALONE):
        _give_up(portion, portion.cause or KILLED)
        return
    begin = time.perf_counter()
    seconds = SECONDS_TO_ADAPT if _adapts(portion) else MOST_SECONDS
    Portion.objects.filter(pk=portion.pk).update(attempts=F("attempts") + 1, cause=KILLED)
    try:
        with time_limit(seconds):
            found = fitting.fitted(portion)
    except TimeLimitError:
        _give_up(portion, f"it took more than {seconds} seconds")
        return
    except UnwantedError:
        _set_back(portion)
        return
    _store(portion, found, begin)


def _set_back(portion: Portion) -> None:
    """Restart the portion's run if its campaign has grown. A cancelled run no longer exists."""
    with transaction.atomic():
        _held(portion)


def _give_up(portion: Portion, reason: str) -> None:
    """Split a portion that was not modelled. A single kernel is stored as failed."""
    if len(portion.kernels) == 1:
        _store(portion, fitting.failed(portion, reason), time.perf_counter())
        return
    with transaction.atomic():
        if not _held(portion):
            return
        pieces = [
            Portion(
                run=portion.run, metric_id=portion.metric_id, common=portion.common,
                kernels=portion.kernels[start::SPLIT_INTO], in_total=portion.in_total[start::SPLIT_INTO],
                leads=portion.leads and not start,
                state=Portion.State.HELD if portion.leads and start else Portion.State.QUEUED,
            )
            for start in range(min(SPLIT_INTO, len(portion.kernels)))
        ]  # fmt: skip
        Portion.objects.bulk_create(pieces)
        portion.delete()
    for piece in pieces:
        if piece.state == Portion.State.QUEUED:
            portion_send(piece)


def _store(portion: Portion, found: fitting.Fitted, begin: float) -> None:
    """Store all models of a portion, unless another worker did or the campaign has changed."""
    run = portion.run
    with transaction.atomic():
        if not _held(portion):
            return
        for columns in [*found.modelled, *([found.failed] if found.failed else [])]:
            model_rows.store(run, portion.metric_id, columns)
        portion.state, portion.failures = Portion.State.DONE, _entries(portion, found)
        portion.save(update_fields=["state", "failures"])
        if portion.leads:
            _release(portion, found)
        _progress(run, len(portion.kernels), time.perf_counter() - begin)
    if found.failures:
        logged(f"Modeling {portion.metric} of run {run.pk}", found.failures)


def all_done(run: ModelRun) -> bool:
    """Return whether no portion of a run is left to model."""
    return not run.portions.exclude(state=Portion.State.DONE).exists()


def _held(portion: Portion) -> bool:
    """Lock the portion, and return whether to store its models; restart the run if its campaign has grown."""
    if not Portion.objects.select_for_update().filter(pk=portion.pk, state=Portion.State.QUEUED).exists():
        return False
    run = portion.run
    if Campaign.objects.filter(pk=run.campaign_id, revision=run.revision).exists():
        return True
    # The run starts again once the campaign no longer grows.
    ModelRun.objects.filter(pk=run.pk, revision=run.revision).update(state=State.QUEUED)
    return False


def _release(portion: Portion, found: fitting.Fitted) -> None:
    """Release the metric's other portions, now that the properties that all kernels share are known."""
    held = portion.run.portions.filter(metric=portion.metric_id, state=Portion.State.HELD)
    released = list(held.select_for_update().order_by("pk"))  # largest portions first
    common = found.common.to_json() if found.common else None
    held.update(state=Portion.State.QUEUED, common=common, queued_at=timezone.now())
    for each in released:
        portion_send(each)


def _progress(run: ModelRun, kernels: int, seconds: float) -> None:
    """Store the run's progress. This comes last, because other portions wait for the locks on these rows."""
    rows = ModelRun.objects.filter(pk=run.pk)
    rows.update(series_done=F("series_done") + kernels, seconds=F("seconds") + seconds, adapting=None)
    done, total = rows.values_list("series_done", "series_total").get()
    uploads_of(run).update(progress=done / total)


def uploads_of(run: ModelRun) -> QuerySet[Upload]:
    """Return the uploads that are done when the run is done; none if pages do not show the run."""
    if not run.shown:
        return Upload.objects.none()
    return run.campaign.uploads.filter(state__in=[Upload.State.STORED, Upload.State.MODELING])


def _entries(portion: Portion, found: fitting.Fitted) -> list[Entry]:
    """Return the failures in the form of `ModelRun.failures`."""
    entries: list[Entry] = []
    if found.failures:
        metric = Metric.objects.values_list("name", flat=True).get(pk=portion.metric_id)
        for reason, count in Counter(failure.reason for failure in found.failures).items():
            entries = noted(entries, metric=metric, kernels=count, what="modelled", reason=reason)
    return entries
