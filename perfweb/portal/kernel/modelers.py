"""The laws of all modelers for one kernel, in comparison."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.safestring import SafeString

from modeling.engine import MODELERS, Models
from modeling.selectors.kernel.curves import Curve, Estimate, curve, estimate
from modeling.selectors.kernel.modelers import by_modeler
from perfweb.portal.charts.fit.figure import fit_figure
from perfweb.portal.charts.fit.scene import Line
from perfweb.portal.kernel.fit import Fit, differs, fit_scene
from perfweb.portal.text import formatting, laws
from perfweb.portal.text.topics.modelers import method_words
from perfweb.portal.text.units import Multiple

COLOURS = ("--series-3", "--series-6", "--series-4")
"""Colours of the other modelers' lines: neither those of the law and the target, nor pale on paper."""

AGREE = 1.05
"""Predictions that differ by at most this factor are said to agree."""


@dataclass(frozen=True)
class Side:
    """One modeler's law (with several `segments` the last), errors and prediction.

    The interval is over all probable laws if `over_all_laws`, else of this law alone. `method` says how the
    adaptive modeler found the law.
    """

    name: str
    law: SafeString
    segments: int
    status: str
    cv_smape: float
    holdout_error: float
    prediction: Estimate | None
    over_all_laws: bool
    stored: bool
    method: str


def modelers_side_by_side(fit: Fit, modeler: str) -> dict[str, Any]:
    """Return the table and the chart of all modelers; `modeler` is the modeler of the stored run."""
    if fit.found.model is None or fit.models is None:
        return {}
    found = by_modeler(fit.found.model, modeler, fit.campaign, fit.found.values)
    unit = _unit(fit, list(found.values()))
    sides = [_side(fit, name, models, unit, stored=name == modeler) for name, models in found.items()]
    scene = replace(fit_scene(fit), others=_lines(fit, found, modeler))
    return {
        "sides": sides,
        "absent": [name for name in MODELERS if name not in found],
        "figure": fit_figure(scene),
        "sentence": _sentence(fit, sides),
    }


def _unit(fit: Fit, found: Sequence[Models]) -> Multiple:
    """Return the unit in which all modelers' laws are written."""
    numbers = [each for models in found for each in (models.constant[0], *models.coefficients[0].tolist())]
    predicted = fit.prediction.predicted if fit.prediction else None
    return laws.unit_of((each for each in numbers if math.isfinite(each)), fit.focus.unit, predicted)


def _side(fit: Fit, name: str, models: Models, unit: Multiple, *, stored: bool) -> Side:
    parameters = fit.campaign.parameters
    coefficients, exponents = models.coefficients[0].tolist(), models.exponents[0].ravel().tolist()
    constant = float(models.constant[0])
    return Side(
        name=name,
        law=laws.typeset(constant, coefficients, exponents, parameters, unit)
        if not math.isnan(constant)
        else SafeString(""),
        segments=0 if models.segments is None else len(models.segments.kernel) + 1,
        status=str(models.status[0]),
        cv_smape=float(models.cv_smape[0]),
        holdout_error=float(models.holdout_error[0]),
        prediction=estimate(models, fit.state.target) if fit.state.target else None,
        over_all_laws=models.posterior is not None,
        stored=stored,
        method="" if models.method is None else method_words(str(models.method[0])),
    )


def _lines(fit: Fit, found: Mapping[str, Models], modeler: str) -> list[Line]:
    """Return the other modelers' laws that differ visibly from the run's own, equal ones as one line."""
    state, own = fit.state, fit_scene(fit).law
    if own is None or not len(own.x):
        return []
    names: list[list[str]] = []
    curves: list[Curve] = []
    for name in (name for name in found if name != modeler):
        line = curve(found[name], state.slice, state.along, own.x[0], own.x[-1])
        equal = next((at for at, other in enumerate(curves) if not differs(line, other)), None)
        if equal is not None:
            names[equal].append(name)
        elif differs(line, own):
            names.append([name])
            curves.append(line)
    lines = zip(names, curves, COLOURS, strict=False)
    return [Line(", ".join(same), line, colour) for same, line, colour in lines]


def _sentence(fit: Fit, sides: Sequence[Side]) -> str:
    """Return a sentence on whether the choice of the modeler matters."""
    known = [side.prediction.predicted for side in sides if side.prediction and side.prediction.predicted > 0]
    if len(known) < 2 or fit.focus.target is None:
        return ""
    low, high, unit = min(known), max(known), fit.focus.unit
    at = f"At {fit.focus.target.text}"
    if high <= AGREE * low:
        return f"{at} all modelers predict about {formatting.quantity(high, unit)}."
    ends = formatting.interval(low, high, unit, high)
    factor = formatting.number(high / low, 2)
    return f"{at} the modelers predict {ends}: they differ by a factor of {factor}."
