"""The rows of the start page: each application with its latest version, totals and last changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, Subquery

from ingest.models import Application, Metric, Target, Upload
from modeling.selectors.alerts.counts import open_count
from modeling.selectors.run.metrics import metric_first
from modeling.selectors.versions.standings import Standing, line_of, lineage_of, standings_of
from modeling.selectors.versions.totals import Course, course, totals_of
from modeling.selectors.versions.verdict_counts import VerdictCounts, verdict_counts
from perfweb.accounts.models import Project

SHOWN_VERSIONS = 24


@dataclass(frozen=True)
class ApplicationRow:
    """An application's row on the start page. `changes` are None if the latest version was not compared."""

    application: Application
    metric: Metric | None
    target: Target | None
    course: Course
    changes: VerdictCounts | None
    last_upload: datetime | None
    open_changes: int

    @property
    def latest(self) -> Standing | None:
        """The latest version."""
        return self.course.versions[-1] if self.course.versions else None

    @property
    def is_first(self) -> bool:
        """Return whether the application has only one version."""
        return len(self.course.versions) == 1

    @property
    def before(self) -> Standing | None:
        """Return the version before the latest."""
        return self.course.versions[-2] if len(self.course.versions) > 1 else None


def application_rows(projects: Sequence[Project]) -> list[ApplicationRow]:
    """Return the rows of all applications of the projects, with a fixed number of queries."""
    applications = _applications(projects)
    ordered = standings_of(applications)
    lines = {
        key: lineage_of(line_of(all_, all_[-1].machine))[-SHOWN_VERSIONS:] for key, all_ in ordered.items()
    }
    metrics = {row.pk: metric_first(row.metrics.all()) for row in applications}
    shown = [metric for metric in metrics.values() if metric]
    totals = totals_of((s.run_id for line in lines.values() for s in line), shown)
    changes = verdict_counts((_last_pair(line) for line in lines.values() if len(line) > 1), shown)
    return [
        ApplicationRow(
            application=row,
            metric=metrics[row.pk],
            target=next(iter(row.targets.all()), None),
            course=course(line, metrics[row.pk], totals),
            changes=changes.get(_last_pair(line)) if len(line) > 1 else None,
            last_upload=row.last_upload,  # type: ignore[attr-defined]  # annotated in _applications
            open_changes=row.open_changes,  # type: ignore[attr-defined]  # likewise
        )
        for row in applications
        for line in [lines.get(row.pk, ())]
    ]


def _applications(projects: Sequence[Project]) -> list[Application]:
    stored = Upload.objects.filter(dry_run=False)
    own = stored.filter(project=OuterRef("project"), application_slug=OuterRef("slug"))
    return list(
        Application.objects.filter(project__in=projects)
        .select_related("project")
        .prefetch_related("metrics", "targets")
        .annotate(
            last_upload=Subquery(own.order_by("-id").values("created_at")[:1]), open_changes=open_count()
        )
        .order_by("project__name", "name")
    )


def _last_pair(line: Sequence[Standing]) -> tuple[int, int]:
    return line[-2].campaign_id, line[-1].campaign_id
