"""The settings of an application, which a maintainer changes."""

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from ingest.models import Target
from modeling.models import Badge, ReleaseRules
from modeling.selectors.compared.choice import modelers_chosen
from modeling.selectors.run.expected import expectations_held
from modeling.services import application as services
from modeling.services.models.modelers import modelers_choose
from modeling.services.releases.rules import release_rules_set
from perfweb.accounts.models import Role
from perfweb.accounts.permissions import RoleRequired, project_get
from perfweb.accounts.reader import reader
from perfweb.portal.asked.focus import Focus, focus_read
from perfweb.portal.forms.settings import (
    DependenciesForm,
    ExpectationForm,
    MetricForm,
    ModelersForm,
    ParameterForm,
    ReleasesForm,
    RepositoryForm,
    TargetForm,
)
from perfweb.portal.views.application.dependencies import dependencies_changed, dependencies_summary
from perfweb.portal.views.application.expectations import expectation_added

RowForms = list[ParameterForm | MetricForm]


@dataclass(frozen=True)
class _Forms:
    """The page's forms; the one whose button was pressed is filled in."""

    target: TargetForm
    rows: RowForms
    modelers: ModelersForm
    depends: DependenciesForm
    repository: RepositoryForm
    releases: ReleasesForm
    expects: ExpectationForm

    @property
    def every(self) -> list[Form]:
        return [
            self.target,
            *self.rows,
            self.modelers,
            self.depends,
            self.repository,
            self.releases,
            self.expects,
        ]


@login_required
@require_http_methods(["GET", "POST"])
def application_settings(request: HttpRequest, project: str, application: str) -> HttpResponse:
    """Show the settings, with a form for each subject; the pressed button's name says which was sent."""
    focus = focus_read(request, project, application)
    if not focus.maintains:
        raise RoleRequired(focus.project, Role.MAINTAINER, focus.role)
    pressed = request.POST.get("save", "")
    posted = request if request.method == "POST" else None
    forms = _Forms(
        target=TargetForm(focus.parameters, request.POST if pressed == "target" else None),
        rows=_row_forms(focus, posted if pressed == "rows" else None),
        modelers=_modelers_form(focus, posted if pressed == "modelers" else None),
        depends=DependenciesForm(*(request.POST, request.FILES) if pressed == "dependencies" else ()),
        repository=_repository_form(focus, posted if pressed == "repository" else None),
        releases=_releases_form(focus, posted if pressed == "releases" else None),
        expects=ExpectationForm(focus.metrics, request.POST if pressed == "expectation" else None),
    )
    if _saved(request, focus, forms, pressed):
        return redirect("application-settings", project, application)
    context = {
        "focus": focus,
        "targets": list(zip(focus.application.targets.all(), focus.targets, strict=True)),
        "target_form": forms.target,
        "parameter_forms": [form for form in forms.rows if isinstance(form, ParameterForm)],
        "metric_forms": [form for form in forms.rows if isinstance(form, MetricForm)],
        "modelers_form": forms.modelers,
        "repository_form": forms.repository,
        "releases_form": forms.releases,
        "dependencies_form": forms.depends,
        "dependencies": dependencies_summary(focus.application),
        "expectation_form": forms.expects,
        "held": expectations_held(focus.application.pk, focus.version.run_id if focus.version else None),
        "badge_address": _badge_address(request, focus),
    }
    wrong = any(form.errors for form in forms.every)
    return render(request, "application/settings.html", context, status=422 if wrong else 200)


def _saved(request: HttpRequest, focus: Focus, forms: _Forms, pressed: str) -> bool:
    """Save the form whose button was pressed, and return whether that succeeded."""
    savers: dict[str, Callable[[HttpRequest, Focus, _Forms], bool]] = {
        "target": _target_added,
        "rows": _rows_saved,
        "modelers": _modelers_saved,
        "repository": _repository_saved,
        "releases": _releases_saved,
        "expectation": _expectation_added,
    }
    if pressed in savers:
        return savers[pressed](request, focus, forms)
    return dependencies_changed(request, focus.application, forms.depends, pressed)


