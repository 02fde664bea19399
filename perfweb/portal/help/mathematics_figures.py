"""Figures of the help's page on the mathematics."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from modeling.engine import NOISE_SHAPES, FloatArray, IntArray, noise_factors
from modeling.selectors.run.weighed import Rival
from perfweb.portal.charts.axes import coordinate_axis, quantity_axis
from perfweb.portal.charts.figures import Figure
from perfweb.portal.charts.plotly_text import HOVER_TEXT
from perfweb.portal.help import examples
from perfweb.portal.text import formatting, laws
from perfweb.portal.text.topics.noise_families import KINDS

DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
DRAWN_RIVALS = 4
"""Limit on the rivals that are drawn."""

DEVIATION = 0.1
"""Standard deviation of the noise for which families are drawn."""

_SKIP: dict[str, Any] = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}


@lru_cache(maxsize=1)
def rivals_figure() -> Figure:
    """Return a chart of laws that agree only in the measured range, and of the interval over all laws."""
    example, found = examples.rivals()
    x = np.geomspace(examples.PROCESSES[0], examples.FARTHEST_PROCESSES, 41).round(2)
    lower, upper = (each[0].tolist() for each in example.models.interval(x[:, None]))
    drawn = found.rivals[:DRAWN_RIVALS]
    curves = [_values(rival, x.tolist()) for rival in drawn]
    names = [laws.plain(laws.shape(rival.exponents, ["p"])) for rival in drawn]
    shares = [formatting.percent(rival.probability) for rival in drawn]
    ends = formatting.interval(lower[-1], upper[-1], "s", upper[-1])
    far = formatting.coordinate(examples.FARTHEST_PROCESSES)
    last = examples.PROCESSES[-1]
    ends_of_axis = (examples.PROCESSES[0], examples.FARTHEST_PROCESSES)
    return Figure(
        name="Laws that diverge beyond the data",
        caption="Five runs at each of five process counts allow several laws. In the measured range the laws "
        f"agree; at p = {far} they do not, and the 95 % interval over all of them is {ends}.",
        data=[
            _SKIP | {"x": x.tolist(), "y": lower},
            _SKIP | {"x": x.tolist(), "y": upper, "fill": "tonexty", "fillcolor": "--band"},
            *(
                _line(number, x.tolist(), curve)
                | {
                    "text": [f"{name} ({share}): {formatting.quantity(y, 's')}" for y in curve],
                    "hovertemplate": HOVER_TEXT,
                }
                for number, (curve, name, share) in enumerate(zip(curves, names, shares, strict=True))
            ),
            _runs(example.points, example.values),
        ],
        layout={
            "xaxis": coordinate_axis(
                "processes p", examples.PROCESSES, [examples.FARTHEST_PROCESSES], ends_of_axis, log=True
            ),
            "yaxis": quantity_axis((min(lower), max(upper)), "s", log=True),
            "margin": {"r": 130},
            "annotations": _labels(x[-1], [curve[-1] for curve in curves], names, shares),
        },
        columns=["law", "probability", f"p = {last:g}", f"p = {far}"],
        rows=[
            [
                laws.shape(rival.exponents, ["p"]),
                share,
                *(formatting.quantity(y, "s") for y in _values(rival, [last, examples.FARTHEST_PROCESSES])),
            ]
            for rival, share in zip(drawn, shares, strict=True)
        ],
        height=360,
    )


def _line(number: int, x: list[float], y: list[float]) -> dict[str, Any]:
    line = {"color": f"--series-{number + 1}", "width": 2, "dash": DASHES[number]}
    return {"x": x, "y": y, "mode": "lines", "line": line}


def _runs(points: FloatArray, values: FloatArray) -> dict[str, Any]:
    runs = values.ravel().tolist()
    return {
        "x": np.repeat(points[:, 0], values.shape[1]).tolist(),
        "y": runs,
        "mode": "markers",
        "marker": {"color": "--muted", "size": 5, "opacity": 0.6},
        "text": [formatting.quantity(run, "s") for run in runs],
        "hovertemplate": HOVER_TEXT,
    }


def _values(rival: Rival, x: Sequence[float]) -> list[float]:
    terms = list(zip(rival.coefficients, rival.exponents[::2], rival.exponents[1::2], strict=True))
    return [rival.constant + sum(c * at**i * math.log2(at) ** j for c, i, j in terms) for at in x]


def _labels(x: float, ends: list[float], names: list[str], shares: list[str]) -> list[dict[str, Any]]:
    """Return names at the ends of the lines, moved apart where they would overlap."""
    found, highest = [], -np.inf
    for place in np.argsort(ends):
        highest = max(np.log10(ends[place]), highest + 0.055)
        found.append(
            {
                "x": np.log10(x), "y": highest, "xanchor": "left", "xshift": 6, "showarrow": False,
                "text": f"{names[place]} ({shares[place]})",
            }
        )  # fmt: skip
    return found


@lru_cache(maxsize=1)
def families_figure() -> Figure:
    """Return the density of a repetition divided by its law, under families of noise of equal deviation."""
    x = np.linspace(0.7, 1.45, 151)
    curves = _densities(x)
    names = [KINDS[shape][0] for shape in curves]
    quantiles = np.array([0.025, 0.5, 0.975])
    return Figure(
        name="Families of noise",
        caption="The distribution of runs around their law under five families of noise, all with a "
        "standard deviation of 10 %. Half of the runs lie above the law. Under one-sided noise no run is "
        "faster than a lower bound.",
        data=[
            _line(number, x.round(4).tolist(), density.round(4).tolist())
            | {
                "name": name,
                "hovertemplate": "%{fullData.name} noise: %{x:.2f}× the law<extra></extra>",
            }
            for number, (density, name) in enumerate(zip(curves.values(), names, strict=True))
        ],
        layout={
            "xaxis": {
                "title": {"text": "run, as a multiple of its law"},
                "tickvals": [0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4],
                "range": [0.7, 1.45],
            },
            "yaxis": {"visible": False, "rangemode": "tozero"},
            "showlegend": True,
            "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
            "margin": {"t": 48},
        },
        columns=["family", "2.5 %", "median", "97.5 %"],
        rows=[
            [name, *(formatting.number(value, 3) for value in _quantiles(shape, quantiles))]
            for shape, name in zip(curves, names, strict=True)
        ],
        height=300,
    )  # fmt: skip


def _densities(x: FloatArray) -> dict[str, FloatArray]:
    """Return the density of each family at multiples of the law."""
    deviation, log = DEVIATION, np.log(x)
    width, scale = deviation * np.sqrt(12), deviation / np.sqrt(2)
    median = 1 + deviation * np.log(2)  # median of one-sided noise, as a multiple of its smallest value
    return {
        "uniform": (np.abs(x - 1) <= width / 2) / width,
        "normal": np.exp(-(((x - 1) / deviation) ** 2) / 2) / deviation / np.sqrt(2 * np.pi),
        "log-normal": np.exp(-((log / deviation) ** 2) / 2) / deviation / np.sqrt(2 * np.pi) / x,
        "one-sided": np.where(
            x * median >= 1, np.exp(-(x * median - 1) / deviation) * median / deviation, 0.0
        ),
        "heavy-tailed": np.exp(-np.abs(log) / scale) / (2 * scale) / x,
    }


def _quantiles(shape: str, probabilities: FloatArray) -> list[float]:
    scale = {"uniform": np.sqrt(12), "heavy-tailed": 1 / np.sqrt(2)}.get(shape, 1.0) * DEVIATION
    family = np.array([[NOISE_SHAPES.index(shape)]])
    return list(noise_factors(family, np.array([[scale]]), probabilities)[0, 0].tolist())


@lru_cache(maxsize=1)
def shared_figure() -> Figure:
    """Return a chart of points that deviate together from their law."""
    found = examples.shared()
    p, n = found.points.T
    counts, place = np.unique(p, return_inverse=True)
    truth = formatting.quantity(found.truth, "s")
    evidence, regression = (
        formatting.interval(*ends, "s", found.truth) for ends in (found.evidence, found.regression)
    )
    where = formatting.configuration(dict(zip("pn", examples.GOAL, strict=True)))
    return Figure(
        name="Deviations that points share",
        caption="Points with the same number of processes lie above or below the true law together, so 20 "
        f"points say as much about p as four points. At {where} the true value is {truth}. Evidence gives "
        f"{evidence}; regression, which treats all points as independent, follows the steps and gives "
        f"{regression}.",
        data=[_residuals(place, p, n, found.residuals)],
        layout=_shared_layout([formatting.coordinate(count) for count in counts]),
        columns=["p", *(f"n = {size:g}" for size in np.unique(n))],
        rows=[
            [
                formatting.coordinate(count),
                *(formatting.signed_percent(value) for value in found.residuals[p == count].tolist()),
            ]
            for count in counts
        ],
        height=280,
    )


def _residuals(place: IntArray, p: FloatArray, n: FloatArray, residuals: FloatArray) -> dict[str, Any]:
    """Return residuals in percent, side by side for each process count; `place` is the count's index."""
    return {
        "x": (place + (n - 3) / 12).tolist(),
        "y": (100 * residuals).tolist(),
        "mode": "markers",
        "marker": {"color": [f"--series-{at + 1}" for at in place.tolist()], "size": 8},
        "text": [
            f"p = {at:g}, n = {size:g}: {formatting.signed_percent(value)}"
            for at, size, value in zip(p, n, residuals.tolist(), strict=True)
        ],
        "hovertemplate": HOVER_TEXT,
    }


def _shared_layout(counts: list[str]) -> dict[str, Any]:
    return {
        "xaxis": {
            "title": {"text": "processes p, five problem sizes each"},
            "tickvals": list(range(len(counts))),
            "ticktext": counts,
            "range": [-0.5, len(counts) - 0.5],
            "showgrid": False,
        },
        "yaxis": {
            "title": {"text": "off the law"},
            "tickvals": [-10, -5, 0, 5, 10],
            "ticktext": ["−10 %", "−5 %", "0", "+5 %", "+10 %"],
            "range": [-12, 12],
        },
    }
