"""Sentences about a law, next to its chart."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ingest.models import Campaign, Parameter
from modeling.engine import FAILED, FEW_VALUES, MISFIT, SEGMENTED, TOO_FEW_VALUES
from modeling.models import Forecast, Model
from modeling.selectors.kernel.curves import PointValues
from modeling.selectors.run.weighed import Weighed
from modeling.storage import arrays
from perfweb.portal.text import formatting, laws
from perfweb.portal.text.glossary import anchor
from perfweb.portal.text.lettering import isolated

_STATUS = {
    FEW_VALUES: "A parameter has fewer than five values, which hardly tell laws apart: the probabilities "
    "also reflect which laws are usual.",
    "no crossed points": "No point varies two parameters at once, so it is unknown whether their effects "
    "add or multiply.",
    TOO_FEW_VALUES: "No parameter has enough values for a law. This formula only describes the measured "
    "points.",
    "no data": "There is no measured value.",
    SEGMENTED: "",  # shown with the laws of the segments
    MISFIT: "The law misses the points to which it was fitted, so do not infer the growth from it. "
    "Predictions near the points start from the measured values.",
}

ONE_POINT = (
    "A law needs at least five values of a parameter. With a single point, versions can be compared at this "
    "point, but nothing can be predicted for other points."
)

Place = tuple[float, float, float]
"""The ends of a parameter's measured range, and the parameter's value at the target."""

UNMOVED = 0.01
"""Changes of the prediction below this share are not written as a ratio."""


@dataclass(frozen=True)
class Fact:
    """A line of "how far to trust it"; `help` is the anchor of its explanation."""

    term: str
    value: str
    help: str = ""


def law_sentence(
    model: Model,
    campaign: Campaign,
    parameters: Sequence[Parameter],
    found: Weighed | None = None,
    following: Collection[str] = (),
) -> SafeString:
    """Return how the law grows, in words: "Grows like p^(1/3) with processes p (81 %); …".

    Laws do not contain parameters that follow from others (`following`).
    """
    varied = [name for name in campaign.varied_parameters() if name not in following]
    if model.points_used == 1:
        return format_html("{}", ONE_POINT)
    if model.status == TOO_FEW_VALUES:
        among = " or ".join(varied or campaign.parameters)
        return format_html("There are too few values to know how it depends on {}.", among)
    leads = _leads(model, campaign, found)
    still = [
        f"{isolated(name)}{_chance(leads[name][2:])}"
        for name in varied
        if name in leads and not any(leads[name][:2])
    ]
    moving = [(name, lead) for name, lead in leads.items() if any(lead[:2])]
    if not moving:
        return format_html(
            "Does not depend on {} in the measured range{}.", " or ".join(still), _fixed(campaign)
        )
    parts = [
        (_verb(i), laws.growth(name, i, j), formatting.parameter(name, parameters), _chance(chance))
        for name, (i, j, *chance) in sorted(moving, key=lambda each: _verb(each[1][0]), reverse=True)
    ]
    grows = format_html_join(" and ", "{} {} with {}{}", parts)
    tail = f"; does not depend on {' or '.join(still)}" if still else ""
    return format_html("{}{}{}.", SafeString(grows[:1].upper() + grows[1:]), tail, _fixed(campaign))


def _verb(exponent: float) -> str:
    return "falls" if exponent < 0 else "grows"


def _leads(model: Model, campaign: Campaign, found: Weighed | None) -> dict[str, tuple[float, ...]]:
    """Return the exponents of each parameter's lead term, with their probability if it is known."""
    if found is not None:
        return dict(zip(campaign.parameters, found.formula, strict=True))
    pairs = zip(model.lead_exponents[::2], model.lead_exponents[1::2], strict=True)
    return dict(zip(campaign.parameters, pairs, strict=False))


def _chance(probability: Sequence[float]) -> str:
    return f" ({formatting.percent(probability[0])})" if probability else ""


def _fixed(campaign: Campaign) -> str:
    """Return the parameters that were never varied, as the end of a sentence; empty if there are none."""
    fixed = {name: values[0] for name, values in campaign.measured_values().items() if len(values) == 1}
    return f"; only {formatting.configuration(fixed)} was measured" if fixed else ""


def reservation(model: Model) -> str:
    """Return a reason to doubt the law; empty if there is none."""
    if model.status == FAILED:
        return f"This kernel could not be modelled. {model.reason}"
    if model.points_used == 1:
        return ""  # shown in place of the law
    return _STATUS.get(model.status, "" if model.status == "ok" else model.status)


