"""Sliders next to number fields: the stops of each slider, and its position."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

STEPS_BEYOND = 20
"""The slider reaches this many steps of √2 beyond the largest measured value: a factor of 1,024."""

MANTISSAS = (1.0, 2.0, 5.0)


@dataclass(frozen=True)
class Slider:
    """A number with the stops of its slider, ascending. The last stop empties a field that may be empty."""

    name: str
    value: float | None
    stops: tuple[float, ...]
    optional: bool = False

    @property
    def stops_json(self) -> str:
        """Return the stops for the slider's script; "" empties the field."""
        numbers: list[float | str] = [int(stop) if stop == round(stop) else stop for stop in self.stops]
        return json.dumps([*numbers, ""] if self.optional else numbers)

    @property
    def last(self) -> int:
        """The slider's upper end."""
        return len(self.stops) - 1 + self.optional

    @property
    def stop(self) -> int:
        """The position of the slider."""
        value = self.value
        if value is None:
            return self.last
        return min(range(len(self.stops)), key=lambda at: abs(self.stops[at] - value))


def target_stops(values: Sequence[float], value: float) -> tuple[float, ...]:
    """Return the measured values, then larger values in steps of √2, and the present value."""
    beyond = (_rounded(values[-1] * 2 ** (step / 2)) for step in range(1, STEPS_BEYOND + 1))
    return tuple(sorted({*values, *beyond, value}))


def round_stops(lower: float, upper: float) -> tuple[float, ...]:
    """Return numbers such as 1, 2, 5, 10 from about `lower` to about `upper`, both positive."""
    begin, end = math.floor(math.log10(lower)), math.ceil(math.log10(upper))
    found = (float(f"{digit:g}e{power}") for power in range(begin, end + 1) for digit in MANTISSAS)
    return tuple(stop for stop in found if lower / 2 <= stop <= 2 * upper)


def _rounded(value: float) -> float:
    """Return the value, rounded to two digits unless it is a whole number."""
    return value if value == round(value) else float(f"{value:.2g}")
