"""What a report tells about the version before."""

from collections import Counter
from typing import Any

from modeling.models import Change, Comparison
from modeling.selectors.reports import content
from modeling.selectors.reports.plain import law_of, version_of
from modeling.selectors.reports.subject import Subject
from modeling.selectors.run.rows import ModelRow
from modeling.selectors.run.snapshot import Snapshot
from modeling.selectors.versions.comparison import (
    ChangedKernel,
    Lone,
    changed_kernels,
    comparison_find,
    lone_kernels,
    shift_of,
)
from modeling.verdicts import Verdict, verdict

CHANGES = 60
"""Changed kernels that a report lists, some three pages of them; of more it tells the number."""


def comparison_content(
    subject: Subject, after: Snapshot, before: Snapshot | None
) -> content.Comparison | None:
    """The comparison with the version before; None where there is none to compare with."""
    if subject.before is None:
        return None
    found = comparison_find(subject.before.campaign_id, subject.version.campaign_id)
    part: content.Comparison = {
        "before": version_of(subject.before),
        "state": found.state if found else "",
        "error": found.error if found else "",
        "shift": None,
        "counts": {},
        "same": 0,
        "changes": [],
        "only": [],
        "elsewhere": {},
    }
    if found is None or before is None:
        return part
    changed = changed_kernels(found, subject.metric, before, after)
    gone, new = lone_kernels(before, after), lone_kernels(after, before)
    shift = shift_of(found, subject.metric)
    if shift:
        part["shift"] = {"ratio": shift.ratio, "lower": shift.lower, "upper": shift.upper}
    part["counts"] = _named(Counter(kernel.verdict for kernel in changed))
    part["same"] = len(after.rows) - new.count - len(changed)
    part["changes"] = [_change(kernel) for kernel in changed[:CHANGES]]
    part["only"] = [
        _only(label, lone) for label, lone in ((subject.before.label, gone), (subject.version.label, new))
    ]
    part["elsewhere"] = _elsewhere(subject, found)
    return part


def _change(kernel: ChangedKernel) -> content.Change:
    row = kernel.change
    return {
        "name": kernel.kernel.name,
        "path": kernel.kernel.path,
        "verdict": kernel.verdict.value,
        "probability": row.probability,
        "before": _law(kernel.before),
        "after": _law(kernel.after),
        "ratio": kernel.ratio,
        "lower": row.ratio_lower,
        "upper": row.ratio_upper,
        "difference": kernel.difference,
    }


def _law(row: ModelRow | None) -> content.Law | None:
    return law_of(row) if row else None


def _only(label: str, lone: Lone) -> content.Only:
    return {
        "label": label,
        "count": lone.count,
        "names": [name for name, _ in lone.named],
        "share": lone.share,
    }


def _elsewhere(subject: Subject, comparison: Comparison) -> dict[str, dict[str, int]]:
    """The counts of verdicts in the application's other metrics, by their names."""
    others = {metric.pk: metric for metric in subject.metrics if metric != subject.metric}
    rows: Any = Change.objects.filter(comparison=comparison, metric__in=list(others))
    counts: dict[str, Counter[Verdict]] = {metric.name: Counter() for metric in others.values()}
    for number, kind, ratio in rows.values_list("metric_id", "kind", "ratio"):
        metric = others[number]
        counts[metric.name][verdict(kind, ratio, lower_is_better=metric.lower_is_better)] += 1
    return {name: _named(found) for name, found in counts.items()}


def _named(counts: Counter[Verdict]) -> dict[str, int]:
    """Counts by the verdicts' values, worst first."""
    return {each.value: counts[each] for each in Verdict if counts[each]}
