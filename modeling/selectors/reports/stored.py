"""Reports that were made, and the links that open them."""

from collections.abc import Iterable, Sequence

from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from ingest.models import Application
from modeling.models import Report, ShareLink
from perfweb.accounts.models import Project

HEAD = {"label": "version__label", "on": "machine", "of": "metric__name"}
"""What a list shows of a report's content, which has some ten kilobytes."""


LATEST = 3
"""Reports that an application's page names; all others are one click away."""


def reports_of(application: Application) -> QuerySet[Report]:
    """An application's reports without their content, latest first, with `label`, machine (`on`), metric
    (`of`) and the number of links that open them now (`open_links`).
    """
    open_now = Q(links__revoked_at=None, links__expires_at__gt=timezone.now())
    named = {name: F(f"content__{key}") for name, key in HEAD.items()}
    rows = Report.objects.filter(application=application).select_related("made_by").defer("content")
    return rows.annotate(**named, open_links=Count("links", filter=open_now))


def reports_latest(application: Application) -> list[Report]:
    """The latest of them, with no more than their names, for the application's page."""
    rows = Report.objects.filter(application=application).defer("content")
    return list(rows.annotate(label=F("content__version__label"), of=F("content__metric__name"))[:LATEST])


def report_get(projects: Iterable[Project], pk: int) -> Report | None:
    """A report of these projects with its application; None where there is none."""
    rows = Report.objects.in_projects(projects).select_related("application__project", "made_by")
    return rows.filter(pk=pk).first()


def links_of(report: Report) -> Sequence[ShareLink]:
    """The links that were made for a report, latest first."""
    return list(report.links.select_related("made_by"))
