"""The part of a report that compares with the previous version."""

from collections import Counter
from collections.abc import Iterable

from modeling.models import Change
from modeling.selectors.reports import content
from modeling.selectors.reports.plain import law_of, version_of
from modeling.selectors.reports.subject import Subject
from modeling.selectors.run.rows import ModelRow
from modeling.selectors.run.snapshot import Snapshot
from modeling.selectors.versions.comparison import changes_by_kernel, changes_of, comparison_with_shift
from modeling.selectors.versions.pairs import CHANGED, Group, KernelPair, Pairs, Side
from modeling.verdicts import Verdict, verdict

CHANGES = 60
"""Limit on the listed changed kernels, about three pages. Others are only counted."""

LONE_NAMED = 10
"""Limit on the named kernels that only one version has."""


def comparison_content(
    subject: Subject, after: Snapshot, before: Snapshot | None
) -> content.ComparisonContent | None:
    """Return the comparison with the previous version; None if there is none."""
    if subject.before is None:
        return None
    found, shift = comparison_with_shift(
        subject.before.campaign_id, subject.version.campaign_id, subject.metric
    )
    part: content.ComparisonContent = {
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
    aliases = subject.aliases
    rows = changes_of(found)
    changes = changes_by_kernel([row for row in rows if row.metric_id == subject.metric.pk], aliases)
    pairs = Pairs(Side.of(before, aliases), Side.of(after, aliases), subject.metric, changes)
    if shift:
        part["shift"] = {
            "ratio": shift.ratio, "lower": shift.lower, "upper": shift.upper, "growth": shift.growth,
        }  # fmt: skip
    changed = pairs.select({*CHANGED, Group.UNKNOWN})
    verdicts = pairs.verdicts
    part["same"] = verdicts.pop(Verdict.SAME, 0)
    part["counts"] = _named(verdicts)
    part["changes"] = [_change(pairs.pair(at)) for at in changed[:CHANGES]]
    part["only"] = [
        _only(subject.before.label, pairs, Group.GONE, before),
        _only(subject.version.label, pairs, Group.NEW, after),
    ]
    part["elsewhere"] = _elsewhere(subject, rows)
    return part


def _change(pair: KernelPair) -> content.ChangeContent:
    row = pair.change
    return {
        "name": pair.name,
        "path": pair.path,
        "verdict": pair.verdict.value if pair.verdict else "",
        "probability": row.probability if row else 0.0,
        "before": _law(pair.before),
        "after": _law(pair.after),
        "ratio": pair.ratio,
        "lower": row.ratio_lower if row else None,
        "upper": row.ratio_upper if row else None,
        # “Slower” beside a time saved would confuse readers, who cannot ask why.
        "difference": None if pair.contradicted else pair.difference,
    }


def _law(row: ModelRow | None) -> content.LawContent | None:
    return law_of(row) if row else None


def _only(label: str, pairs: Pairs, group: Group, snapshot: Snapshot) -> content.Only:
    """Return the kernels that only one version has: number, largest names, and share of its total."""
    lone = [pairs.pair(at) for at in pairs.select({group})]
    counted = [pair for pair in lone if pair.latest.counts_to_total]
    cost = sum(abs(pair.difference or 0.0) for pair in counted)
    total = snapshot.predicted_total
    return {
        "label": label,
        "count": len(lone),
        "names": [pair.name for pair in lone[:LONE_NAMED]],
        "share": cost / total if total else None,
    }


def _elsewhere(subject: Subject, changes: Iterable[Change]) -> dict[str, dict[str, int]]:
    """Return the counts of verdicts in the application's other metrics, by the metrics' names."""
    others = {metric.pk: metric for metric in subject.metrics if metric != subject.metric}
    counts: dict[str, Counter[Verdict]] = {metric.name: Counter() for metric in others.values()}
    for row in changes:
        if metric := others.get(row.metric_id):
            found = verdict(row.kind, row.ratio, lower_is_better=metric.lower_is_better)
            counts[metric.name][found] += 1
    return {name: _named(found) for name, found in counts.items()}


def _named(counts: Counter[Verdict]) -> dict[str, int]:
    """Return counts by values of verdicts, in the order of `Verdict`."""
    return {each.value: counts[each] for each in Verdict if counts[each]}
