"""The subject of a gate: a version, the version before it, and what is still missing for a verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from django.contrib.postgres.aggregates import JSONBAgg
from django.db.models import Exists, JSONField, Q, QuerySet, Subquery, Value
from django.db.models.functions import JSONObject

from ingest.models import WAITING, Application, Machine, Upload
from modeling.models import UNFINISHED, Comparison, Expectation, ModelRun, State
from modeling.selectors.run.snapshot_loading import runs_load
from modeling.selectors.versions.standings import Standing, baseline_of, line_of

Growth = Sequence[Mapping[str, Any]]
"""Powers of parameters, as `Shift.growth` stores them."""


class SharedFactor(NamedTuple):
    """The factor that most kernels share: after / before, its 95 % interval, and its growth."""

    ratio: float
    lower: float
    upper: float
    growth: Growth


class NotMeasuredError(LookupError):
    """A version, or a version on a machine, has no measurements."""


class NotComparableError(ValueError):
    """Two versions cannot be compared."""


class NotComparedError(LookupError):
    """The comparison of two versions was never requested."""


@dataclass(frozen=True)
class GateSubject:
    """A version, and the version with which it is compared; None for the first on its machine.

    `waiting` is unfinished work, `failed` work that will never be finished. `shared` are the shared factors,
    by metric, that differ from 1 or depend on parameters.
    """

    application: Application
    after: Standing
    before: Standing | None
    run: ModelRun | None
    run_before: ModelRun | None
    comparison: Comparison | None
    waiting: tuple[str, ...]
    failed: tuple[str, ...]
    shared: Mapping[int, SharedFactor] = field(default_factory=dict)

    @property
    def machine(self) -> Machine:
        """Return the machine on which both versions were measured."""
        return self.after.machine


def standing_asked(ordered: Sequence[Standing], label: str, machine: str) -> Standing:
    """Return the measurements of a version on a machine. An empty label or machine means the latest.

    Raises:
        NotMeasuredError: there is no such version, or it was not measured on the machine.
    """
    found = [s for s in ordered if label in ("", s.label) and machine in ("", s.machine.name)]
    if not found:
        where = f" on “{machine[:80]}”" if machine else ""
        which = f"version “{label[:80]}”" if label else "version"
        raise NotMeasuredError(f"There is no measured {which}{where}.")
    return max(found, key=lambda standing: (standing.position, standing.campaign_id))


def standing_before(ordered: Sequence[Standing], after: Standing, label: str) -> Standing | None:
    """Return the version with this label on the same machine, by default the baseline.

    Returns None for the first version.

    Raises:
        NotMeasuredError: there is no such version.
        NotComparableError: the label is that of `after` itself, or of a version on other machines.
    """
    line = line_of(ordered, after.machine)
    if not label:
        return baseline_of(line, after)
    if label == after.label:
        raise NotComparableError("A version is compared with another one.")
    found = next((s for s in line if s.label == label), None)
    if found is not None:
        return found
    elsewhere = sorted({s.machine.name for s in ordered if s.label == label})
    if not elsewhere:
        raise NotMeasuredError(f"There is no measured version “{label[:80]}” (before).")
    raise NotComparableError(
        f"Versions are compared on one machine; “{label[:80]}” was measured on {', '.join(elsewhere)} and "
        f"{after.label} on {after.machine.name}."
    )


def subject_load(application: Application, after: Standing, before: Standing | None) -> GateSubject:
    """Return the subject with the runs and the comparison of two versions, and what is missing.

    Raises:
        NotComparedError: the comparison of the two versions was not requested.
    """
    runs = runs_load(run for run in (after.run_id, before and before.run_id) if run)
    run, earlier = runs.get(after.run_id or 0), runs.get(before.run_id or 0) if before else None
    comparison, work = _compared(application, before, after)
    waiting = [*_uploads(work, after.label), *_modelling(after, run)]
    if before is not None:
        waiting += _modelling(before, earlier)
    if before is not None and comparison is None and not waiting:
        raise NotComparedError(
            f"Nobody has compared {before.label} with {after.label} on {after.machine.name} yet."
        )
    if comparison is not None and comparison.state in UNFINISHED:
        waiting.append(f"{comparison_name(before, after)} is under way.")
    if run is not None and not waiting and _behind(work, run):
        waiting.append(f"{after.label} is being compared with the expectations.")
    failed = [_failure(each) for each in (run, earlier) if each and each.state == State.FAILED]
    if comparison is not None and comparison.error:
        failed.append(f"{comparison_name(before, after)} failed: {comparison.error}")
    return GateSubject(
        application, after, before, run, earlier, comparison, tuple(waiting), tuple(failed), work.shared
    )


def comparison_name(before: Standing | None, after: Standing) -> str:
    """Return the comparison of two versions in words, as the subject of a sentence."""
    return f"The comparison of {before.label if before else 'nothing'} with {after.label}"


def uploads_waiting(application: Application, label: str) -> bool:
    """Return whether files of a version are being read, collected or modelled."""
    return _work(application, label).uploads


class _Work(NamedTuple):
    """What one query reads: unfinished uploads, time of the newest expectation, shared factors."""

    uploads: bool
    expected: datetime | None
    shared: Mapping[int, SharedFactor] = MappingProxyType({})


def _compared(
    application: Application, before: Standing | None, after: Standing
) -> tuple[Comparison | None, _Work]:
    """Return the comparison of two versions, None if not requested, and the later version's `_Work`."""
    if before is not None:
        found = (
            Comparison.objects.filter(before=before.campaign_id, after=after.campaign_id)
            .annotate(
                uploading=Exists(_unread(application, after.label)),
                latest=_newest(application),
                factors=_factors(),
            )
            .first()
        )
        if found is not None:
            shared = {row.pop("metric"): SharedFactor(**row) for row in found.factors}
            return found, _Work(found.uploading, found.latest, shared)
    return None, _work(application, after.label)


