"""Parts of models as plain JSON."""

from typing import Any

from modeling.selectors.reports import content
from modeling.selectors.run.rows import ModelRow
from modeling.selectors.run.snapshot import Amount
from modeling.selectors.versions.standings import Standing


def amount_of(amount: Amount) -> content.Amount:
    """A prediction with its interval."""
    return {"predicted": amount.predicted, "lower": amount.lower, "upper": amount.upper}


def version_of(standing: Standing) -> content.Version:
    """A version by its names."""
    return {
        "label": standing.label,
        "commit": standing.commit,
        "dated": standing.dated.date().isoformat(),
    }


def law_of(row: ModelRow) -> content.Law:
    """A law as it is written down, without the draws and errors that it was stored with."""
    return {
        "points_used": row.points_used,
        "constant": row.constant,
        "coefficients": list(row.coefficients),
        "exponents": list(row.exponents),
        "segments": _segments(row.segments),
    }


def _segments(stored: dict[str, Any] | None) -> dict[str, Any] | None:
    """How many segments there are before the last one, and where each of them ends."""
    if not stored:
        return None
    earlier = [{"following": each["following"]} for each in stored["earlier"]]
    return {"parameter": stored["parameter"], "earlier": earlier}
