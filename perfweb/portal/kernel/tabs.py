"""The content of each tab of the kernel's page."""

from collections.abc import Sequence
from typing import Any

from ingest.models import Campaign
from modeling.engine import GUESS, UNKNOWN, Models, python_identifiers
from modeling.models import Model, ModelRun
from modeling.selectors.kernel.curves import PointValues, point_values
from modeling.selectors.kernel.kernel import KernelFound, forecasts_of, steps
from modeling.selectors.kernel.pooled import stretches
from modeling.selectors.run.expected import expectations_of_kernel
from modeling.selectors.versions.aliases import named_in_turn
from modeling.selectors.versions.standings import line_through
from modeling.storage import arrays
from perfweb.portal.asked.campaign import target_to_evaluate
from perfweb.portal.asked.focus import Focus
from perfweb.portal.charts.fit.figure import fit_figure
from perfweb.portal.charts.versions import versions_figure
from perfweb.portal.kernel.dependencies import dependencies_shown
from perfweb.portal.kernel.facts import law_sentence, missing_points, reservation, trust
from perfweb.portal.kernel.fit import Fit, fit_scene, scale_choices
from perfweb.portal.kernel.modelers import modelers_side_by_side
from perfweb.portal.kernel.plane import plane_figure
from perfweb.portal.kernel.posterior import posterior_content
from perfweb.portal.kernel.reliance import difference
from perfweb.portal.kernel.segments import segments_card
from perfweb.portal.kernel.state import KernelState
from perfweb.portal.kernel.widened import widened
from perfweb.portal.tables.kernel_versions import VersionsTable, steps_body
from perfweb.portal.text.units import multiple
from perfweb.reasons import trust_reasons
from perfweb.together import together_note


def tab_context(
    focus: Focus, campaign: Campaign, run: ModelRun | None, found: KernelFound, state: KernelState
) -> dict[str, Any]:
    """Return the template context of the chosen tab."""
    models = models_of(found.model, campaign)
    points = point_values(models, campaign.points, found.values)
    if state.tab == "data":
        return _data(points, focus.unit)
    if state.tab == "history":
        return _history(focus, campaign, run, found, state)
    fit = Fit(focus, campaign, found, state, models, points)
    if state.tab == "modelers":
        sides = modelers_side_by_side(fit, run.modeler) if run and state.fits_others else {}
        return sides | _reservation(found.model)
    return _fit(fit)


def _data(points: Sequence[PointValues], unit: str) -> dict[str, Any]:
    """Return the points in order, and one unit for all values, in which the middle one is easiest to read."""
    medians = sorted(point.median for point in points if point.median is not None)
    factor, name = multiple(medians[len(medians) // 2] if medians else None, unit)
    return {"points": sorted(points, key=lambda point: tuple(point.point)), "factor": factor, "unit": name}


def models_of(model: Model | None, campaign: Campaign) -> Models | None:
    """Return the engine's form of a stored law; None if there is no law."""
    if model is None or model.constant is None:
        return None
    return arrays.models_load([model], campaign)


def _fit(fit: Fit) -> dict[str, Any]:
    scene = fit_scene(fit)
    figures = {"figure": fit_figure(scene), "plane": plane_figure(fit), "scales": scale_choices(fit, scene)}
    model, models, campaign = fit.found.model, fit.models, fit.campaign
    if models is None or model is None:
        return figures | _reservation(model)
    forecasts = forecasts_of(model)
    names = campaign.parameters
    return figures | {
        "expected": expectations_of_kernel(model.run_id, model.kernel_id, model.metric_id),
        **posterior_content(fit, models),
        **dependencies_shown(fit),
        "sentence": law_sentence(model, campaign, fit.focus.parameters, fit.weighed, fit.following),
        "together": together_note(fit.relations, names, written=fit.without_following),
        **_trust(fit),
        **_reservation(model),
        "missing": missing_points(campaign, fit.points),
        "segments": segments_card(fit.segmented, names, fit.focus.unit),
        "copies": {
            "LaTeX": models.latex(names)[0],
            "Python": _python(models, names),
            "text": models.expressions(names)[0],
        },
        "prediction": fit.prediction,
        "intervals": fit.intervals,
        "facts": trust(model, campaign, fit.measured, fit.places, forecasts),
        "forecasts": forecasts,
    }


def _trust(fit: Fit) -> dict[str, Any]:
    """Return the trust in the prediction; empty without a target."""
    judged = fit.judged
    if judged is None:
        return {}
    return {
        "grade": judged.grade,
        "widened": widened(fit.found.ledger, judged, fit.prediction),
        "doubtful": judged.grade in (GUESS, UNKNOWN),
        "reasons": trust_reasons(judged, fit.campaign.parameters),
        "law_apart": difference(fit),
        "deviates": fit.deviates,
    }


def _python(models: Models, names: Sequence[str]) -> str:
    """Return the law in Python, with a list of the parameters whose names had to be changed for Python."""
    others = {written: name for name, written in python_identifiers(names).items() if written != name}
    about = "".join(f"\n# {written} is {name!r}" for written, name in others.items())
    return f"{models.python(names)[0]}{about}"


def _reservation(model: Model | None) -> dict[str, str]:
    return {"reservation": reservation(model)} if model else {}


def _history(
    focus: Focus, campaign: Campaign, run: ModelRun | None, found: KernelFound, state: KernelState
) -> dict[str, Any]:
    if focus.metric is None:
        return {}
    kernels = named_in_turn(found.kernel.pk, focus.aliases)
    shown = line_through(focus.versions, focus.version)
    line = steps(kernels, focus.metric, shown, campaign, target_to_evaluate(focus, run))
    target = focus.target.name if focus.target else "the largest measured point"
    return {
        "steps": line[::-1],
        "body": steps_body(
            VersionsTable(
                found.kernel.pk,
                campaign.pk,
                focus.metric,
                state.query,
                focus.application.repository,
                stretches(kernels, focus.metric, line),
            ),
            line,
        ),
        "figure": versions_figure(line, focus.metric, target),
    }