def _work(application: Application, label: str) -> _Work:
    """Return the `_Work` of a version, without shared factors, with one query."""
    row = Application.objects.filter(pk=application.pk).annotate(
        uploading=Exists(_unread(application, label)), latest=_newest(application)
    )
    return _Work(*row.values_list("uploading", "latest").get())


def _factors() -> JSONBAgg:
    """Return an expression for the shared factors that differ from 1 or depend on parameters, by metric."""
    row = JSONObject(
        metric="shifts__metric", ratio="shifts__ratio", lower="shifts__lower", upper="shifts__upper",
        growth="shifts__growth",
    )  # fmt: skip
    none = Q(shifts__lower__lte=1, shifts__upper__gte=1, shifts__growth=[])
    some = Q(shifts__isnull=False) & ~none
    return JSONBAgg(row, filter=some, default=Value([], JSONField()))


def _unread(application: Application, label: str) -> QuerySet[Upload]:
    """Return the files of a version that are being read, collected or modelled."""
    return Upload.objects.filter(
        project=application.project_id, application_slug=application.slug, version_label=label,
        state__in=WAITING, dry_run=False,
    )  # fmt: skip


def _newest(application: Application) -> Subquery:
    """Return a subquery for the time of the application's newest expectation."""
    expectations = Expectation.objects.filter(application=application).order_by("-created_at")
    return Subquery(expectations.values("created_at")[:1])


def _uploads(work: _Work, label: str) -> list[str]:
    return [f"Files of {label} are still being read or modelled."] * work.uploads


def _behind(work: _Work, run: ModelRun) -> bool:
    """Return whether a finished run has not been compared with all expectations (see `runs_behind`)."""
    if run.state != State.DONE or work.expected is None:
        return False
    return run.expected_at is None or run.expected_at < work.expected


def _modelling(standing: Standing, run: ModelRun | None) -> list[str]:
    if run is None:
        return [f"{standing.label} waits to be modelled."]
    if run.state not in UNFINISHED:
        return []
    return [f"{standing.label} is being modelled: {run.series_done:,} of {run.series_total:,} series."]


def _failure(run: ModelRun) -> str:
    return f"Modelling {run.campaign.version.label} failed: {run.error}"
