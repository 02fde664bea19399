"""What a change means: the same rows read as better or worse."""

from enum import Enum

from modeling.models import Change


class Verdict(Enum):
    """From the worst to the harmless; `WORSE` and `BETTER` are by a factor, of whatever metric.

    The values are what programs are told over REST; they were named when all metrics were times.
    """

    LAW_WORSE = "law_worse"
    WORSE = "slower"
    LAW = "law"
    UNKNOWN = "unknown"
    LAW_BETTER = "law_better"
    BETTER = "faster"
    SAME = "same"


IMPROVEMENTS = (Verdict.LAW_BETTER, Verdict.BETTER)


def verdict(kind: str | None, ratio: float | None, *, lower_is_better: bool = True) -> Verdict:
    """The verdict on a `Change` of this kind and ratio (after / before at the target); no kind: the same.

    The ratio of a changed law is None where its interval holds 1: neither better nor worse.
    """
    if kind is None:
        return Verdict.SAME
    if kind == Change.Kind.UNKNOWN or ratio is None:
        return Verdict.LAW if kind == Change.Kind.LAW else Verdict.UNKNOWN
    worse = (ratio > 1) == lower_is_better
    if kind == Change.Kind.LAW:
        return Verdict.LAW_WORSE if worse else Verdict.LAW_BETTER
    return Verdict.WORSE if worse else Verdict.BETTER
