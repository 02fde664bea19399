"""Pictures of a plan: its configurations, and the interval at the target now and after the plan."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from perfweb.portal.text import formatting
from perfweb.portal.text.lettering import isolated
from perfweb.portal.text.wording import listed

CELL, BELOW, GAP, BESIDE = 40, 22, 4, 8
NAMED = 18
"""Height of the name of a parameter: below the values to the right, and above the values upwards."""

LETTER, SMALL_LETTER = 7, 6
"""Width of a character of a label, and of a character of the core hours in a cell."""

MOST_VALUES = 24
"""With more values of a parameter there is no picture; the table has the same content."""

FITTING = 480
"""Up to this width, a picture is made smaller to fit on a phone, whose 300 pixels leave letters readable."""

LEAST_PRICE = 0.001
"""Core hours of a cell below this number are not written."""

BAR_LEFT, BAR_WIDTH, BAR_HEIGHT, BAR_ROW = 70, 240, 14, 26
"""Sizes of the bars of the intervals; together they fit on a phone."""

Points = Sequence[Sequence[float]]
Place = tuple[float, float]


class Interval(Protocol):
    """A prediction with the ends of its interval, in the metric's unit."""

    @property
    def predicted(self) -> float:
        """The prediction."""

    @property
    def lower(self) -> float:
        """The lower end."""

    @property
    def upper(self) -> float:
        """The upper end."""


def interval_bars(now: Interval, then: Interval, unit: str) -> SafeString:
    """Return two bars on one logarithmic axis: the interval now, and the interval expected after the plan."""
    low, high = math.log(now.lower), math.log(now.upper)
    span = max(high - low, 1e-9)

    def place(value: float) -> float:
        return round(BAR_LEFT + BAR_WIDTH * (math.log(value) - low) / span, 1)

    rows = [
        format_html(
            '<text class="plan-value" x="{}" y="{}" text-anchor="end">{}</text>'
            '<rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="3"/>'
            '<line class="plan-middle" x1="{}" x2="{}" y1="{}" y2="{}"/>',
            BAR_LEFT - 8, BAR_ROW * number + BAR_HEIGHT - 2, name, kind, place(each.lower), BAR_ROW * number,
            round(max(place(each.upper) - place(each.lower), 2), 1), BAR_HEIGHT, place(each.predicted),
            place(each.predicted), BAR_ROW * number - 2, BAR_ROW * number + BAR_HEIGHT + 2,
        )
        for number, (name, kind, each) in enumerate(
            (("now", "plan-now", now), ("expected", "plan-then", then))
        )
    ]  # fmt: skip
    base = 2 * BAR_ROW + 4
    labels = [
        " ".join(filter(None, end)) for end in formatting.ends(now.lower, now.upper, unit, now.predicted)
    ]
    ends = [
        format_html(
            '<text class="plan-value" x="{}" y="{}" text-anchor="{}">{}</text>',
            place(value), base + 8, anchor, text,
        )
        for value, anchor, text in zip((now.lower, now.upper), ("start", "end"), labels, strict=True)
    ]  # fmt: skip
    label = "Interval of the total at the target: {} now, {} expected after the plan".format(
        *(formatting.interval(each.lower, each.upper, unit, each.predicted) for each in (now, then))
    )
    return format_html(
        '<svg class="plan-bars" role="img" aria-label="{0}" viewBox="0 -2 {1} {2}" width="{1}" height="{2}">'
        "<title>{0}</title>{3}{4}</svg>",
        label,
        BAR_LEFT + BAR_WIDTH + 4,
        base + 14,
        format_html_join("", "{}", ((row,) for row in rows)),
        format_html_join("", "{}", ((end,) for end in ends)),
    )


def plan_picture(
    measured: Points,
    proposed: Points,
    runs: Sequence[int],
    names: Sequence[str],
    *,
    costs: Sequence[float] = (),
    offered: Points = (),
    barred: Points = (),
) -> SafeString:
    """Return a grid over the first two parameters, the first to the right.

    A cell represents all values of the other parameters. Measured cells are filled. Cells with proposed runs
    have a frame, the number of runs and their core hours. Cells that the plan could have chosen are dashed,
    and cells beyond its limits are crossed out.
    """
    shown = [*measured, *proposed, *offered, *barred]
    across, up = (_axis(shown, axis) for axis in (0, 1))
    if not names or max(len(across), len(up)) > MOST_VALUES:
        return SafeString("")
    known, open_cells = {_place(point) for point in measured}, {_place(point) for point in offered}
    closed = {_place(point) for point in barred} - open_cells - known
    wanted, price = _at_cells(proposed, runs, costs)
    widest, highest = (max(len(_written(value)) for value in axis) for axis in (across, up))
    left = LETTER * highest + GAP + BESIDE if len(names) > 1 else GAP
    dearest = max((len(_price(each)) for each in price.values()), default=0)
    width_of_cell = max(CELL, LETTER * widest + 2 * GAP, SMALL_LETTER * dearest + 3 * GAP)
    cells = [
        _cell(
            (left + width_of_cell * column, CELL * (len(up) - 1 - row), width_of_cell),
            known=(x, y) in known, barred=(x, y) in closed, wanted=wanted[x, y], cost=price.get((x, y)),
        )
        for column, x in enumerate(across)
        for row, y in enumerate(up)
    ]  # fmt: skip
    labels = [
        *(
            _label(left + width_of_cell * (at + 0.5), CELL * len(up) + 16, x, "middle")
            for at, x in enumerate(across)
        ),
        *(
            _label(left - BESIDE, CELL * (len(up) - 1 - at) + CELL / 2 + 4, y, "end")
            for at, y in enumerate(up)
            if len(names) > 1
        ),
    ]
    width, base = left + width_of_cell * len(across), CELL * len(up) + BELOW
    top = NAMED if len(names) > 1 else 0
    labels.append(_name((left + width) / 2, base + NAMED - 6, names[0], "middle", width - left))
    labels += [_name(0, 4 - NAMED / 2, name, "start", width) for name in names[1:2]]
    height = top + base + NAMED
    return format_html(
        '<svg class="plan-grid{5}" role="img" aria-label="{0}" width="{1}" height="{2}" '
        'viewBox="0 -{6} {1} {2}">'
        "<title>{0}</title>{3}{4}</svg>",
        plan_sentence(measured, proposed, runs, names),
        width,
        height,
        format_html_join("", "{}", ((cell,) for cell in cells)),
        format_html_join("", "{}", ((label,) for label in labels)),
        " fits" if width <= FITTING else "",
        top,
    )


