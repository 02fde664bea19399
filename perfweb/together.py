"""Sentences on parameters that were always varied together, shared by pages and the REST interface."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from modeling.engine import EXACT, Relations

LARGEST_DENOMINATOR = 12
"""Powers are written as fractions with denominators up to this number; other powers with two digits."""


@dataclass(frozen=True)
class Together:
    """Parameters that were varied together: the values of `free` determined those of `bound`.

    `names` are all these parameters; `equations` are their relations, such as "ranks = 8 · nodes".
    """

    names: tuple[str, ...]
    free: tuple[str, ...]
    bound: tuple[str, ...]
    equations: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """Return the relation in words, without a full stop."""
        equations = "; ".join(self.equations)
        if len(self.free) == 1:
            return f"{_all(self.names)} were always varied together ({equations})"
        return f"{_all(self.bound)} always followed from {_all(self.free)} ({equations})"

    @property
    def written_in(self) -> str:
        """Return the parameter in which laws are written, as the end of a sentence."""
        return f"; laws are written in {self.free[0]}" if len(self.free) == 1 else ""


def together(known: Relations, names: Sequence[str]) -> list[Together]:
    """Return the groups of parameters that were varied together; `names` are those of all parameters."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for at in np.flatnonzero(known.together).tolist():
        groups.setdefault(tuple(np.flatnonzero(known.power[at]).tolist()), []).append(at)
    return [
        Together(
            tuple(names[at] for at in sorted((*free, *bound))),
            tuple(names[at] for at in free),
            tuple(names[at] for at in bound),
            tuple(_equation(known, at, free, names) for at in bound),
        )
        for free, bound in groups.items()
    ]


def equations(known: Relations, names: Sequence[str]) -> list[str]:
    """Return the relations, such as "ranks = 8 · nodes"."""
    return [equation for each in together(known, names) for equation in each.equations]


def off_relation(known: Relations, names: Sequence[str]) -> str:
    """Return why nothing is known about a target that breaks relations."""
    found = "; ".join(each.sentence for each in together(known, names))
    return f"{found}. The target breaks this relation, and nothing was measured off it."


def together_note(known: Relations, names: Sequence[str], *, written: bool = True) -> str:
    """Return which parameters were varied together, and what follows; empty if there are none.

    `written`: also say in which parameter laws are written.
    """
    groups = together(known, names)
    if not groups:
        return ""
    found = " ".join(f"{each.sentence}{each.written_in if written else ''}." for each in groups)
    free, bound = _all(groups[0].free), groups[0].bound[0]
    return (
        f"{found} What each of them does alone is unknown, so nothing is predicted for points that break "
        f"the relation. A point with the same {free} and another value of {bound} would begin to separate "
        "their effects."
    )


def _equation(known: Relations, at: int, free: Sequence[int], names: Sequence[str]) -> str:
    """Return the relation of the parameter with the index `at`; of two, the larger one is on the left."""
    powers = dict(zip(map(names.__getitem__, free), known.power[at, list(free)].tolist(), strict=True))
    left, offset = names[at], float(known.offset[at])
    if len(powers) == 1 and offset < 0:
        ((name, power),) = powers.items()
        left, powers, offset = name, {left: 1 / power}, -offset / power
    sign = "=" if known.tolerance[at] <= EXACT else "≈"
    return f"{left} {sign} {_product(float(np.exp(offset)), powers)}"


def _product(factor: float, powers: dict[str, float]) -> str:
    above = list(_factors((name, power) for name, power in powers.items() if power > 0))
    below = list(_factors((name, -power) for name, power in powers.items() if power < 0))
    number = f"{float(f'{factor:.3g}'):,.15g}"
    if number != "1" or not above:
        above.insert(0, number)
    return " / ".join([" · ".join(above), *below])


def _factors(powers: Iterator[tuple[str, float]]) -> Iterator[str]:
    for name, power in powers:
        fraction = Fraction(power).limit_denominator(LARGEST_DENOMINATOR)
        if abs(float(fraction) - power) > 1e-6:
            yield f"{name}^{power:.2f}"
        elif fraction == 1:
            yield name
        else:
            yield f"{name}^{fraction}" if fraction.denominator == 1 else f"{name}^({fraction})"


def _all(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
