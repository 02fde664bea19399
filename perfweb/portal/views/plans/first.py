"""Answers the question: what should be measured first, before there is any measurement?"""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from ingest.fields.names import LONGEST_NAME, slug_of, slug_wrong
from ingest.models import Application
from ingest.services import application_ensure
from modeling.models import Plan
from modeling.selectors.plans.proposal import Asked, proposal_first
from modeling.selectors.plans.question import (
    MOST_PARAMETERS,
    MOST_REPETITIONS,
    Question,
    most_runs,
    usual_repetitions,
    usual_runs,
)
from modeling.services.plans.keeping import plan_keep, plan_row
from perfweb.accounts.models import Role
from perfweb.accounts.permissions import role_require
from perfweb.accounts.reader import reader
from perfweb.accounts.selectors import projects_with_role
from perfweb.portal.text.topics.plans import GOALS
from perfweb.portal.views.plans.form import budget_slider, limit_fields
from perfweb.portal.views.plans.profile import file_stored
from perfweb.portal.views.plans.shown import shown

KEPT_SHOWN = 10
FEWEST_ROWS = 4
"""Smallest number of rows for parameters in the form."""

FIELDS = ("values", "known", "grows")
"""Fields of a parameter: its values, its value in the known run, and how the time grows with it."""

GROWTHS = (
    ("", "not known"),
    ("-1", "falls as 1/x"),
    ("-0.5", "falls as 1/√x"),
    ("0", "constant"),
    ("0.5", "grows as √x"),
    ("1", "grows as x"),
    ("1.5", "grows as x√x"),
    ("2", "grows as x²"),
    ("3", "grows as x³"),
)


@dataclass(frozen=True)
class ParameterRow:
    """The fields of a parameter in the form, as the user filled them in."""

    number: int
    name: str = ""
    values: str = ""
    known: str = ""
    grows: str = ""

    @property
    def growths(self) -> list[tuple[str, str]]:
        """Return the choices of the growth, and the user's own power if it is not among them."""
        own = [] if self.grows in dict(GROWTHS) else [(self.grows, f"power {self.grows}")]
        return [*GROWTHS, *own]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def first_plan(request: HttpRequest) -> HttpResponse:
    """Plan the first measurements of an application that is not stored yet; a POST keeps the plan."""
    return first_page(request, None, Role.CONTRIBUTOR)


def first_page(request: HttpRequest, application: Application | None, role: Role | int) -> HttpResponse:
    """Show or store a first plan, for an application without measurements or for a new one."""
    texts = by_name({name: str(value) for name, value in request.GET.items()})
    first = proposal_first(application or Application(), texts)
    if request.method == "POST" and "dependencies" in request.POST:
        return _depending(request, texts)
    if request.method == "POST":
        return _kept(request, application, first, texts)
    projects = projects_with_role(request.user, Role.CONTRIBUTOR).order_by("name")
    has_profile = first.profile is not None
    limits = limit_fields(first.basis, texts, counted=True)
    context: dict[str, object] = {
        "application": application,
        "projects": projects,
        "question": first.question,
        "proposal": first.proposal,
        "problems": [*_misnamed(request.GET), *first.problems] if request.GET else [],
        "asked": bool(first.question.values or request.GET),
        "goals": [
            (key, title) for key, title in GOALS if key == "first" or (key == "profile" and has_profile)
        ],
        "fields": _rows(first.question, texts),
        "budget": budget_slider(first.basis, first.question),
        "limits": limits,
        "limited": any(limit.value for limit in limits),
        "most_runs": most_runs(first.question.goal),
        "usual_runs": usual_runs(first.question),
        "most_repetitions": MOST_REPETITIONS,
        "usual_repetitions": usual_repetitions(first.question.goal),
        "has_profile": has_profile,
        "profile_address": _profile_address(application, texts),
        "kept": plans_kept(application) if application else (),
        "may_keep": role >= Role.CONTRIBUTOR and bool(application or projects),
        "naming": application is None,
        "maintained": projects_with_role(request.user, Role.MAINTAINER).order_by("name")
        if application is None
        else (),
        "texts": texts,
    }
    if first.proposal.plan is not None:
        context |= shown(first.proposal, first.basis, "")
    return render(request, "plans/first.html", context)


def plans_kept(application: Application) -> list[Plan]:
    """Return the newest plans of an application."""
    return list(Plan.objects.filter(application=application)[:KEPT_SHOWN])