def plan_sentence(measured: Points, proposed: Points, runs: Sequence[int], names: Sequence[str]) -> str:
    """Return the plan as a sentence: 7 runs at 5 configurations of p and n, 2 of them new; 15 measured …"""
    known = {tuple(point) for point in measured}
    if not proposed:
        return f"{_counted(len(known), 'configuration')} measured so far"
    new = sum(tuple(point) not in known for point in proposed)
    count = f"{_counted(sum(runs), 'run')} at {_counted(len(proposed), 'configuration')}"
    planned = f"{count} of {listed(map(isolated, names))}"
    if not known:
        return planned
    return f"{planned}{f', {new} of them new' if new else ''}; {len(known)} measured so far"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _axis(points: Points, axis: int) -> list[float]:
    """Return the values of a parameter, ascending; a single 0 if there is no such parameter."""
    return sorted({point[axis] if axis < len(point) else 0.0 for point in points})


def _place(point: Sequence[float]) -> Place:
    return point[0], point[1] if len(point) > 1 else 0.0


def _at_cells(
    proposed: Points, runs: Sequence[int], costs: Sequence[float]
) -> tuple[Counter[Place], dict[Place, float]]:
    """Return the runs of each cell, and their core hours if these are known."""
    wanted: Counter[Place] = Counter()
    price: dict[Place, float] = {}
    for at, (point, count) in enumerate(zip(proposed, runs, strict=True)):
        wanted[_place(point)] += count
        if at < len(costs) and math.isfinite(costs[at]):
            price[_place(point)] = price.get(_place(point), 0.0) + costs[at]
    return wanted, price


def _cell(
    at: tuple[float, float, float], *, known: bool, barred: bool, wanted: int, cost: float | None
) -> SafeString:
    """Return a cell, given by its upper left corner and its width."""
    x, y, width = at[0] + GAP / 2, at[1] + GAP / 2, at[2] - GAP
    kind = "full" if known else "barred" if barred else "none"
    square = format_html(
        '<rect class="point-{}{}" x="{}" y="{}" width="{}" height="{}" rx="3"/>',
        kind, " plan-run" if wanted else "", x, y, width, CELL - GAP,
    )  # fmt: skip
    if barred and not known:
        square += format_html(
            '<line class="plan-cross" x1="{}" y1="{}" x2="{}" y2="{}"/>', x, y + CELL - GAP, x + width, y
        )
    if not wanted:
        return square
    middle, known_class = x + width / 2, " plan-count-known" if known else ""
    texts = [("plan-count", y + (16 if cost is not None else 23), f"{wanted}")]
    if cost is not None:
        texts.append(("plan-cost", y + 30, _price(cost)))
    written = ((kind + known_class, middle, height, text) for kind, height, text in texts)
    return square + format_html_join(
        "", '<text class="{}" x="{}" y="{}" text-anchor="middle">{}</text>', written
    )


def _price(core_hours: float) -> str:
    """Return the core hours of a cell; the table below the picture has a digit more, and small numbers.

    Many columns of numbers such as 3.7·10⁻⁵ would not fit on a phone.
    """
    return formatting.number(core_hours, 2) if core_hours >= LEAST_PRICE else f"<{LEAST_PRICE:g}"


def _written(value: float) -> str:
    return formatting.number(value) if value >= 1e6 else formatting.coordinate(value)


def _label(x: float, y: float, value: float, anchor: str) -> SafeString:
    return format_html(
        '<text class="plan-value" x="{}" y="{}" text-anchor="{}">{}</text>', x, y, anchor, _written(value)
    )


def _name(x: float, y: float, name: str, anchor: str, width: float) -> SafeString:
    """Return the name of a parameter, cut if it is wider than `width`."""
    most = max(int(width / LETTER), 1)
    cut = name if len(name) <= most else f"{name[: most - 1]}…"
    return format_html('<text class="plan-name" x="{}" y="{}" text-anchor="{}">{}</text>', x, y, anchor, cut)