@login_required
@require_POST
def target_change(request: HttpRequest, project: str, application: str, pk: int) -> HttpResponse:
    """Remove a target, or make it the default."""
    found = project_get(request.user, project, Role.MAINTAINER)
    target = get_object_or_404(
        Target.objects.select_related("application__project"),
        pk=pk, application__project=found, application__slug=application,
    )  # fmt: skip
    if request.POST.get("action") == "remove":
        services.target_remove(target=target, user=reader(request))
        messages.success(request, f"The target {target.name} has been removed.")
    else:
        chosen = (
            "stays as it is now." if target.automatic else "is the default; predictions follow in a moment."
        )
        services.target_make_default(target=target, user=reader(request))
        messages.success(request, f"{target.name} {chosen}")
    return redirect("application-settings", project, application)


def _badge_address(request: HttpRequest, focus: Focus) -> str:
    """Return the public address of the badge; empty if no maintainer made one."""
    row = Badge.objects.filter(application=focus.application).first()
    return request.build_absolute_uri(reverse("badge-public", args=[row.secret])) if row else ""


def _row_forms(focus: Focus, posted: HttpRequest | None) -> RowForms:
    data = posted.POST if posted else None
    parameters: RowForms = [ParameterForm(parameter, data) for parameter in focus.parameters]
    return [*parameters, *(MetricForm(metric, data) for metric in focus.metrics)]


def _repository_form(focus: Focus, posted: HttpRequest | None) -> RepositoryForm:
    if posted:
        return RepositoryForm(posted.POST)
    return RepositoryForm(initial={"repository": focus.application.repository})


def _repository_saved(request: HttpRequest, focus: Focus, forms: _Forms) -> bool:
    if not forms.repository.is_valid():
        return False
    address = forms.repository.cleaned_data["repository"]
    services.repository_change(application=focus.application, repository=address, user=reader(request))
    messages.success(request, f"Versions link to {address}." if address else "Versions have no links.")
    return True


def _releases_form(focus: Focus, posted: HttpRequest | None) -> ReleasesForm:
    rules = ReleaseRules.objects.filter(application=focus.application).first() or ReleaseRules()
    initial = {"main_branch": rules.main_branch, "gate_policy": rules.gate_policy}
    return ReleasesForm(posted.POST if posted else None, initial=initial)


def _releases_saved(request: HttpRequest, focus: Focus, forms: _Forms) -> bool:
    form = forms.releases
    if not form.is_valid():
        return False
    try:
        release_rules_set(application=focus.application, user=reader(request), **form.cleaned_data)
    except ValidationError as refused:
        form.add_error(None, refused)
        return False
    messages.success(request, "The rules of releases have been saved.")
    return True


def _modelers_form(focus: Focus, posted: HttpRequest | None) -> ModelersForm:
    shown, compared = modelers_chosen(focus.application)
    return ModelersForm(posted.POST if posted else None, initial={"shown": shown, "compared": compared})


def _modelers_saved(request: HttpRequest, focus: Focus, forms: _Forms) -> bool:
    if not forms.modelers.is_valid():
        return False
    modelers_choose(application=focus.application, user=reader(request), **forms.modelers.cleaned_data)
    messages.success(request, "Future campaigns will be modelled by these modelers.")
    return True


def _expectation_added(request: HttpRequest, focus: Focus, forms: _Forms) -> bool:
    return expectation_added(request, focus.application, forms.expects)


def _target_added(request: HttpRequest, focus: Focus, forms: _Forms) -> bool:
    form = forms.target
    if not form.is_valid():
        return False
    name = form.cleaned_data["name"]
    try:
        services.target_add(
            application=focus.application, name=name, values=form.values(), user=reader(request)
        )
    except ValidationError as refused:
        form.add_error(None, refused)
        return False
    messages.success(request, f"The target {name} can be chosen now.")
    return True


def _rows_saved(request: HttpRequest, focus: Focus, forms: _Forms) -> bool:
    if not all(form.is_valid() for form in forms.rows):
        return False
    for form in forms.rows:
        if isinstance(form, ParameterForm):
            services.parameter_describe(parameter=form.parameter, user=reader(request), **form.cleaned_data)
        else:
            services.metric_describe(metric=form.metric, user=reader(request), **form.cleaned_data)
    messages.success(request, "Saved.")
    return True
