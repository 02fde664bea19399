"""Answers the question: how does one kernel scale, and how reliable is its law?"""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ingest.models import Campaign
from ingest.selectors import bound_parameters
from modeling.engine import ENGINE_VERSION
from modeling.models import ModelRun
from modeling.selectors.alerts.counts import alerts_of_kernel
from modeling.selectors.kernel.curves import PointValues, point_values
from modeling.selectors.kernel.kernel import KernelFound, difference, kernel_get
from perfweb.portal.asked.campaign import campaign_or_404
from perfweb.portal.asked.focus import Focus, focus_of_campaign
from perfweb.portal.files.exports import Value, as_csv, as_json, parameter_columns
from perfweb.portal.kernel.fit import Fit
from perfweb.portal.kernel.plane import fit_surface
from perfweb.portal.kernel.state import state_read, tab_of, target_typed
from perfweb.portal.kernel.tabs import models_of, tab_context


@login_required
@require_safe
def kernel(request: HttpRequest, campaign_id: int, kernel_id: int) -> HttpResponse:
    """Show the kernel's page with its tabs."""
    campaign, run = campaign_or_404(request, campaign_id, with_origins=True)
    focus = focus_of_campaign(request, campaign)
    shows_fit = tab_of(request.GET) == "fit"
    found = _found_or_404(focus, campaign, run, kernel_id, with_dependencies=shows_fit)
    points = found.measured_points(campaign)
    bound = bound_parameters(campaign, focus.parameters, points)
    typed = target_typed(request.GET, campaign, focus.target, bound)
    if typed is not None:
        return _with_target(request, typed)
    state = state_read(request.GET, campaign, focus.target, points, bound)
    context = {
        "focus": focus, "campaign": campaign, "run": run, "found": found, "state": state,
        "kept": _kept(request), "engine": ENGINE_VERSION,
        "alerts": alerts_of_kernel(found.kernel, focus.metric) if focus.metric else [],
        "difference": focus.metric and difference(kernel_id, focus.metric, focus.predecessor, campaign),
        **tab_context(focus, campaign, run, found, state),
    }  # fmt: skip
    return render(request, f"kernel/{state.tab}.html", context)


@login_required
@require_safe
def kernel_data(request: HttpRequest, campaign_id: int, kernel_id: int, kind: str) -> HttpResponse:
    """Answer with a file: for each point the kernel's repetitions, their median, and the law's value."""
    campaign, run = campaign_or_404(request, campaign_id)
    focus = focus_of_campaign(request, campaign)
    found = _found_or_404(focus, campaign, run, kernel_id)
    models = models_of(found.model, campaign)
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
    """Answer with the data of a surface: the law over two parameters, by the choices in the address."""
    campaign, run = campaign_or_404(request, campaign_id)
    focus = focus_of_campaign(request, campaign)
    found = _found_or_404(focus, campaign, run, kernel_id)
    models = models_of(found.model, campaign)
    points = point_values(models, campaign.points, found.values)
    state = state_read(request.GET, campaign, focus.target, found.measured_points(campaign))
    drawing = fit_surface(Fit(focus, campaign, found, state, models, points))
    if drawing is None:
        raise Http404("This kernel has no law over two parameters.")
    return HttpResponse(drawing.json, content_type="application/json")


def _record(point: PointValues, runs: int) -> list[Value]:
    missing: list[Value] = [None] * (runs - len(point.repetitions))
    return [*point.point, point.median, point.law, point.residual, *point.repetitions, *missing]


def _with_target(request: HttpRequest, target: str) -> HttpResponse:
    asked = request.GET.copy()
    for name in [name for name in asked if name.startswith("at-")]:
        del asked[name]
    asked["target"] = target
    return HttpResponseRedirect(f"{request.path}?{asked.urlencode()}")


def _found_or_404(
    focus: Focus,
    campaign: Campaign,
    run: ModelRun | None,
    kernel_id: int,
    *,
    with_dependencies: bool = False,
) -> KernelFound:
    before = focus.predecessor.run_id if focus.predecessor else None
    found = None
    if focus.metric is not None:
        found = kernel_get(
            campaign, run, focus.metric, kernel_id, before, with_dependencies=with_dependencies
        )
    if found is None:
        raise Http404("This campaign has no such kernel in this metric.")
    return found


def _kept(request: HttpRequest) -> list[tuple[str, str]]:
    """Return the parameters of the address that a form of the page must send along."""
    return [
        (name, str(value))
        for name, value in request.GET.items()
        if name in ("tab", "x", "scale", "scaling") or name.startswith("fix-")
    ]
