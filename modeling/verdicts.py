"""The meaning of a change: whether it is for the worse or for the better.

Which kernels count as changed is decided in `modeling.engine.changes.verdict_threshold`.
"""

from enum import Enum

from modeling.models import Change


class Verdict(Enum):
    """Verdicts from the worst to the harmless; `WORSE` and `BETTER` are changes by a factor, in any
    metric.

    The values appear in the REST interface; their names are from a time when all metrics were times.
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
    """Return the verdict on a `Change` of this kind and ratio (after / before at the target); an empty
    kind means unchanged.

    The ratio of a changed law is None if its interval contains 1: neither better nor worse.
    """
    if kind is None:
        return Verdict.SAME
    if kind == Change.Kind.UNKNOWN or ratio is None:
        return Verdict.LAW if kind == Change.Kind.LAW else Verdict.UNKNOWN
    worse = (ratio > 1) == lower_is_better
    if kind == Change.Kind.LAW:
        return Verdict.LAW_WORSE if worse else Verdict.LAW_BETTER
    return Verdict.WORSE if worse else Verdict.BETTER
