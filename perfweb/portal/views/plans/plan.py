"""The page of a stored plan: its progress, and scripts for the missing repetitions."""

from dataclasses import replace

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from ingest.models import Application
from modeling.models import Plan
from modeling.scripts import FILTERS, KINDS, filter_text, script_text
from modeling.scripts.filters import Function
from modeling.selectors.application.dependencies import profile_of
from modeling.selectors.plans.jobs import job_of
from modeling.selectors.plans.progress import Progress, plan_progress
from modeling.selectors.versions.standings import line_of
from modeling.services.plans.keeping import plan_drop
from perfweb.accounts.models import Role
from perfweb.accounts.permissions import role_require
from perfweb.accounts.reader import reader
from perfweb.portal.asked.focus import Focus, focus_read
from perfweb.portal.asked.links import portal_address
from perfweb.portal.charts.svg.plan import plan_picture
from perfweb.portal.files.exports import attached
from perfweb.portal.text.topics.plans import goal_title, spread, verdict_told
from perfweb.portal.views.plans.planner import ask


@login_required
@require_safe
def plan(request: HttpRequest, project: str, application: str, pk: int) -> HttpResponse:
    """Show the plan's points with their progress, its purpose, and scripts."""
    focus = focus_read(request, project, application)
    found = _plan(focus, pk)
    progress = _progress(focus, found)
    missing = [task for task in progress.tasks if task.missing]
    context = {
        "focus": focus,
        "plan": found,
        "progress": progress,
        "tasks": [(task, list(zip(found.parameters, task.point, strict=True))) for task in progress.tasks],
        "target": {name: found.target[name] for name in found.parameters if name in found.target},
        "verdict": verdict_told(progress.verdict, found.goal, complete=progress.complete),
        "goal": goal_title(found.goal),
        "before": spread(found.width_before or 0.0),
        "now": spread(progress.width or 0.0),
        "after": spread(found.width_after) if found.width_after else "",
        "picture": plan_picture(
            [task.point for task in progress.tasks if task.ticked],
            [task.point for task in missing],
            [task.missing for task in missing],
            found.parameters,
        ),
        "kinds": KINDS.values(),
        "filters": FILTERS.items() if _constant(focus.application) else (),
        "command": request.GET.get("command", ""),
        "may_drop": focus.role >= Role.CONTRIBUTOR,
    }
    return render(request, "plans/plan.html", context)


@login_required
@require_safe
def plan_script(request: HttpRequest, project: str, application: str, pk: int, kind: str) -> HttpResponse:
    """Answer with a script that starts the missing runs."""
    focus = focus_read(request, project, application)
    found = _plan(focus, pk)
    command = " ".join(request.GET.get("command", "").split())
    job = job_of(plan_progress(found), focus.parameters, portal_address(request))
    try:
        text = script_text(kind, job.started_by(command))
    except ValueError as error:
        messages.error(request, str(error))
        return redirect("plan", project, application, pk)
    answer = HttpResponse(text, content_type="text/plain; charset=utf-8")
    return attached(answer, f"plan-{pk}.{KINDS[kind].suffix}")


@login_required
@require_safe
def plan_filter(request: HttpRequest, project: str, application: str, kind: str) -> HttpResponse:
    """Answer with a filter that excludes functions without dependencies from instrumentation."""
    focus = focus_read(request, project, application)
    profile = profile_of(focus.application)
    if profile is None or kind not in FILTERS:
        raise Http404("The dependencies of the functions are not stored, or there is no such filter.")
    functions: dict[bool, list[Function]] = {True: [], False: []}
    for function in profile.functions:
        functions[bool(function["depends_on"])].append(Function(function["name"], function["demangled"]))
    text = filter_text(kind, functions[False], functions[True])
    answer = HttpResponse(text, content_type="text/plain; charset=utf-8")
    return attached(answer, f"{focus.application.slug}-{kind}.filter")


@login_required
@require_POST
def plan_give_up(request: HttpRequest, project: str, application: str, pk: int) -> HttpResponse:
    """Delete a plan; the measurements stay."""
    focus = focus_read(request, project, application)
    role_require(reader(request), focus.project, Role.CONTRIBUTOR)
    plan_drop(plan=_plan(focus, pk), user=reader(request))
    messages.success(request, "The plan has been deleted; its measurements stay.")
    return redirect("planner", project, application)


def _constant(application: Application) -> bool:
    """Return whether a function that depends on no parameter is known, which filters can leave out."""
    profile = profile_of(application)
    return profile is not None and not all(each["depends_on"] for each in profile.functions)


def _plan(focus: Focus, pk: int) -> Plan:
    found = Plan.objects.filter(application=focus.application, pk=pk).select_related("application").first()
    if found is None:
        raise Http404("There is no such plan of this application.")
    found.application = focus.application
    return found


def _progress(focus: Focus, plan: Plan) -> Progress:
    """Return the plan's progress, and the current answer to its question."""
    machine = next((row for row in focus.machines if row.name == plan.machine_name), focus.machine)
    line = line_of(focus.standings, machine)
    standing = next((row for row in line if row.label == plan.version_label), None)
    metric = next((row for row in focus.metrics if row.name == plan.metric_name), focus.metric)
    then = replace(focus, machine=machine, version=standing, metric=metric)
    texts = {name: str(value) for name, value in QueryDict(plan.question).items() if name != "fresh"}
    proposal = ask(then, texts, plan.target or None).proposal.plan
    if standing is None or proposal is None or proposal.expected is None:
        return plan_progress(plan)
    more = len(proposal) > 0
    return plan_progress(
        plan, proposal.expected.width_before,
        pointless=not more and not proposal.reached,
        settled=not more and proposal.reached,
    )  # fmt: skip
