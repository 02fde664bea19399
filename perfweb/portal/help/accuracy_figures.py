"""Figures of the help's page on accuracy."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from perfweb.portal.charts.figures import Figure
from perfweb.portal.charts.plotly_text import HOVER_TEXT
from perfweb.portal.help import accuracy
from perfweb.portal.help.accuracy import EVIDENCE, NOISE, ORACLE, REGRESSION, Accuracy
from perfweb.portal.text.formatting import in_percent

WORDS = {1: "one parameter", 2: "two parameters", 3: "three parameters"}
_DASHES = ("solid", "dash", "dot", "dashdot")
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x")


@dataclass(frozen=True)
class ModelerLine:
    """The values of one modeler's line in a figure: a quantity over the noise, both in percent."""

    name: str
    values: Mapping[int, float]


def error_figure(found: Accuracy, parameters: int) -> Figure:
    """Return a chart of median errors at P4+ over the noise: ours and published ones."""
    lines = [
        _ours(found, EVIDENCE, parameters, "evidence"),
        _ours(found, ORACLE, parameters, "true terms known"),
        _ours(found, REGRESSION, parameters, "regression of this portal"),
        ModelerLine("Extra-P 4.2.5", accuracy.EXTRAP_ERROR[parameters]),
        ModelerLine("deep network, as published", accuracy.PUBLISHED_DNN[parameters]),
    ]
    first, ideal = (line.values[NOISE[-1]] for line in lines[:2])
    return _figure(
        f"Median error at the fourth value beyond the data, {WORDS[parameters]}",
        f"With {WORDS[parameters]} and noise of 100 % the median error of evidence is {in_percent(first)}; "
        f"that of the fit that knows the true terms is {in_percent(ideal)}.",
        lines,
        log=True,
    )


def near_figure(found: Accuracy, parameters: int) -> Figure:
    """Return a chart of how often all lead exponents are near the truth."""
    lines = [
        ModelerLine("evidence", _near(found, EVIDENCE, parameters)),
        ModelerLine("regression of this portal", _near(found, REGRESSION, parameters)),
        ModelerLine("Extra-P 4.2.5", accuracy.EXTRAP_NEAR[parameters]),
    ]
    ours, theirs = lines[0].values[50], lines[2].values[50]
    return _figure(
        f"Lead exponents within 1/4, {WORDS[parameters]}",
        f"With {WORDS[parameters]} and noise of 50 % evidence has all lead exponents within 1/4 of the truth "
        f"for {in_percent(ours)} of the functions, Extra-P for {in_percent(theirs)}.",
        lines,
        log=False,
    )


def _ours(found: Accuracy, modeler: str, parameters: int, name: str) -> ModelerLine:
    return ModelerLine(name, {noise: found.row(modeler, parameters, noise).error[-1] for noise in NOISE})


def _near(found: Accuracy, modeler: str, parameters: int) -> dict[int, float]:
    near = {noise: found.row(modeler, parameters, noise).near for noise in NOISE}
    return {noise: value for noise, value in near.items() if value is not None}


def _figure(name: str, caption: str, lines: list[ModelerLine], *, log: bool) -> Figure:
    ticks = [0.01, 0.1, 1, 10, 100] if log else [0, 25, 50, 75, 100]
    return Figure(
        name=name,
        caption=caption,
        data=[_trace(line, number) for number, line in enumerate(lines)],
        layout={
            "xaxis": {
                "type": "category",
                "title": {"text": "noise"},
                "categoryarray": [in_percent(noise) for noise in NOISE],
                "range": [-0.2, len(NOISE) - 0.8],
                "showgrid": False,
            },
            "yaxis": {
                "type": "log" if log else "linear",
                "tickvals": ticks,
                "ticktext": [f"{tick:g} %" for tick in ticks],
                "rangemode": "tozero",
                **({} if log else {"range": [0, 103]}),
            },
            "showlegend": True,
            "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
            "margin": {"t": 48},
        },
        columns=["modeler", *(in_percent(noise) for noise in NOISE)],
        rows=[[line.name, *(in_percent(line.values.get(noise)) for noise in NOISE)] for line in lines],
        height=360,
    )


def _trace(line: ModelerLine, number: int) -> dict[str, Any]:
    return {
        "x": [in_percent(noise) for noise in line.values],
        "y": list(line.values.values()),
        "name": line.name,
        "mode": "lines+markers",
        "line": {"color": f"--series-{number + 1}", "width": 2, "dash": _DASHES[number % len(_DASHES)]},
        "marker": {"size": 7, "symbol": _SYMBOLS[number]},
        "text": [
            f"{line.name}, noise {in_percent(noise)}: {in_percent(value)}"
            for noise, value in line.values.items()
        ],
        "hovertemplate": HOVER_TEXT,
    }
