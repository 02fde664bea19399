"""The explanation of a kernel's verdict: hypotheses, and the measurement that would decide."""

from collections.abc import Collection, Sequence

import numpy as np
from django.http import HttpRequest

from ingest.fields.ids import id_parse
from modeling.models import Change, Comparison
from modeling.selectors.alerts.explained import Hypothesis, hypotheses
from modeling.selectors.versions.comparison import points_shared
from modeling.selectors.versions.earlier import drift_versions
from modeling.selectors.versions.pairs import KernelPair, Pairs
from perfweb.portal.text import formatting


def why(request: HttpRequest, pairs: Pairs, comparison: Comparison | None) -> dict[str, object]:
    """Return the explanation for the kernel in ?why=; empty if the versions do not share this kernel."""
    asked = id_parse(request.GET.get("why", ""))
    if comparison is None or asked is None:
        return {}
    kernel = pairs.find(asked)
    if kernel is None or kernel.before is None or kernel.after is None:
        return {}
    before, after = pairs.before.snapshot.campaign, pairs.after.snapshot.campaign
    comparison.before, comparison.after = before, after  # so that they are not read again
    comparison.application = after.version.application
    return {
        "why": kernel,
        "hypotheses": _hypotheses(kernel.change),
        "drift_from": drift_versions(comparison),
        "shared": len(points_shared(before, after)),
        "measured": kernel.measured_ratio if pairs.same_largest else None,
        "settled_by": _settled_by(pairs, kernel),
    }


def _hypotheses(change: Change | None) -> list[Hypothesis]:
    """Return the hypotheses, or the two possible causes if only the cause of a difference is unknown."""
    if change is None or (change.kind == Change.Kind.UNKNOWN and change.ratio is None):
        return []
    if change.kind == Change.Kind.UNKNOWN:
        return [
            Hypothesis("the machine or another cause outside the kernel", 1.0 - change.probability),
            Hypothesis("another factor or another law", change.probability),
        ]
    return hypotheses(change.probability, change.law_probability, change.overhead_probability)


def _settled_by(pairs: Pairs, kernel: KernelPair) -> str:
    """Return the measurement that decides: both versions at twice the largest common point."""
    before, after = pairs.before.snapshot, pairs.after.snapshot
    common = points_shared(before.campaign, after.campaign)
    if not common:
        return (
            "The versions have no measured point in common. Measure one of them at the points of the other."
        )
    if kernel.change is not None and kernel.change.kind == Change.Kind.OVERHEAD:
        return _settled_below(common, after.campaign.parameters)
    point = 2 * np.max(np.array(common, float), axis=0)
    where = formatting.configuration(dict(zip(after.campaign.parameters, point.tolist(), strict=True)))
    text = f"It helps most to measure both versions at {where}, twice the largest values that they share."
    if kernel.change is None:
        return text
    laws = [
        side.snapshot.loaded.curves(point[None, :])[side.places[kernel.kernel_id], 0]
        for side in (pairs.before, pairs.after)
    ]
    if not all(np.isfinite(laws)) or laws[0] <= 0 or laws[1] <= 0:
        return text
    ratio = formatting.ratio(float(laws[1] / laws[0]))
    return (
        f"{text} If the law changed, after / before is expected to be {ratio} there; if only a "
        "factor changed, it is the same as at the measured points."
    )


def _settled_below(common: Collection[Sequence[float]], parameters: Sequence[str]) -> str:
    """Return the measurement for an overhead: the smallest common point, where a constant is most visible."""
    least = np.min(np.array(common, float), axis=0).tolist()
    where = formatting.configuration(dict(zip(parameters, least, strict=True)))
    return f"It helps most to repeat both versions at {where}, the smallest values that they share."
