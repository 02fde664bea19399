"""A prediction's interval, widened by what the application's own forecasts missed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from modeling.selectors.kernel.curves import Estimate
from modeling.selectors.ledger.calibration import widening_at
from modeling.selectors.run.judged import Judged


@dataclass(frozen=True)
class Widened:
    """The wider interval, and on how many scored values it rests, with the share that lay inside."""

    lower: float
    upper: float
    count: int
    inside: float


def widened(
    ledger: Sequence[Mapping[str, Any]], judged: Judged, prediction: Estimate | None
) -> Widened | None:
    """The interval at the target as forecasts so far out would have needed it; None: it is wide enough."""
    if prediction is None or prediction.lower is None or prediction.upper is None:
        return None
    found = widening_at(ledger, judged.trust.distance)
    if found is None:
        return None
    ends = found.interval(prediction.predicted, prediction.lower, prediction.upper)
    return Widened(*ends, found.count, found.inside)
