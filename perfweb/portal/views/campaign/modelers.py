"""Answers the question: which modeler suits this campaign?"""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from ingest.models import Campaign
from modeling.engine import ADAPTIVE_MODELER, MODELERS, networks_adaptable
from modeling.models import UNFINISHED, ModelRun
from modeling.selectors.compared.modelers import KINDS, modelers_compared
from modeling.selectors.run.campaign import run_unfinished
from modeling.services.models import modelers as services
from perfweb.accounts.models import Role, User
from perfweb.accounts.permissions import role_require
from perfweb.accounts.reader import reader
from perfweb.portal.asked.campaign import campaign_or_404
from perfweb.portal.asked.focus import focus_of_campaign
from perfweb.portal.asked.navigation import role_in
from perfweb.portal.text.topics.modelers import origins, sentence


@login_required
@require_safe
def campaign_modelers(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Show the comparison of all modelers over all kernels."""
    found, _ = campaign_or_404(request, campaign_id)
    focus = focus_of_campaign(request, found)
    comparison = modelers_compared(found, focus.metric)
    runs = [each.run for each in comparison.runs]
    names = {run.modeler for run in runs}
    context = {
        "focus": focus,
        "campaign": found,
        "comparison": comparison,
        "kinds": KINDS,
        "sentence": sentence(comparison),
        "origins": origins(comparison),
        "unfinished": any(run_unfinished(run) for run in runs),
        "may_model": role_in(request, focus.project.pk) >= Role.MAINTAINER,
        "further": [name for name in MODELERS if name not in names],
        "adaptive": ADAPTIVE_MODELER,
        "networks_adaptable": networks_adaptable(),
    }
    return render(request, "campaign/modelers.html", context)


@login_required
@require_POST
def campaign_modelers_change(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Start a modeler, choose the one whose models pages show, or cancel or delete another one's models."""
    found, _ = campaign_or_404(request, campaign_id)
    role_require(request.user, found.version.application.project, Role.MAINTAINER)
    modeler = request.POST.get("modeler", "")
    if request.POST.get("action") == "add" and modeler in MODELERS:
        services.modeler_add(campaign=found, modeler=modeler, user=reader(request))
        messages.success(request, f"The campaign is being modelled by {modeler}, too.")
    else:
        messages.success(request, _changed(request.POST.get("action", ""), found, modeler, reader(request)))
    return redirect("campaign-modelers", campaign_id)


def _changed(action: str, found: Campaign, modeler: str, user: User) -> str:
    """Change the run of a modeler as requested, and return a sentence on what was done."""
    run = ModelRun.objects.filter(campaign=found, modeler=modeler).first()
    if run is None:
        return f"Nothing was changed: there are no models of {modeler} (any more)."
    if action == "remove" and services.modeler_remove(run=run, user=user):
        unfinished = run.state in UNFINISHED
        if unfinished:
            return f"Modeling by {modeler} was cancelled."
        return f"The models of {modeler} have been deleted."
    if action == "show":
        services.modeler_show(run=run, user=user)
        return f"Pages show the models of {modeler}."
    return f"Nothing was changed: pages show the models of {found.runs.get(shown=True).modeler}."
