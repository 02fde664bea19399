"""Draws the shares of kernels over a parameter as stacked areas; the extrapolated part is hatched."""

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

import numpy as np
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from modeling.selectors.run.shares import NAMED, Shares
from modeling.selectors.run.snapshot import FloatArray
from perfweb.portal.charts.axes import TITLE, fitting_ticks, halfway, on_a_phone, place
from perfweb.portal.charts.figures import Figure
from perfweb.portal.charts.hatching import HATCH
from perfweb.portal.text import formatting
from perfweb.portal.text.lettering import isolated, short, short_apart, short_tail

REST = "--series-rest"

LONGEST, LONGEST_IF_WIDE = 22, 34
"""Characters of a name that fit next to the chart, and next to a wide one."""
LETTER, SWATCH, EDGE = 7.4, 16, 20
"""Pixels of a label's letter, of the coloured square before the label, and of the space after it."""
WIDTH = 480.0
"""Pixels between the chart's margins on the narrowest screen with labels next to the chart."""
VISIBLE = 0.1
"""Smallest share in percent, at the target, that has a label: a thinner area is less than a pixel high."""
WORTH_A_KEY = 2.0
"""An area without a label is named below the chart if its largest share is at least this many percent."""
QUARTERS = (0, 25, 50, 75, 100)

APART = 0.055
"""Labels nearer than this share of the height would overlap."""


def shares_figure(shares: Shares, target: float, metric: str, colours_by_kernel: Mapping[int, str]) -> Figure:
    """Return one area per kernel with a label at its right end; the most expensive one is at the bottom.

    `colours_by_kernel` are the result of `colours_of`.
    """
    names = [*shares.names, *([f"others ({shares.others})"] if shares.others else [])]
    percents = 100 * shares.shares[: len(names)]
    colours = [f"--{colour}" for colour in colours_by_kernel.values()] + [REST]
    parts = {"measured": shares.x <= shares.measured_to, "extrapolated": shares.x >= shares.measured_to}
    data = [
        _area(names[at], shares.x[part], percents[at][part], colours[at], group)
        for group, part in parts.items()
        if part.sum() > 1
        for at in range(len(names))
    ]
    return Figure(
        name=f"Shares of {metric} along {shares.parameter}",
        caption=format_html("{}{}", _caption(shares, metric), _keys(names, colours, percents)),
        data=data,
        layout=_layout(shares, target, names, percents[:, -1], colours),
        columns=[shares.parameter, *names],
        rows=_rows(shares, target, percents),
    )


def colours_of(shares: Shares, aliases: Mapping[int, int] | None = None) -> dict[int, str]:
    """Return the colours of the named kernels by id, in the order of the areas.

    A kernel has the colour of its id, so it has the same one in other versions, where other kernels may be
    named. Of two kernels with one colour, that with the smaller share of the smallest problem gets another
    one: a kernel that is new among the named ones has mostly become expensive at large values only.
    `aliases` maps renamed kernels to their final ids.
    """
    owner: dict[int, int] = {}  # the kernel with each colour
    left: list[int] = []
    for at in np.argsort(-shares.shares[: len(shares.kernels), 0], kind="stable"):
        kernel = shares.kernels[at]
        if owner.setdefault((aliases or {}).get(kernel, kernel) % NAMED, kernel) != kernel:
            left.append(kernel)
    owner |= zip((colour for colour in range(NAMED) if colour not in owner), left, strict=False)
    colours = {kernel: f"series-{colour + 1}" for colour, kernel in owner.items()}
    return {kernel: colours[kernel] for kernel in shares.kernels}


def _area(name: str, x: FloatArray, y: FloatArray, colour: str, group: str) -> dict[str, Any]:
    area: dict[str, Any] = {
        "name": isolated(name),
        "x": x.tolist(),
        "y": y.round(3).tolist(),
        "stackgroup": group,
        "mode": "lines",
        "line": {"width": 0.5, "color": "--surface"},
        "fillcolor": colour,
        "hovertemplate": f"%{{fullData.name}}: %{{y:.1f}} %, {group}<extra></extra>",
        "hoveron": "points",
        "showlegend": False,
    }
    if group == "extrapolated":
        area["fillpattern"] = HATCH | {"fgcolor": "--surface", "fgopacity": 0.5, "bgcolor": colour}
    return area


def _caption(shares: Shares, metric: str) -> str:
    held = f" with {formatting.configuration(shares.held)}" if shares.held else ""
    own = ", each kernel without what it calls" if shares.without_callees else ""
    return (
        f"Shares of predicted {metric}{held}{own}; measured up to {shares.parameter} = "
        f"{formatting.coordinate(shares.measured_to)}, hatched: extrapolated."
    )