def missing_points(campaign: Campaign, points: Sequence[PointValues]) -> str:
    """Return how many points the law does not use: not measured for this kernel, or only zeros."""
    missing = sum(not point.repetitions for point in points)
    zeros = sum(bool(point.repetitions) and not any(point.repetitions) for point in points)
    texts = [_points(campaign, missing, "not measured for this kernel")] if missing else []
    if 0 < zeros < len(points) - missing:
        texts.append(_points(campaign, zeros, "measured as 0; the law describes the other points"))
    return " ".join(texts)


def _points(campaign: Campaign, count: int, what: str) -> str:
    verb = "was" if count == 1 else "were"
    return f"{count} of the campaign's {campaign.point_count} points {verb} {what}."


def trust(
    model: Model,
    campaign: Campaign,
    measured: Sequence[Sequence[float]],
    places: Mapping[str, Place],
    forecasts: Sequence[Forecast],
) -> list[Fact]:
    """Return all measures of the quality of the law, the most informative first.

    `measured` are the points of this kernel, at least one. Without a target `places` is empty.
    """
    facts = []
    names = campaign.parameters
    if places:
        facts.append(Fact("Extrapolation at the target", distance(places), anchor("extrapolation")))
    facts.append(Fact("Forecasts scored", _forecasts(forecasts), anchor("forecasts")))
    if model.posterior is not None:
        facts.append(Fact("Law stays without one point", stability_text(model, campaign), "stability"))
    point = measured[arrays.largest_point(np.array(measured, float))]
    largest = formatting.configuration(dict(zip(names, point, strict=True)))
    percent = formatting.percent
    return [
        *facts,
        Fact(f"Error at {largest}, held out", percent(model.holdout_error), anchor("heldout")),
        Fact("Cross-validated error (SMAPE)", percent(model.cv_smape), anchor("cv_error")),
        Fact("Error in sample (SMAPE)", percent(model.smape), anchor("smape")),
        Fact("Mean relative error", percent(model.relative_error), anchor("relative-error")),
        Fact("R²", _r_squared(model.r_squared), anchor("r-squared")),
        Fact("Points used", f"{model.points_used} of {campaign.point_count}", anchor("points-used")),
        Fact("Degrees of freedom", str(model.degrees_of_freedom), anchor("degrees-of-freedom")),
    ]  # fmt: skip


def stability_text(model: Model, campaign: Campaign) -> str:
    """Return without how many single points the law stays the same, and the most influential point."""
    score, number = model.stability, model.weakest_point
    if score is None or number is None:
        return "not judged" if model.run.judged >= model.run.series_total else "being judged …"
    point = formatting.configuration(dict(zip(campaign.parameters, campaign.points[number], strict=True)))
    held = round(score * model.points_used)
    return f"in {held} of {model.points_used} cases; {_moved(model.weakest_ratio, point)}"


def _moved(ratio: float | None, point: str) -> str:
    """Return how the prediction at 4 times the largest values changes without its most influential point."""
    if ratio is not None and abs(ratio - 1) < UNMOVED:
        return f"the prediction changes by less than 1 %, even without {point}"
    if ratio is None or ratio >= 2:
        return f"without {point} it predicts {formatting.ratio(ratio)} as much"
    return (
        f"without {point} it predicts {formatting.percent(abs(ratio - 1))} {'more' if ratio > 1 else 'less'}"
    )


def _r_squared(value: float | None) -> str:
    """Return R² with four digits after the point, which hides rounding errors."""
    return formatting.number(value if value is None else round(value, 4), 4)


def distance(places: Mapping[str, Place]) -> str:
    """Return how far the target lies outside of the measured ranges: "64× beyond p = 1,024"."""
    parts = []
    for name, (low, high, place) in places.items():
        if place > high:
            end = formatting.configuration({name: high})
            parts.append(f"{formatting.ratio(place / high)} beyond {end}")
        elif place < low:
            end = formatting.configuration({name: low})
            parts.append(f"{formatting.ratio(low / place)} below {end}")
    return ", ".join(parts) or "none: within what was measured"


def _forecasts(forecasts: Sequence[Forecast]) -> str:
    if not forecasts:
        return "none yet"
    points = [
        low <= value <= high
        for row in forecasts
        for low, value, high in zip(row.lower, row.measured, row.upper, strict=True)
    ]
    worst = max(row.relative_error for row in forecasts)
    return (
        f"{sum(points)} of {len(points)} points inside the 95 % interval, median error up to "
        f"{formatting.percent(worst)}"
    )
