"""The pages of release reports: their list, a new one, a stored one with its links, and changes since."""

from dataclasses import dataclass
from datetime import timedelta

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from modeling.models import Report, ShareLink
from modeling.selectors.reports.build import report_content
from modeling.selectors.reports.content import Content
from modeling.selectors.reports.since import since
from modeling.selectors.reports.stored import links_of, report_get, reports_of
from modeling.selectors.reports.subject import Place, Subject, subject_again
from modeling.services.releases.reports import content_digest, report_delete, report_make
from modeling.services.releases.share_links import share_create, share_revoke
from perfweb.accounts.models import Role
from perfweb.accounts.permissions import RoleRequired
from perfweb.accounts.reader import reader
from perfweb.portal.asked.focus import Focus, focus_read
from perfweb.portal.asked.navigation import projects_of_reader, role_in
from perfweb.portal.forms.reports import NoteForm, ShareForm
from perfweb.portal.report.page import ReportPage
from perfweb.portal.report.since import since_shown

Context = dict[str, object]


@login_required
@require_safe
def reports(request: HttpRequest, project: str, application: str) -> HttpResponse:
    """Show the reports of an application."""
    focus = focus_read(request, project, application)
    context = {
        "focus": focus,
        "reports": reports_of(focus.application),
        "makes": focus.role >= Role.CONTRIBUTOR,
    }
    return render(request, "reports/reports.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def report_new(request: HttpRequest, project: str, application: str) -> HttpResponse:
    """Show what a report would contain now; a POST stores it."""
    focus = focus_read(request, project, application)
    if request.method == "POST" and focus.role < Role.CONTRIBUTOR:
        raise RoleRequired(focus.project, Role.CONTRIBUTOR, focus.role)
    subject = _subject(focus)
    content = report_content(subject) if subject else None
    form = NoteForm(request.POST or None)
    if subject and content and form.is_valid():
        made = _made(request, subject, content, form)
        if made is not None:
            messages.success(request, "The report is frozen: its numbers stay as they are.")
            return redirect("report", project, application, made.pk)
    context: Context = {"focus": focus, "form": form, "makes": focus.role >= Role.CONTRIBUTOR}
    if content:
        context |= {"page": ReportPage(content), "digest": content_digest(content)}
    return render(request, "reports/new.html", context, status=422 if form.errors else 200)


def _subject(focus: Focus) -> Subject | None:
    if focus.version is None or focus.metric is None:
        return None
    targets = [Place(target.name, target.values) for target in focus.targets]
    return Subject(
        focus.application,
        focus.parameters,
        focus.metrics,
        targets,
        focus.metric,
        focus.lineage,
        focus.aliases,
    )


def _made(request: HttpRequest, subject: Subject, content: Content, form: NoteForm) -> Report | None:
    """Store the report and return it; None if the form has errors."""
    try:
        return report_make(
            subject=subject, content=content, seen=form.cleaned_data["seen"],
            note=form.cleaned_data["note"], user=reader(request),
        )  # fmt: skip
    except ValidationError as refused:
        form.add_error(None, refused)
        return None


@dataclass(frozen=True)
class Found:
    """A stored report, and the reader's rights on it."""

    report: Report
    role: Role

    @property
    def maintains(self) -> bool:
        """Return whether the reader may share and delete the report."""
        return self.role >= Role.MAINTAINER


def _found(request: HttpRequest, project: str, application: str, pk: int, least: Role = Role.VIEWER) -> Found:
    """Return a report; raise Http404 if the reader may see none, RoleRequired if the role is too low."""
    report = report_get(projects_of_reader(request), pk)
    place = report and (report.application.project.slug, report.application.slug)
    if report is None or place != (project, application):
        raise Http404("No such report, or you are not a member of its project.")
    role = role_in(request, report.application.project_id)
    if role < least:
        raise RoleRequired(report.application.project, least, role)
    return Found(report, role)


@login_required
@require_safe
def report(request: HttpRequest, project: str, application: str, pk: int) -> HttpResponse:
    """Show a stored report, and the links that open it."""
    return _answer(request, _found(request, project, application, pk), ShareForm())


def _answer(request: HttpRequest, found: Found, form: ShareForm, **more: object) -> HttpResponse:
    context: Context = {
        "report": found.report,
        "application": found.report.application,
        "page": ReportPage(found.report.content),
        "links": links_of(found.report),
        "now": timezone.now(),
        "maintains": found.maintains,
        "form": form,
        **more,
    }
    return render(request, "reports/report.html", context, status=422 if form.errors else 200)


@login_required
@require_safe
def report_since(request: HttpRequest, project: str, application: str, pk: int) -> HttpResponse:
    """Show where today's numbers differ from the report's."""
    found = _found(request, project, application, pk)
    then: Content = found.report.content
    subject = subject_again(found.report)
    # The totals of earlier versions are a chart of the report, and are not compared.
    now = report_content(subject, with_course=False) if subject else None
    found_since = since(then, now) if now else None
    context: Context = {
        "report": found.report,
        "application": found.report.application,
        "page": ReportPage(then),
        "gone": subject is None,
        "moved": since_shown(found_since, ReportPage(then)) if found_since else None,
    }
    return render(request, "reports/since.html", context)


@login_required
@require_POST
def report_remove(request: HttpRequest, project: str, application: str, pk: int) -> HttpResponse:
    """Delete a report with its links."""
    found = _found(request, project, application, pk, Role.MAINTAINER)
    report_delete(report=found.report, user=reader(request))
    messages.success(request, "The report has been deleted; its links no longer work.")
    return redirect("reports", project, application)


@never_cache
@login_required
@require_POST
def report_share(request: HttpRequest, project: str, application: str, pk: int) -> HttpResponse:
    """Make a link for people without an account; only this answer shows it."""
    found = _found(request, project, application, pk, Role.MAINTAINER)
    form = ShareForm(request.POST)
    if not form.is_valid():
        return _answer(request, found, form)
    link, token = share_create(
        report=found.report,
        name=form.cleaned_data["name"],
        lasts=timedelta(days=int(form.cleaned_data["lasts"])),
        user=reader(request),
    )
    address = request.build_absolute_uri(reverse("shared-report", args=[token]))
    return _answer(request, found, ShareForm(), made=link, address=address)


@login_required
@require_POST
def report_unshare(request: HttpRequest, project: str, application: str, pk: int, link: int) -> HttpResponse:
    """Revoke a link."""
    found = _found(request, project, application, pk, Role.MAINTAINER)
    row = get_object_or_404(ShareLink, pk=link, report=found.report)
    share_revoke(link=row, user=reader(request))
    messages.success(request, f"The link for {row.name} no longer works.")
    return redirect("report", project, application, pk)
