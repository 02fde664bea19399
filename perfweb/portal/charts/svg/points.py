"""A small picture of the measured configurations, and of those missing in the full grid."""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from modeling.engine import relations
from perfweb.portal.text import formatting
from perfweb.portal.text.lettering import isolated
from perfweb.portal.text.wording import listed

CELL = 14
MOST_CELLS = 24


def points_picture(points: Sequence[Sequence[float]], parameters: Sequence[str]) -> SafeString:
    """Return a grid over the first two parameters, the first to the right.

    A cell represents all values of the other parameters; it is partly filled if some are missing.
    """
    across, up = _axis(points, 0), _axis(points, 1)
    if max(len(across), len(up)) > MOST_CELLS:
        return SafeString("")
    found = Counter((point[0], point[1] if len(parameters) > 1 else 0.0) for point in points)
    most = math.prod(len(_axis(points, axis)) for axis in range(2, len(parameters)))
    cells = [
        _cell(column, len(up) - 1 - row, found[x, y] / most)
        for column, x in enumerate(across)
        for row, y in enumerate(up)
    ]
    width, height = CELL * len(across), CELL * len(up)
    return format_html(
        '<svg class="points" role="img" aria-label="{0}" width="{1}" height="{2}" viewBox="0 0 {1} {2}">'
        "<title>{0}</title>{3}</svg>",
        points_sentence(points, parameters),
        width,
        height,
        format_html_join("", "{}", ((cell,) for cell in cells)),
    )


def points_sentence(points: Sequence[Sequence[float]], parameters: Sequence[str]) -> str:
    """Return a sentence: 5 × 3 grid of p and n, 2 of 15 not measured; or that p and n varied together."""
    sizes = [len(_axis(points, axis)) for axis in range(len(parameters))]
    full = math.prod(sizes)
    names = listed(map(isolated, parameters))
    if points and relations(np.array(points, float)).together.any():
        return f"{len(points)} points of {names}, which were not varied independently"
    missing = full - len(points)
    one = "value" if full == 1 else "values"
    shape = " × ".join(map(str, sizes)) + (" grid" if len(sizes) > 1 else f" {one}")
    return f"{shape} of {names}, {f'{missing} of {full} not measured' if missing else 'none missing'}"


def repetitions_sentence(repetitions: int, *, everywhere: bool) -> str:
    """Return how often points were measured: "5 at each point", or "up to 5 at each point"."""
    return f"{'' if everywhere else 'up to '}{repetitions} at each point"


def ranges(points: Sequence[Sequence[float]], parameters: Sequence[str]) -> list[tuple[str, str]]:
    """Return every parameter with its measured values: ("p", "4, 16, 64, 256, 1,024")."""
    return [(name, _values(_axis(points, axis))) for axis, name in enumerate(parameters)]


def _values(values: Sequence[float]) -> str:
    if len(values) > 8:
        return (
            f"{len(values)} values, {formatting.coordinate(values[0])} – {formatting.coordinate(values[-1])}"
        )
    return ", ".join(formatting.coordinate(value) for value in values)


def _axis(points: Sequence[Sequence[float]], axis: int) -> list[float]:
    """Return the values of a parameter, ascending; a single 0 if there is no such parameter."""
    if not points or axis >= len(points[0]):
        return [0.0]
    return sorted({point[axis] for point in points})


def _cell(column: int, row: int, filled: float) -> SafeString:
    state = "full" if filled >= 1 else "part" if filled > 0 else "none"
    return format_html(
        '<rect class="point-{}" x="{}" y="{}" width="{}" height="{}" rx="2"/>',
        state, column * CELL + 1.5, row * CELL + 1.5, CELL - 3, CELL - 3,
    )  # fmt: skip