def _keys(names: list[str], colours: list[str], percents: FloatArray) -> SafeString:
    """Return the legend, uppermost area first. It hides areas with a label at their right end, except where
    names do not fit next to the chart.
    """
    ends, largest = percents[:, -1].tolist(), percents.max(axis=1).tolist()
    labelled = [
        " labelled" if end >= VISIBLE or most < WORTH_A_KEY else ""
        for end, most in zip(ends, largest, strict=True)
    ]
    parts = [
        (
            hidden,
            colour.removeprefix("--"),
            isolated(short_tail(name, 2 * LONGEST)),
            formatting.percent(end / 100),
        )
        for hidden, name, colour, end in zip(labelled, names, colours, ends, strict=False)
    ]
    items = format_html_join(
        " ", '<span class="key{}"><i class="swatch {}"></i>{} {}</span>', reversed(parts)
    )
    return format_html(' <span class="keys{}">{}</span>', " labelled" if all(labelled) else "", items)


def _layout(
    shares: Shares, target: float, names: list[str], ends: FloatArray, colours: list[str]
) -> dict[str, Any]:
    known = sorted({*shares.measured, target})
    ticks = sorted([*known, *halfway(known)])
    across = {
        "type": "log", "title": {"text": short(shares.parameter, TITLE)}, "tickvals": ticks,
        "ticktext": [formatting.coordinate(tick) for tick in ticks], "showgrid": False,
        "hoverformat": ",.4~r",
    }  # fmt: skip
    span = {"range": [place(float(end), log=True) for end in (shares.x[0], shares.x[-1])]}
    fitting = fitting_ticks(across | span, WIDTH)
    # Half of the last tick's label stands beyond the axis; Plotly hides labels that do not fit.
    beyond = round(max(28, LETTER * len(formatting.coordinate(ticks[-1])) / 2 + 6))
    border = {
        "type": "line", "x0": shares.measured_to, "x1": shares.measured_to, "xref": "x",
        "y0": 0, "y1": 1, "yref": "paper", "line": {"dash": "dot", "width": 1.5, "color": "--ink"},
    }  # fmt: skip
    return {
        "xaxis": across | fitting,
        "yaxis": {
            "range": [0, 100], "tickvals": QUARTERS,
            "ticktext": [f"{quarter} %" for quarter in QUARTERS],
        },
        # The hover box shows all shares at the position of the pointer, in every area.
        "hovermode": "x unified",
        "shapes": [border] if target > shares.measured_to else [],
        **_labels(shares, names, ends, colours, LONGEST),
        # on a phone, labels do not fit; the caption explains the colours there
        "meta": {
            "narrow": {"annotations": [], "margin": {"r": beyond}, "xaxis": on_a_phone(across | span)},
            "wide": _labels(shares, names, ends, colours, LONGEST_IF_WIDE),
        },
    }  # fmt: skip


def _labels(
    shares: Shares, names: list[str], ends: FloatArray, colours: list[str], most: int
) -> dict[str, Any]:
    """Return the kernels' names at the right ends of their areas, and the margin that they need.

    Before each name there is a square of the area's colour, because labels of thin areas are moved up.
    """
    found: list[dict[str, Any]] = []
    widest = 0
    intervals = [*_intervals(shares), *[""] * len(names)]
    for name, label, end, y, colour, interval in zip(
        names, short_apart(names, most), ends, _spread(ends), colours, intervals, strict=False
    ):
        if end < VISIBLE:
            continue
        at = {"x": 1.01, "xref": "paper", "xanchor": "left", "y": y, "yref": "y", "showarrow": False}
        text = f"{isolated(label)} {formatting.percent(end / 100)}"
        hover = f"{isolated(name)}, 95 %: {interval}" if interval else isolated(name)
        found += [
            at | {"text": "■", "font": {"color": colour, "size": 14}},
            at | {"text": text, "hovertext": hover, "xshift": SWATCH},
        ]
        widest = max(widest, len(text))
    return {"annotations": found, "margin": {"r": round(SWATCH + LETTER * widest + EDGE)}}


def _spread(ends: FloatArray) -> list[float]:
    """Return heights of the labels: the middle of each band, moved up where visible labels would overlap."""
    heights: list[float] = []
    below, lowest, highest = 0.0, 2.0, 0.0
    for end in ends:
        heights.append(max(below + end / 2, lowest))
        if end >= VISIBLE:
            highest, lowest = heights[-1], heights[-1] + 100 * APART
        below += end
    excess = max(highest - 98.0, 0.0)
    return [height - excess for height in heights]


def _rows(shares: Shares, target: float, percents: FloatArray) -> list[list[str]]:
    """Return a row for each measured value and for the target. Only the target's row has intervals."""
    rows = []
    for value in sorted({*shares.measured, target}):
        at = int(np.searchsorted(shares.x, value))
        column = [formatting.percent(share / 100) for share in percents[:, at]]
        if value == target:
            ends = _intervals(shares)
            column = [f"{share} ({end})" if end else share for share, end in zip_longest(column, ends)]
        rows.append([formatting.coordinate(value), *column])
    return rows


def _intervals(shares: Shares) -> list[str]:
    """Return 95 % intervals of the named kernels' shares at the target; empty where they are not known."""
    return [formatting.percents(*ends) for ends in shares.ends.T.tolist()]
