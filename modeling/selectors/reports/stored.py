"""Read stored reports, and the links that open them."""

from collections.abc import Iterable, Sequence

from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from ingest.models import Application
from modeling.models import Report, ShareLink
from perfweb.accounts.models import Project

HEAD = {"label": "version__label", "on": "machine", "of": "metric__name"}
"""Annotation of a report → key of its content. Lists read only these, because contents are large."""


LATEST = 3
"""Limit on the reports that an application's page names."""


def reports_of(application: Application) -> QuerySet[Report]:
    """Return an application's reports without their content, latest first.

    Annotations: `label`, machine (`on`), metric (`of`), and number of valid links (`open_links`).
    """
    open_now = Q(links__revoked_at=None, links__expires_at__gt=timezone.now())
    named = {name: F(f"content__{key}") for name, key in HEAD.items()}
    rows = Report.objects.filter(application=application).select_related("made_by").defer("content")
    return rows.annotate(**named, open_links=Count("links", filter=open_now))


def reports_latest(application: Application) -> list[Report]:
    """Return the latest reports with only their names, for the application's page."""
    rows = Report.objects.filter(application=application).defer("content")
    return list(rows.annotate(label=F("content__version__label"), of=F("content__metric__name"))[:LATEST])


def report_get(projects: Iterable[Project], pk: int) -> Report | None:
    """Return a report of these projects with its application; None if there is none."""
    rows = Report.objects.in_projects(projects).select_related("application__project", "made_by")
    return rows.filter(pk=pk).first()


def links_of(report: Report) -> Sequence[ShareLink]:
    """Return the links that were made for a report, latest first."""
    return list(report.links.select_related("made_by"))
