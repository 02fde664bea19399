"""How does one kernel scale, and how far can that be trusted?"""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ingest.models import Campaign
from modeling import arrays
from modeling.engine import ENGINE_VERSION, Models
from modeling.engine.identifiers import identifiers
from modeling.engine.trust import GUESS, UNKNOWN
from modeling.models import Model, ModelRun
from modeling.selectors.curves import PointValues, point_values
from modeling.selectors.kernel import KernelFound, difference, forecasts_of, kernel_get, steps
from perfweb.portal.asked.campaign import campaign_or_404, target_to_evaluate
from perfweb.portal.asked.focus import Focus, focus_of_campaign
from perfweb.portal.charts.versions import versions_figure
from perfweb.portal.files.exports import Value, as_csv, as_json, parameter_columns
from perfweb.portal.kernel.dependencies import dependencies_shown
from perfweb.portal.kernel.facts import law_sentence, missing_points, reservation, trust
from perfweb.portal.kernel.fit import Fit, fit_figures, fit_surface
from perfweb.portal.kernel.known import known
from perfweb.portal.kernel.modelers import modelers_side_by_side
from perfweb.portal.kernel.reliance import difference as difference_of
from perfweb.portal.kernel.segments import segments_card
from perfweb.portal.kernel.state import SCALES, KernelState, state_read, target_typed
from perfweb.portal.tables.kernel import Body, steps_body


@login_required
@require_safe
def kernel(request: HttpRequest, campaign_id: int, kernel_id: int) -> HttpResponse:
    """The kernel's page with its tabs."""
    campaign, run = campaign_or_404(request, campaign_id)
    focus = focus_of_campaign(request, campaign)
    typed = target_typed(request.GET, campaign, focus.target)
    if typed is not None:
        return _with_target(request, typed)
    found = _found_or_404(focus, campaign, run, kernel_id)
    state = state_read(request.GET, campaign, focus.target)
    context = {
        "focus": focus, "campaign": campaign, "run": run, "found": found, "state": state,
        "scales": SCALES, "kept": _kept(request), "engine": ENGINE_VERSION,
        "difference": focus.metric and difference(kernel_id, focus.metric, focus.predecessor, campaign),
        **_tab(focus, campaign, run, found, state),
    }  # fmt: skip
    return render(request, f"kernel/{state.tab}.html", context)


@login_required
@require_safe
def kernel_data(request: HttpRequest, campaign_id: int, kernel_id: int, kind: str) -> HttpResponse:
    """Every run of the kernel with the law at its point, as a file."""
    campaign, run = campaign_or_404(request, campaign_id)
    focus = focus_of_campaign(request, campaign)
    found = _found_or_404(focus, campaign, run, kernel_id)
    models = _models(found.model, campaign)
    points = point_values(models, campaign.points, found.values)
    unit = f" [{focus.unit}]" if focus.unit else ""
    runs = [f"run {number}{unit}" for number in range(1, found.values.shape[1] + 1)]
    others = [f"median{unit}", f"law{unit}", "residual", *runs]
    columns = [*parameter_columns(campaign.parameters, others), *others]
    rows = [_record(point, len(runs)) for point in points]
    name = f"{focus.application.slug}-{campaign.version.label}-{found.kernel.name}"
    return (as_csv if kind == "csv" else as_json)(name, columns, rows)


@login_required
@require_safe
def kernel_surface(request: HttpRequest, campaign_id: int, kernel_id: int) -> HttpResponse:
    """The law over two parameters as heights, in the state that the page's address says."""
    campaign, run = campaign_or_404(request, campaign_id)
    focus = focus_of_campaign(request, campaign)
    found = _found_or_404(focus, campaign, run, kernel_id)
    models = _models(found.model, campaign)
    points = point_values(models, campaign.points, found.values)
    state = state_read(request.GET, campaign, focus.target)
    drawing = fit_surface(Fit(focus, campaign, found, state, models, points))
    if drawing is None:
        raise Http404("This kernel has no law over two parameters.")
    return HttpResponse(drawing.json, content_type="application/json")


def _record(point: PointValues, runs: int) -> list[Value]:
    missing: list[Value] = [None] * (runs - len(point.repetitions))
    return [*point.point, point.median, point.law, point.residual, *point.repetitions, *missing]


