"""A picture of a plan: the configurations that were measured, and those that it proposes to run."""

from collections import Counter
from collections.abc import Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from perfweb.portal.text import formatting
from perfweb.portal.text.lettering import isolated

CELL, LEFT, BELOW, GAP = 34, 92, 30, 4
MOST_VALUES = 24
"""Limit on a parameter's values for which there is a picture; the table has the same content."""

Points = Sequence[Sequence[float]]


def plan_picture(measured: Points, proposed: Points, runs: Sequence[int], names: Sequence[str]) -> SafeString:
    """Return a grid over the first two parameters, the first to the right.

    Measured cells are filled; proposed cells have a frame and the number of runs. A cell represents all
    values of the other parameters.
    """
    across, up = (_axis([*measured, *proposed], axis) for axis in (0, 1))
    if not names or max(len(across), len(up)) > MOST_VALUES:
        return SafeString("")
    known = {_place(point) for point in measured}
    wanted: Counter[tuple[float, float]] = Counter()
    for point, count in zip(proposed, runs, strict=True):
        wanted[_place(point)] += count
    cells = [
        _cell(column, len(up) - 1 - row, (x, y) in known, wanted[x, y])
        for column, x in enumerate(across)
        for row, y in enumerate(up)
    ]
    labels = [
        *(
            _label(LEFT + CELL * at + CELL / 2, CELL * len(up) + 16, x, "middle")
            for at, x in enumerate(across)
        ),
        *(
            _label(LEFT - 8, CELL * (len(up) - 1 - at) + CELL / 2 + 4, y, "end")
            for at, y in enumerate(up)
            if len(names) > 1
        ),
    ]
    width, height = LEFT + CELL * len(across), CELL * len(up) + BELOW
    return format_html(
        '<svg class="plan-grid" role="img" aria-label="{0}" width="{1}" height="{2}" viewBox="0 0 {1} {2}">'
        "<title>{0}</title>{3}{4}</svg>",
        plan_sentence(measured, proposed, runs, names),
        width,
        height,
        format_html_join("", "{}", ((cell,) for cell in cells)),
        format_html_join("", "{}", ((label,) for label in labels)),
    )


def plan_sentence(measured: Points, proposed: Points, runs: Sequence[int], names: Sequence[str]) -> str:
    """Return a sentence: 7 runs at 5 configurations of p and n, of which 4 were never measured; 15 were
    measured so far.
    """
    known = {tuple(point) for point in measured}
    new = sum(tuple(point) not in known for point in proposed)
    count = f"{_counted(sum(runs), 'run')} at {_counted(len(proposed), 'configuration')}"
    measure = "was never measured" if new == 1 else "were never measured"
    listed = " and ".join(map(isolated, names))
    return f"{count} of {listed}, of which {new} {measure}; {len(known)} measured so far"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _axis(points: Points, axis: int) -> list[float]:
    """Return the values of a parameter, ascending; one row if there is none."""
    return sorted({point[axis] if axis < len(point) else 0.0 for point in points})


def _place(point: Sequence[float]) -> tuple[float, float]:
    return point[0], point[1] if len(point) > 1 else 0.0


def _cell(column: int, row: int, known: bool, wanted: int) -> SafeString:
    x, y = LEFT + CELL * column + GAP / 2, CELL * row + GAP / 2
    square = format_html(
        '<rect class="point-{}{}" x="{}" y="{}" width="{}" height="{}" rx="3"/>',
        "full" if known else "none", " plan-run" if wanted else "", x, y, CELL - GAP, CELL - GAP,
    )  # fmt: skip
    if not wanted:
        return square
    middle = (x + (CELL - GAP) / 2, y + (CELL - GAP) / 2 + 5)
    kind = "plan-count plan-count-known" if known else "plan-count"
    return square + format_html(
        '<text class="{}" x="{}" y="{}" text-anchor="middle">{}</text>', kind, *middle, wanted
    )


def _label(x: float, y: float, value: float, anchor: str) -> SafeString:
    return format_html(
        '<text class="plan-value" x="{}" y="{}" text-anchor="{}">{}</text>',
        x, y, anchor, formatting.number(value) if value >= 1e6 else formatting.coordinate(value),
    )  # fmt: skip
