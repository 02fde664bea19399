"""A prediction's interval, widened by what the application's own forecasts missed."""

from dataclasses import dataclass

from ingest.models import Campaign
from modeling.selectors.kernel.curves import Estimate
from modeling.selectors.ledger.calibration import widening_load
from modeling.selectors.run.judged import Judged
from perfweb.portal.asked.focus import Focus


@dataclass(frozen=True)
class Widened:
    """The wider interval, and on how many scored values it rests, with the share that lay inside."""

    lower: float
    upper: float
    count: int
    inside: float


def widened(focus: Focus, campaign: Campaign, judged: Judged, prediction: Estimate | None) -> Widened | None:
    """The interval at the target as forecasts so far out would have needed it; None: it is wide enough."""
    if focus.metric is None or prediction is None or prediction.predicted is None:
        return None
    if prediction.lower is None or prediction.upper is None:
        return None
    found = widening_load(focus.metric, campaign.machine, judged.trust.distance)
    if found is None:
        return None
    ends = found.interval(prediction.predicted, prediction.lower, prediction.upper)
    return Widened(*ends, found.count, found.inside)
