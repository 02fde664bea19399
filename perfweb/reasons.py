"""Sentences that explain doubts about predictions and laws, shared by pages and the REST interface."""

from collections.abc import Iterable, Sequence
from math import isfinite, isnan

from modeling.engine import GRADES, UNKNOWN, Doubt, UnknownGrowth
from modeling.selectors.run.judged import Judged
from perfweb.together import off_relation

IN_PERCENT = 1.25
"""Factors below this limit are written as a difference in percent. A larger factor is no single percentage: a
factor of 1.9 is 90 % above, but only 47 % below.
"""

NARROW = 2.0
"""An interval narrower than this factor is no reason why a prediction cannot be told."""

FACTOR_IN_TENS = 100.0
"""Factors from this limit on are rounded to tens: 260, and not 2.6e+02."""

LARGEST_FACTOR = 1000.0
"""Larger factors are written as "1,000 or more", because their size does not matter to a reader."""

FEW_TIMES = 8.0
"""Distances below this limit are written with two digits, larger ones as whole numbers."""


def trust_reasons(judged: Judged, names: Sequence[str]) -> list[str]:
    """Return the reasons for the grade of a kernel's prediction; `names` are the parameters' names."""
    trust, number = judged.trust, judged.number
    if trust.broken[number].any():
        return [off_relation(trust.relations(number), names)]
    distance = float(trust.distance[number])
    found = [_distance(distance, names[trust.farthest[number]])]
    off = float(trust.off[number])
    if not (GRADES[trust.grade[number]] == UNKNOWN and trust.unknown[number].any() and off < NARROW):
        found.insert(0, _width(off))
    found += [
        f"Its growth with {name} cannot be inferred from these data."
        for name, unknown in zip(names, trust.unknown[number].tolist(), strict=True)
        if unknown
    ]
    if trust.misfit[number]:
        far = ", and far from these points the prediction follows the law" if distance > 1 else ""
        found.append(f"The law misses the points to which it was fitted{far}.")
    return found


def doubt_reasons(doubts: Iterable[Doubt], names: Sequence[str]) -> list[str]:
    """Return the reasons why a law is not identifiable from its data; `names` are the parameters' names."""
    return [_doubt(doubt, names) for doubt in doubts]


def _doubt(doubt: Doubt, names: Sequence[str]) -> str:
    if isinstance(doubt, UnknownGrowth):
        return _unknown_growth(names[doubt.parameter], doubt.certainty)
    if doubt.factor is None:
        return "At the target the true value may differ by an unknown factor."
    return f"At the target the true value may differ by a factor of {_factor(doubt.factor)}."


def _unknown_growth(name: str, certainty: float) -> str:
    if not certainty:
        return f"Its growth with {name} cannot be inferred from so few values."
    return (
        f"Its growth with {name} is not known: no lead exponent together with those within 1/4 of it has a "
        f"probability of more than {100 * certainty:.0f} %."
    )


def _distance(distance: float, name: str) -> str:
    if distance == 1:
        return "The target lies within the measured range."
    far = f"{distance:,.0f}" if distance >= FEW_TIMES else f"{distance:.2g}"
    return f"The target lies {far}× outside the measured range of {name}."


def _width(off: float) -> str:
    if isnan(off):
        return "The possible error of the prediction at the target is unknown."
    if off < IN_PERCENT:
        share = 100 * (off - 1)
        percent = "less than 1" if share < 1 else f"{share:.0f}"
        return f"At the target the true value may differ by {percent} %."
    return f"At the target the true value may differ by a factor of {_factor(off)}."


def _factor(factor: float) -> str:
    if isfinite(factor) and factor < LARGEST_FACTOR:
        return f"{factor:.2g}" if factor < FACTOR_IN_TENS else f"{round(factor, -1):,.0f}"
    return f"{LARGEST_FACTOR:,.0f} or more"
