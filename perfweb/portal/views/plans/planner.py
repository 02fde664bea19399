"""Answers the question: which few measurements should be made next?"""

from collections.abc import Mapping

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from ingest.selectors import bound_parameters
from modeling.selectors.plans.basis import Basis, basis_load
from modeling.selectors.plans.proposal import Asked, proposal_read
from modeling.selectors.plans.question import Question, most_runs, usual_runs
from modeling.services.plans.keeping import plan_keep, plan_row
from perfweb.accounts.models import Role
from perfweb.accounts.permissions import role_require
from perfweb.accounts.reader import reader
from perfweb.portal.asked.focus import Focus, focus_read
from perfweb.portal.text.topics.plans import GOALS
from perfweb.portal.views.plans.first import first_page, plans_kept
from perfweb.portal.views.plans.form import budget_slider, limit_fields, target_sliders, within_slider
from perfweb.portal.views.plans.shown import shown
from perfweb.together import together_note


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def planner(request: HttpRequest, project: str, application: str) -> HttpResponse:
    """Answer the question in the address; a POST keeps the plan."""
    focus = focus_read(request, project, application)
    if not focus.standings:
        return first_page(request, focus.application, focus.role)
    texts = {name: str(value) for name, value in request.GET.items()}
    asked = ask(focus, texts, focus.target.values if focus.target else None)
    if request.method == "POST":
        return _kept(request, focus, asked)
    proposal = asked.proposal
    limits = limit_fields(asked.basis, texts)
    context: dict[str, object] = {
        "focus": focus,
        "application": focus.application,
        "question": asked.question,
        "proposal": proposal,
        "problems": [*focus.problems, *asked.problems],
        "goals": GOALS,
        "knobs": target_sliders(asked.basis),
        "budget": budget_slider(asked.basis, asked.question),
        "within": within_slider(asked.question),
        "limits": limits,
        "limited": any(limit.value for limit in limits),
        "memory_source": _memory_source(asked.basis),
        "has_profile": asked.profile is not None,
        "fields": _fields(asked.question),
        "most_runs": most_runs(asked.question.goal),
        "usual_runs": usual_runs(asked.question),
        "kept": plans_kept(focus.application),
        "may_keep": focus.role >= Role.CONTRIBUTOR,
        "texts": texts,
        "together": _together(asked.basis),
    }
    if proposal.plan is not None:
        context |= shown(proposal, asked.basis, focus.unit)
    return render(request, "plans/planner.html", context)


def _together(basis: Basis) -> str:
    """Return which parameters were always varied together, and what would separate them."""
    run = basis.known_run
    bound = bound_parameters(run.campaign, basis.parameters) if run else None
    return together_note(bound.relations, bound.names) if bound else ""


def ask(focus: Focus, texts: Mapping[str, str], target: Mapping[str, float] | None) -> Asked:
    """Return the question of an address about the focus's version, and its answer."""
    basis = basis_load(
        focus, metric=focus.metric, standing=focus.version, lineage=focus.lineage, target=target
    )
    return proposal_read(basis, texts)


def _fields(question: Question) -> list[tuple[str, str]]:
    """Return the fields of the values: names of parameters, and the values with commas."""
    return [(name, ", ".join(f"{value:.12g}" for value in series)) for name, series in question.values]


def _memory_source(basis: Basis) -> str:
    if basis.memory is None:
        return "No metric of memory was measured: enter how much memory a process needs."
    return (
        f"The memory of a run is predicted from the metric {basis.memory.name}, for the kernel that needs "
        "most, unless you enter how much a process needs."
    )


def _kept(request: HttpRequest, focus: Focus, asked: Asked) -> HttpResponse:
    role_require(reader(request), focus.project, Role.CONTRIBUTOR)
    plan, label = asked.proposal.plan, request.POST.get("version", "").strip()[:80]
    label = label or (focus.version.label if focus.version else "")
    if plan is None or not len(plan) or not label:
        messages.error(request, "Nothing was stored: there is no plan, or no version for it.")
        return redirect(request.get_full_path())
    row = plan_row(
        asked.proposal,
        application=focus.application,
        version_label=label,
        machine_name=focus.machine.name if focus.machine else "",
        metric_name=focus.metric.name if focus.metric else "",
        target=focus.target.values if focus.target else None,
        query=request.GET.urlencode(),
    )
    plan_keep(row=row, user=reader(request))
    return redirect("plan", focus.project.slug, focus.application.slug, row.pk)
