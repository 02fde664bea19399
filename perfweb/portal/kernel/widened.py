"""The interval of a prediction, widened according to the errors of the application's earlier forecasts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from modeling.selectors.kernel.curves import Estimate
from modeling.selectors.ledger.calibration import widening_at
from modeling.selectors.run.judged import Judged


@dataclass(frozen=True)
class Widened:
    """The wider interval, the number of scored values, and the share of them inside their intervals."""

    lower: float
    upper: float
    count: int
    inside: float


def widened(
    ledger: Sequence[Mapping[str, Any]], judged: Judged, prediction: Estimate | None
) -> Widened | None:
    """Return the interval, widened by the errors of earlier forecasts; None if that is not necessary."""
    if prediction is None or prediction.lower is None or prediction.upper is None:
        return None
    found = widening_at(ledger, float(judged.trust.distance[judged.number]))
    if found is None:
        return None
    ends = found.interval(prediction.predicted, prediction.lower, prediction.upper)
    return Widened(*ends, found.count, found.inside)
