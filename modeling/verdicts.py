"""What a change means: the same rows read as better or worse."""

from enum import Enum

from modeling.models import Change


class Verdict(Enum):
    """From the worst to the harmless; `WORSE` and `BETTER` are by a factor, of whatever metric.

    The values are what programs are told over REST; they were named when all metrics were times.
    """

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


WORSENINGS = (Verdict.LAW_WORSE, Verdict.WORSE, Verdict.OVERHEAD_WORSE)
IMPROVEMENTS = (Verdict.LAW_BETTER, Verdict.BETTER, Verdict.OVERHEAD_BETTER)
EITHER = (Verdict.LAW, Verdict.OVERHEAD)
"""What may be worse or better at the target."""

_OF_KIND = {
    Change.Kind.LAW: (Verdict.LAW_WORSE, Verdict.LAW_BETTER, Verdict.LAW),
    Change.Kind.OVERHEAD: (Verdict.OVERHEAD_WORSE, Verdict.OVERHEAD_BETTER, Verdict.OVERHEAD),
    Change.Kind.FACTOR: (Verdict.WORSE, Verdict.BETTER, Verdict.UNKNOWN),
}


def verdict(kind: str | None, ratio: float | None, *, lower_is_better: bool = True) -> Verdict:
    """The verdict on a `Change` of this kind and ratio (after / before at the target); no kind: the same.

    The ratio of a changed law or overhead is None where its interval holds 1: neither better nor worse.
    """
    if kind is None:
        return Verdict.SAME
    if kind == Change.Kind.UNKNOWN:
        return Verdict.UNKNOWN
    worse, better, either = _OF_KIND[Change.Kind(kind)]
    if ratio is None:
        return either
    return worse if (ratio > 1) == lower_is_better else better
