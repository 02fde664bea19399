"""The meaning of a change: whether it is for the worse or for the better."""

from enum import Enum

from modeling.models import Change


class Verdict(Enum):
    """Verdicts on a kernel, as the REST interface shows them. `WORSE` and `BETTER`: by a factor."""

    LAW_WORSE = "law_worse"
    WORSE = "slower"
    OVERHEAD_WORSE = "overhead_worse"
    LAW = "law"
    OVERHEAD = "overhead"
    UNKNOWN = "unknown"
    LAW_BETTER = "law_better"
    BETTER = "faster"
    OVERHEAD_BETTER = "overhead_better"
    SAME = "same"


VERDICTS = [each.value for each in Verdict]
"""All verdicts as the REST interface shows them."""
WORSENINGS = (Verdict.LAW_WORSE, Verdict.WORSE, Verdict.OVERHEAD_WORSE)
IMPROVEMENTS = (Verdict.LAW_BETTER, Verdict.BETTER, Verdict.OVERHEAD_BETTER)
EITHER = (Verdict.LAW, Verdict.OVERHEAD)
"""Verdicts on changes that may be for the worse or the better at the target."""

_OF_KIND: dict[str, tuple[Verdict, Verdict, Verdict]] = {
    Change.Kind.LAW: (Verdict.LAW_WORSE, Verdict.LAW_BETTER, Verdict.LAW),
    Change.Kind.OVERHEAD: (Verdict.OVERHEAD_WORSE, Verdict.OVERHEAD_BETTER, Verdict.OVERHEAD),
    Change.Kind.FACTOR: (Verdict.WORSE, Verdict.BETTER, Verdict.UNKNOWN),
}


def verdict(kind: str | None, ratio: float | None, *, lower_is_better: bool = True) -> Verdict:
    """Return the verdict on a change of this kind and ratio (after / before at the target).

    The kind is None if nothing changed. The ratio is None if the kernel may be better or worse.
    """
    if kind is None:
        return Verdict.SAME
    if kind == Change.Kind.UNKNOWN:
        return Verdict.UNKNOWN
    worse, better, either = _OF_KIND[kind]
    if ratio is None:
        return either
    return worse if (ratio > 1) == lower_is_better else better
