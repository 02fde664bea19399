"""Sentences about a kernel whose behaviour changes inside the measured range."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from modeling.selectors.kernel.segments import Segment, Segmented
from perfweb.portal.text import formatting, laws
from perfweb.portal.text.lettering import isolated
from perfweb.portal.text.wording import listed

SURE = 0.99


@dataclass(frozen=True)
class Part:
    """A law, and the range in which it holds, in words."""

    where: str
    law: SafeString


@dataclass(frozen=True)
class SegmentsCard:
    """The laws by ascending ranges; the last one, which alone is extrapolated, is separate."""

    earlier: tuple[Part, ...]
    last: Part
    sentence: str


def segments_card(found: Segmented | None, parameters: Sequence[str], unit: str) -> SegmentsCard | None:
    """Return the content of the page on segments, all laws in one unit; None if there are none."""
    if found is None:
        return None
    shown = laws.unit_of(
        (number for segment in found.segments for number in (segment.constant, *segment.coefficients)), unit
    )
    parts = [
        Part(
            where(found.parameter, segment),
            laws.typeset(segment.constant, segment.coefficients, segment.exponents, parameters, shown),
        )
        for segment in found.segments
    ]
    return SegmentsCard(tuple(parts[:-1]), parts[-1], _sentence(found))


def where(parameter: str, segment: Segment) -> str:
    """Return where a law holds: "below p ≈ 90", "from p ≈ 90 to 360", "from p ≈ 360 on"."""
    begin, end = (None if side is None else about(side) for side in (segment.begin, segment.end))
    parameter = isolated(parameter)
    if begin is None:
        return f"below {parameter} ≈ {end}"
    return f"from {parameter} ≈ {begin} on" if end is None else f"from {parameter} ≈ {begin} to {end}"


def about(value: float) -> str:
    """Return an approximate value, because the law changes somewhere between two measured ones."""
    return formatting.number(value, 2)


def breaks_text(found: Segmented) -> str:
    """Return where the behaviour changes: "p ≈ 90", "p ≈ 23 and 180"."""
    return f"{isolated(found.parameter)} ≈ {listed(map(about, found.breaks))}"


def _sentence(found: Segmented) -> str:
    last = found.segments[-1]
    sure = "more than 99 %" if found.probability > SURE else formatting.percent(found.probability)
    return (
        f"The behaviour changes at {breaks_text(found)} (probability: {sure}). "
        f"Predictions beyond the data use only the {last.values} values from "
        f"{formatting.configuration({found.parameter: last.first})} on."
    )