def _with_target(request: HttpRequest, target: str) -> HttpResponse:
    """The same page with the typed target in its place in the address."""
    asked = request.GET.copy()
    for name in [name for name in asked if name.startswith("at-")]:
        del asked[name]
    asked["target"] = target
    return HttpResponseRedirect(f"{request.path}?{asked.urlencode()}")


def _found_or_404(focus: Focus, campaign: Campaign, run: ModelRun | None, kernel_id: int) -> KernelFound:
    before = focus.predecessor.run_id if focus.predecessor else None
    found = kernel_get(campaign, run, focus.metric, kernel_id, before) if focus.metric else None
    if found is None:
        raise Http404("This campaign has no such kernel in this metric.")
    return found


def _models(model: Model | None, campaign: Campaign) -> Models | None:
    """The engine's form of a stored law; None where there is no law."""
    if model is None or model.constant is None:
        return None
    return arrays.models_load([model], campaign)


def _kept(request: HttpRequest) -> list[tuple[str, str]]:
    """What a picker of the page must send along to stay where the reader is."""
    return [
        (name, str(value))
        for name, value in request.GET.items()
        if name in ("tab", "x", "scale") or name.startswith("fix-")
    ]


def _tab(
    focus: Focus, campaign: Campaign, run: ModelRun | None, found: KernelFound, state: KernelState
) -> dict[str, Any]:
    """What the chosen tab needs."""
    models = _models(found.model, campaign)
    points = point_values(models, campaign.points, found.values)
    if state.tab == "data":
        return {"points": points}
    if state.tab == "history":
        return _history(focus, campaign, run, found, state)
    fit = Fit(focus, campaign, found, state, models, points)
    if state.tab == "modelers":
        sides = modelers_side_by_side(fit, run.modeler) if run and state.fits_others else {}
        return sides | _reservation(found.model)
    return _fit(fit)


def _fit(fit: Fit) -> dict[str, Any]:
    figures = fit_figures(fit)
    model, models, campaign = fit.found.model, fit.models, fit.campaign
    if models is None or model is None:
        return {"figures": figures, **_reservation(model)}
    forecasts = forecasts_of(model)
    names = campaign.parameters
    return {
        "figures": figures,
        **known(fit, models),
        **dependencies_shown(fit),
        "sentence": law_sentence(model, campaign, fit.focus.parameters, fit.weighed),
        **_trust(fit),
        **_reservation(model),
        "missing": missing_points(campaign, fit.points),
        "segments": segments_card(fit.segmented, names),
        "copies": {
            "LaTeX": models.latex(names)[0],
            "Python": _python(models, names),
            "text": models.expressions(names)[0],
        },
        "prediction": fit.prediction,
        "intervals": fit.intervals,
        "facts": trust(model, campaign, fit.state.target, forecasts),
        "forecasts": forecasts,
    }


def _trust(fit: Fit) -> dict[str, Any]:
    """How far the prediction can be trusted; nothing without a target."""
    judged = fit.judged
    if judged is None:
        return {}
    return {
        "grade": judged.grade,
        "doubtful": judged.grade in (GUESS, UNKNOWN),
        "reasons": judged.reasons(fit.campaign.parameters),
        "law_apart": difference_of(fit),
        "deviates": fit.deviates,
    }


def _python(models: Models, names: Sequence[str]) -> str:
    """The law in Python, with what the parameters are called there where they cannot keep their names."""
    others = {written: name for name, written in identifiers(names).items() if written != name}
    about = "".join(f"\n# {written} is {name!r}" for written, name in others.items())
    return f"{models.python(names)[0]}{about}"


def _reservation(model: Model | None) -> dict[str, str]:
    return {"reservation": reservation(model)} if model else {}


def _history(
    focus: Focus, campaign: Campaign, run: ModelRun | None, found: KernelFound, state: KernelState
) -> dict[str, Any]:
    if focus.metric is None:
        return {}
    line = steps(found.kernel.pk, focus.metric, focus.versions, campaign, target_to_evaluate(focus, run))
    target = focus.target.name if focus.target else "the largest measured point"
    return {
        "steps": line[::-1],
        "body": steps_body(Body(found.kernel.pk, campaign.pk, focus.metric, state.query), line),
        "figure": versions_figure(line, focus.metric, target),
    }
