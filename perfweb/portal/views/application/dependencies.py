"""The part of an application's settings for the parameters that its functions depend on."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from ingest.models import Application
from ingest.services import dependencies_remove, dependencies_store
from modeling.selectors.application.dependencies import profile_of
from perfweb.accounts.reader import reader
from perfweb.portal.forms.settings import DependenciesForm


@dataclass(frozen=True)
class Summary:
    """A summary of the stored dependencies; `parameters` are those on which any function depends."""

    file_name: str
    stored_at: datetime
    functions: int
    depending: int
    parameters: str


def dependencies_summary(application: Application) -> Summary | None:
    """Return the summary of an application's dependencies; None if there are none."""
    row = profile_of(application)
    if row is None:
        return None
    depending = [function["depends_on"] for function in row.functions if function["depends_on"]]
    used = {name for terms in depending for term in terms for name in term}
    names = ", ".join(name for name in row.parameters if name in used)
    return Summary(row.file_name, row.stored_at, len(row.functions), len(depending), names)


def dependencies_changed(
    request: HttpRequest, application: Application, form: DependenciesForm, pressed: str
) -> bool:
    """Store or remove dependencies by the pressed button; return whether that succeeded."""
    if pressed == "no-dependencies":
        dependencies_remove(application=application, user=reader(request))
        messages.success(request, "The dependencies of functions have been removed.")
        return True
    if not form.is_valid():
        return False
    try:
        stored = dependencies_store(
            application=application, file=form.cleaned_data["file"], user=reader(request)
        )
    except ValidationError as refused:
        form.add_error(None, refused)
        return False
    messages.success(
        request, f"Kernels' pages now show what their functions depend on, from {stored.file_name}."
    )
    return True
