"""A table in which people set the parameters that functions depend on."""

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from ingest.models import Application
from ingest.services import dependencies_store, dependencies_write
from modeling.selectors.application.dependencies import profile_of
from modeling.selectors.plans.basis import basis_load
from modeling.selectors.plans.profiles import ProfileRow, profile_rows, terms_of
from modeling.selectors.plans.question import MOST_PARAMETERS, named_values
from modeling.selectors.run.rows import rows_load
from perfweb.accounts.models import Role
from perfweb.accounts.permissions import role_require
from perfweb.accounts.reader import reader
from perfweb.portal.asked.focus import Focus, focus_read
from perfweb.portal.forms.settings import DependenciesForm

LONGEST_NAME = 400
"""Limit on the characters of the name of an added function."""

FREE_ROWS = 4
"""Number of empty rows for further functions."""


@dataclass(frozen=True)
class Table:
    """The functions with their dependencies, and the parameters of the columns."""

    parameters: tuple[str, ...]
    rows: tuple[ProfileRow, ...]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def plan_profile(request: HttpRequest, project: str, application: str) -> HttpResponse:
    """Show the table; a POST of a maintainer stores it."""
    focus = focus_read(request, project, application)
    table = _table(focus, named_values(request.GET)[:MOST_PARAMETERS])
    if request.method == "POST":
        return _stored(request, focus, table)
    free = [f"new.{number}" for number in range(1, FREE_ROWS + 1)]
    context = {"focus": focus, "table": table, "free": free, "may_store": focus.role >= Role.MAINTAINER}
    return render(request, "plans/profile.html", context)


def _table(focus: Focus, named: list[str]) -> Table:
    """Return the table; its columns are the parameters `named` in the address if no others are known."""
    basis = basis_load(focus, metric=focus.metric, standing=focus.version, lineage=(), target=None)
    profile = profile_of(focus.application)
    loaded = rows_load(basis.run, basis.metric) if basis.run and basis.metric else None
    own = [row.name for row in focus.parameters] or (list(profile.parameters) if profile else named)
    rows = profile_rows(profile, loaded)
    further = {name for row in rows for name in row.parameters} - set(own)
    return Table((*own, *sorted(further)), tuple(rows))


def _stored(request: HttpRequest, focus: Focus, table: Table) -> HttpResponse:
    """Store the file or, if none was sent, the table."""
    role_require(reader(request), focus.project, Role.MAINTAINER)
    if "file" in request.FILES:
        stored = file_stored(request, focus.application)
        return redirect(_plan_address(request, focus) if stored else request.get_full_path())
    functions = {
        row.name: terms_of(_ticked(request.POST, f"f{number}", table), row.terms)
        for number, row in enumerate(table.rows)
    }
    for number in range(1, FREE_ROWS + 1):
        if name := " ".join(request.POST.get(f"new.{number}.name", "").split())[:LONGEST_NAME]:
            functions[name] = terms_of(_ticked(request.POST, f"new.{number}", table), frozenset())
    if not functions:
        messages.error(request, "Nothing was stored: there is no function yet.")
        return redirect(request.get_full_path())
    dependencies_write(
        application=focus.application, parameters=table.parameters, functions=functions, user=reader(request)
    )
    some = f"{len(functions)} function{'' if len(functions) == 1 else 's'}"
    messages.success(request, f"The dependencies of {some} are stored; plans and laws follow them.")
    return redirect(_plan_address(request, focus))


def file_stored(request: HttpRequest, application: Application) -> bool:
    """Store the dependencies' file that was sent; return whether that succeeded, and show it in a message."""
    form = DependenciesForm(request.POST, request.FILES)
    try:
        if not form.is_valid():
            raise ValidationError(list(form.errors["file"]))
        stored = dependencies_store(
            application=application, file=form.cleaned_data["file"], user=reader(request)
        )
    except ValidationError as refused:
        messages.error(request, " ".join(refused.messages))
        return False
    messages.success(
        request, f"The dependencies in {stored.file_name} are stored; plans and laws follow them."
    )
    return True


def _plan_address(request: HttpRequest, focus: Focus) -> str:
    """Return the address of the plan that uses the dependencies, with the other fields of the question."""
    query = request.GET.copy()
    query["goal"] = "profile"
    return f"{reverse('planner', args=[focus.project.slug, focus.application.slug])}?{query.urlencode()}"


def _ticked(sent: QueryDict, field: str, table: Table) -> list[str]:
    """Return the parameters whose boxes in a row are ticked."""
    ticks = set(sent.getlist(field))
    return [name for number, name in enumerate(table.parameters) if str(number) in ticks]
