"""Convert parts of models to the JSON of a report."""

from typing import Any

from modeling.selectors.reports import content
from modeling.selectors.run.rows import ModelRow
from modeling.selectors.run.snapshot import Amount
from modeling.selectors.versions.standings import Standing


def amount_of(amount: Amount) -> content.Amount:
    """Return a prediction with its interval."""
    return {"predicted": amount.predicted, "lower": amount.lower, "upper": amount.upper}


def version_of(standing: Standing) -> content.VersionContent:
    """Return the names of a version."""
    return {
        "label": standing.label,
        "commit": standing.commit,
        "dated": standing.dated.date().isoformat(),
    }


def law_of(row: ModelRow) -> content.LawContent:
    """Return a law without the draws and errors that are stored with it."""
    return {
        "points_used": row.points_used,
        "constant": row.constant,
        "coefficients": list(row.coefficients),
        "exponents": list(row.exponents),
        "segments": _segments(row.segments),
    }


def _segments(stored: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the parameter of the segments, and the value that follows each segment but the last."""
    if not stored:
        return None
    earlier = [{"following": each["following"]} for each in stored["earlier"]]
    return {"parameter": stored["parameter"], "earlier": earlier}
