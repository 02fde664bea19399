"""Build the content of a report from the present models."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingest.models import Campaign, Metric
from modeling.models import UNFINISHED, ModelRun
from modeling.selectors.application.overview import efficiency_of, kernels_by_cost, unknown_share
from modeling.selectors.reports import content
from modeling.selectors.reports.changes import comparison_content
from modeling.selectors.reports.circumstances import alerts_content, environment_content, noise_content
from modeling.selectors.reports.plain import amount_of, law_of, version_of
from modeling.selectors.reports.subject import Place, Subject
from modeling.selectors.run.efficiency import Efficiency
from modeling.selectors.run.failures import failures_of
from modeling.selectors.run.metrics import adds_up
from modeling.selectors.run.shares import shares_along
from modeling.selectors.run.snapshot import Snapshot
from modeling.selectors.run.snapshot_loading import runs_load, snapshots_of_runs
from modeling.selectors.versions.standings import Standing
from modeling.selectors.versions.totals import course, totals_of
from modeling.storage import arrays
from modeling.verdicts import Verdict

TOP = 10
"""Kernels per target. With ten, three targets mostly fit on half a page."""

COURSE = 24
"""Limit on the versions in the chart of the totals."""


@dataclass(frozen=True)
class Side:
    """A version's model run, with its predictions at all targets of the report."""

    run: ModelRun
    snapshots: tuple[Snapshot, ...]

    @property
    def campaign(self) -> Campaign:
        """Return the modelled campaign, with its version."""
        return self.run.campaign


def report_content(subject: Subject, *, with_course: bool = True) -> content.Content | None:
    """Return the content of a report; None if the version has no models in this metric yet.

    The totals of earlier versions take a query of their own. Without `with_course` there are none of them.
    """
    wanted = [each.run_id for each in (subject.version, subject.before) if each and each.run_id]
    runs = runs_load(wanted)
    run = runs.get(subject.version.run_id or 0)
    if run is None or run.state in UNFINISHED:
        return None
    places = subject.configurations(run.campaign)
    earlier = runs.get(subject.before.run_id or 0) if subject.before else None
    comparable = earlier is not None and earlier.campaign.parameters == run.campaign.parameters
    both = [run, earlier] if earlier and comparable else [run]
    snapshots = snapshots_of_runs(both, subject.metric, [place.values for place in places])
    after, *before = map(Side, both, snapshots)
    if not after.snapshots[0].rows:
        return None
    line = subject.line[-COURSE:] if with_course else ()
    return _content(subject, places, after, before[0] if before else None, line)


def _content(
    subject: Subject, places: Sequence[Place], after: Side, before: Side | None, line: Sequence[Standing]
) -> content.Content:
    run, metric, main = after.run, subject.metric, min(1, len(places) - 1)
    comparison = comparison_content(
        subject, after.snapshots[main], before.snapshots[main] if before else None
    )
    efficiencies = [_efficiency(subject, snapshot) for snapshot in after.snapshots]
    return {
        "layout": content.LAYOUT,
        "application": subject.application.name,
        "version": version_of(subject.version),
        "machine": subject.version.machine.name,
        "metric": {"name": metric.name, "unit": metric.unit, "lower_is_better": metric.lower_is_better},
        "adds_up": adds_up(metric),
        "engine": run.engine_version,
        "modeler": run.modeler,
        "modelled_at": run.finished_at.isoformat() if run.finished_at else None,
        "points": len(run.campaign.points),
        "kernel_count": len(after.snapshots[0].rows),
        "parameters": _parameters(subject, run.campaign),
        "main": main,
        "targets": [_target(place, at, after, before, efficiencies[at]) for at, place in enumerate(places)],
        "efficiency": _efficiency_kind(subject, run.campaign, efficiencies),
        "kernels": _kernels(subject, after, before, comparison, main),
        "overlapping": not after.snapshots[0].counted.all(),
        "comparison": comparison,
        "alerts": alerts_content(subject),
        "noise": noise_content(after.snapshots[0]),
        "environment": environment_content(run.campaign, before.campaign if before else None),
        "missing": [failure["message"] for failure in failures_of(run)],
        "lawless": sum(row.constant is None for row in after.snapshots[0].rows),
        "course": _course(metric, line),
    }