def by_name(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of a query; numbered rows (name.1, values.1) become parameters (values.p)."""
    rows = {number: texts.get(f"name.{number}", "").strip() for number in range(1, MOST_PARAMETERS + 1)}
    if not any(f"name.{number}" in texts for number in rows):
        return dict(texts)
    own = {f"{field}.{number}" for number in rows for field in ("name", *FIELDS)}
    kept = {name: text for name, text in texts.items() if name not in own}
    for number, name in rows.items():
        if name:
            kept |= {f"{field}.{name}": texts.get(f"{field}.{number}", "") for field in FIELDS}
    return kept


def _rows(question: Question, texts: Mapping[str, str]) -> list[ParameterRow]:
    count = min(max(len(question.names) + 1, FEWEST_ROWS), MOST_PARAMETERS)
    names = [*question.names, *[""] * (count - len(question.names))]
    return [
        ParameterRow(number, name, **{field: texts.get(f"{field}.{name}", "") for field in FIELDS})
        for number, name in enumerate(names, start=1)
    ]


def _misnamed(texts: Mapping[str, str]) -> list[str]:
    """Say which parameters have more than one row, because only the last one counts, and which rows have
    values but no name.
    """
    rows = [number for number in range(1, MOST_PARAMETERS + 1) if f"name.{number}" in texts]
    names = [texts[f"name.{number}"].strip() for number in rows]
    values = [texts.get(f"values.{number}", "").strip() for number in rows]
    twice = sorted({name for name in names if name and names.count(name) > 1})
    nameless = [some[:40] for name, some in zip(names, values, strict=True) if some and not name]
    return [
        *(f"Found {name} in more than one row; planned for the last one." for name in twice),
        *(f"Found “{some}” in a row without a name; planned without this row." for some in nameless),
    ]


def _profile_address(application: Application | None, texts: Mapping[str, str]) -> str:
    """Return the address of the page for dependencies, with a column for each parameter."""
    return "" if application is None else _with_question("plan-profile", application, texts)


def _with_question(view: str, application: Application, texts: Mapping[str, str]) -> str:
    """Return the address of a page of the application, with the fields of the question."""
    address = reverse(view, args=[application.project.slug, application.slug])
    query = urlencode({name: text for name, text in texts.items() if text})
    return f"{address}?{query}" if query else address


def _depending(request: HttpRequest, texts: Mapping[str, str]) -> HttpResponse:
    """Store a new application with its file of dependencies; without a file, show the table for them."""
    found = _named(request)
    role_require(reader(request), found.project, Role.MAINTAINER)
    if wrong := slug_wrong(found.name):
        messages.error(request, wrong)
        return redirect(request.get_full_path())
    if "file" not in request.FILES:
        application_ensure(found.project, found.slug, found.name)
        return redirect(_profile_address(found, texts))
    stored = file_stored(request, found)
    return redirect(
        _with_question("planner", found, {**texts, "goal": "profile"}) if stored else request.get_full_path()
    )


def _kept(
    request: HttpRequest, application: Application | None, first: Asked, texts: Mapping[str, str]
) -> HttpResponse:
    """Keep the plan, with a new application if it was not stored yet, and redirect to the plan's page."""
    found = application or _named(request)
    role_require(reader(request), found.project, Role.CONTRIBUTOR)
    plan, label = first.proposal.plan, request.POST.get("version", "").strip()[:80]
    wrong = slug_wrong(found.name)
    if wrong or plan is None or not len(plan) or not label:
        messages.error(request, wrong or "Nothing was stored: there is no plan, or no version for it.")
        return redirect(request.get_full_path())
    query = QueryDict(mutable=True)
    query.update({name: text for name, text in texts.items() if text})
    row = plan_row(first.proposal, application=found, version_label=label, query=query.urlencode())
    plan_keep(row=row, user=reader(request))
    return redirect("plan", found.project.slug, row.application.slug, row.pk)


def _named(request: HttpRequest) -> Application:
    """Return the application that a form names, unsaved if it is new."""
    name, slug = request.POST.get("application", "").strip()[:LONGEST_NAME], request.POST.get("project", "")
    project = projects_with_role(request.user, Role.CONTRIBUTOR).filter(slug=slug).first()
    if project is None:
        raise PermissionDenied("To keep a plan you need the role contributor in its project.")
    stored = Application.objects.filter(project=project, slug=slug_of(name)).first()
    return stored or Application(project=project, slug=slug_of(name), name=name)
