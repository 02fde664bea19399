"""Sentences about the rival laws of a kernel: their probabilities, and the certainty of its growth."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from modeling.selectors.run.weighed import Lead, Rival, Weighed
from perfweb.portal.text import formatting, laws
from perfweb.portal.text.units import Multiple

CERTAIN = 0.95
NEAR_PROBABILITY = 0.2
"""Rivals with at least this fraction of the most probable law's probability are named next to this law."""
MOST_NAMED = 3
MOST_LEADS = 4
ONE_NUMBER, NO_DIFFERENCE = 1.01, 1.1
"""Largest factors between predictions that are written as one number, and that are called similar."""
FAR_APART = 2.0


@dataclass(frozen=True)
class Bar:
    """One of several possibilities: its name, its probability, and its prediction ("" for none)."""

    label: str | SafeString
    probability: float
    predicted: str = ""


@dataclass(frozen=True)
class Growth:
    """The possible growth of a metric with one parameter."""

    parameter: str
    bars: tuple[Bar, ...]
    sentence: str


def rival_bars(found: Weighed, parameters: Sequence[str], unit: str, shown: Multiple) -> list[Bar]:
    """Return the rivals as formulas, most probable first, and then all other laws together.

    All are written in `shown`, the multiple of the metric's `unit` in which the page writes its law. This law
    is one of the rivals, and would look like another one in another unit.
    """
    bars = [
        Bar(
            laws.typeset(rival.constant, rival.coefficients, rival.exponents, parameters, shown),
            rival.probability,
            "" if rival.predicted is None else formatting.quantity(rival.predicted, unit),
        )
        for rival in found.rivals
    ]
    return [*bars, Bar("others together", found.others)] if found.others >= 0.0005 else bars


def certainty(
    found: Weighed, parameters: Sequence[str], unit: str, target: str, *, few: bool = False
) -> SafeString:
    """Return how certain the growth is: "p^(1/3) or log p: these data do not decide between them, …".

    `few` says whether a parameter has too few values for a law to be certain.
    """
    first = found.rivals[0]
    near = [rival for rival in found.rivals if rival.probability >= NEAR_PROBABILITY * first.probability]
    shapes = [laws.shape(rival.exponents, parameters) for rival in near[:MOST_NAMED]]
    share = formatting.percent(first.probability)
    if first.probability >= CERTAIN and not few:
        return format_html(
            "The form of the law is nearly certain: {} has a probability of {}.", shapes[0], share
        )
    if len(near) == 1:
        rest = f"no other law has a probability above {formatting.percent(_second(found))}"
        return format_html("Most probably {} ({}); {}.", shapes[0], share, rest)
    named = format_html_join("", "{}{}", _listed(shapes))
    shares = ", ".join(formatting.percent(rival.probability) for rival in near[:MOST_NAMED])
    others = len(near) - MOST_NAMED
    more = f" or one of {others} others" if others > 1 else " or one other" if others == 1 else ""
    return format_html(
        "{}{}: these data do not decide between them ({}){}.",
        named,
        more,
        shares,
        _predictions(near, unit, target),
    )


def few_values() -> SafeString:
    """Return a note on probabilities, for kernels whose parameters all have too few values for a law."""
    return SafeString("With so few values the probabilities mostly reflect the prior.")


def growths(found: Weighed, parameters: Sequence[str], varied: Sequence[bool]) -> list[Growth]:
    """Return the possible growth of the metric with each varied parameter."""
    return [
        Growth(name, _lead_bars(name, leads), _exponent_range(leads))
        for name, leads, moved in zip(parameters, found.leads, varied, strict=True)
        if moved
    ]


def _second(found: Weighed) -> float:
    """Return the probability of the second law; if only one is listed, that of all others, at most 1 %."""
    return found.rivals[1].probability if len(found.rivals) > 1 else min(found.others, 0.01)


def _listed(shapes: Sequence[SafeString]) -> list[tuple[SafeString, str]]:
    """Return each item with the text that joins it to the next: a, b or c."""
    joints = [", "] * (len(shapes) - 2) + [" or ", ""]
    return list(zip(shapes, joints, strict=True))


def _predictions(near: Sequence[Rival], unit: str, target: str) -> str:
    """Return whether the doubt matters at the target: "both predict about 1.2 s", "they predict 1 – 3 s"."""
    known = [rival.predicted for rival in near if rival.predicted is not None and rival.predicted > 0]
    if not target or len(known) < len(near):
        return ""
    low, high = min(known), max(known)
    all_ = "both" if len(near) == 2 else "all"
    ends = formatting.interval(low, high, unit, high)
    if high < ONE_NUMBER * low:
        return f", but at {target} {all_} predict about {formatting.quantity(high, unit)}"
    if high < NO_DIFFERENCE * low:
        return f", but at {target} they predict similar values: {ends}"
    tail = f", a factor of {formatting.number(high / low, 2)}" if high >= FAR_APART * low else ""
    return f", and at {target} they predict {ends}{tail}"


def _lead_bars(name: str, leads: Sequence[Lead]) -> tuple[Bar, ...]:
    bars = [
        Bar(laws.power(name, lead.exponent, lead.log_exponent) or "not at all", lead.probability)
        for lead in leads[:MOST_LEADS]
    ]
    rest = sum(lead.probability for lead in leads[MOST_LEADS:])
    return (*bars, Bar("others together", rest)) if rest else tuple(bars)


def _exponent_range(leads: Sequence[Lead]) -> str:
    """Return the exponents between which 95 % of the probability lies, with 2.5 % on either side."""
    low, high = (_end(sorted(leads, reverse=falling)) for falling in (False, True))
    if low == high:
        return f"exponent {laws.fraction(low)} (95 %)"
    return f"exponent between {laws.fraction(low)} and {laws.fraction(high)} (95 %)"


def _end(leads: Sequence[Lead]) -> float:
    """Return the exponent below which 2.5 % of the probability lie."""
    total = 0.0
    for lead in leads:
        total += lead.probability
        if total > 0.025:
            return lead.exponent
    return leads[-1].exponent