def _parameters(subject: Subject, campaign: Campaign) -> list[content.ParameterContent]:
    """Return the parameters in the campaign's order, which is also the order of the laws' exponents."""
    rows = {row.name: row for row in subject.parameters}
    return [
        {"name": name, "role": rows[name].role, "unit": rows[name].unit, "values": values}
        for name, values in campaign.measured_values().items()
    ]


def _target(
    place: Place, at: int, after: Side, before: Side | None, efficiency: Efficiency | None
) -> content.TargetContent:
    snapshot = after.snapshots[at]
    total = snapshot.total
    earlier = before.snapshots[at].predicted_total if before else None
    names = snapshot.campaign.parameters
    return {
        "name": place.name,
        "values": dict(zip(names, snapshot.target.tolist(), strict=True)),
        "beyond": snapshot.beyond,
        "total": amount_of(total),
        "measured": snapshot.total_largest if at == 0 else None,
        "before": earlier,
        "ratio": total.predicted / earlier if total.predicted is not None and earlier else None,
        "unknown": unknown_share(snapshot),
        "efficiency": _efficiency_amount(efficiency),
    }


def _efficiency_amount(efficiency: Efficiency | None) -> content.Amount | None:
    if efficiency is None:
        return None
    return {"predicted": efficiency.at_target, "lower": efficiency.lower, "upper": efficiency.upper}


def _efficiency(subject: Subject, snapshot: Snapshot) -> Efficiency | None:
    axis = subject.axis(snapshot.campaign)
    if axis is None or not adds_up(subject.metric):
        return None
    shares = shares_along(snapshot, axis.name)
    return efficiency_of(snapshot, axis, subject.metric, shares) if shares else None


def _efficiency_kind(
    subject: Subject, campaign: Campaign, found: Sequence[Efficiency | None]
) -> content.EfficiencyContent | None:
    """Return the kind of efficiency, and the number of processes where it falls below one half."""
    axis = subject.axis(campaign)
    known = [efficiency for efficiency in found if efficiency]
    if axis is None or not known:
        return None
    last = known[-1]
    return {"parameter": axis.name, "strong": last.strong, "base": last.base, "below_half": last.below_half}


def _kernels(
    subject: Subject,
    after: Side,
    before: Side | None,
    comparison: content.ComparisonContent | None,
    main: int,
) -> list[content.KernelContent]:
    """Return the most expensive kernels of each target and those in `subject.paths`, by cost."""
    rows, lower_is_better = after.snapshots[main].rows, subject.metric.lower_is_better
    chosen = {
        at
        for snapshot in after.snapshots
        for at in kernels_by_cost(snapshot, constants=True, lower_is_better=lower_is_better)[:TOP]
    }
    chosen |= {at for at, row in enumerate(rows) if row.path in subject.paths}
    cost = np.nan_to_num(after.snapshots[main].predicted)
    order = sorted(chosen, key=lambda at: (-cost[at] if lower_is_better else cost[at], rows[at].path))
    columns = [_at(snapshot, order) for snapshot in after.snapshots]
    changed = {change["path"]: change for change in comparison["changes"]} if comparison else {}
    places = before.snapshots[main].loaded.places if before else {}
    return [
        {
            "name": rows[at].name,
            "path": rows[at].path,
            "law": law_of(rows[at]),
            "at": [column[number] for column in columns],
            "verdict": _verdict(changed.get(rows[at].path), known=rows[at].kernel_id in places),
            "ratio": changed[rows[at].path]["ratio"] if rows[at].path in changed else None,
        }
        for number, at in enumerate(order)
    ]


def _verdict(change: content.ChangeContent | None, *, known: bool) -> str:
    """Return the verdict since the previous version; empty if the kernel was not compared."""
    if change is not None:
        return change["verdict"]
    return Verdict.SAME.value if known else ""


def _at(snapshot: Snapshot, order: Sequence[int]) -> list[content.At]:
    columns = [column.tolist() for column in snapshot.shares(order)]
    return [
        {
            "amount": amount_of(snapshot.amount(at)),
            "share": arrays.known(share),
            "share_lower": arrays.known(lower),
            "share_upper": arrays.known(upper),
        }
        for at, share, lower, upper in zip(order, *columns, strict=True)
    ]


def _course(metric: Metric, line: Sequence[Standing]) -> content.Course:
    """Return the totals of a line of versions, with one query; with none for an empty line."""
    found = course(line, metric, totals_of([each.run_id for each in line], [metric]))
    return {
        "labels": [each.label for each in line],
        "predicted": found.predicted,
        "lower": found.lower,
        "upper": found.upper,
    }
