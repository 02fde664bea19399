"""Reports with the changes and costs of a release, and links that open a report without an account."""

from datetime import timedelta
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from ingest.models import Application, Machine, Metric, Version
from perfweb.accounts.querysets import ApplicationRows

LONGEST_SHARE = timedelta(days=365)
"""Limit on the time for which a link opens a report: until the next yearly review."""


class Report(models.Model):
    """The frozen numbers of one release. They survive when the measurements are deleted or modelled again."""

    application = models.ForeignKey(Application, models.CASCADE, related_name="reports")
    version = models.ForeignKey(Version, models.SET_NULL, null=True, related_name="reports")
    machine = models.ForeignKey(Machine, models.SET_NULL, null=True, related_name="reports")
    metric = models.ForeignKey(Metric, models.SET_NULL, null=True, related_name="reports")
    # The author's note about the release.
    note = models.TextField(blank=True)
    # The frozen numbers, see `modeling.selectors.reports.content`.
    content = models.JSONField()
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="reports")
    made_at = models.DateTimeField(db_default=Now())

    objects = ApplicationRows.as_manager()

    class Meta:
        ordering: ClassVar = ["-id"]
        indexes: ClassVar = [models.Index(fields=["application", "-id"], name="report_latest")]

    def __str__(self) -> str:
        return f"report on {self.content['version']['label']} on {self.content['machine']}"


class ShareLink(models.Model):
    """A link that shows one report until it expires or is revoked. Only a digest of its token is stored."""

    report = models.ForeignKey(Report, models.CASCADE, related_name="links")
    # The person or group for whom the link was made.
    name = models.CharField(max_length=80)
    digest = models.CharField(max_length=64, unique=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    views = models.PositiveIntegerField(default=0)
    # Time at which the link was last opened.
    viewed_at = models.DateTimeField(null=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.CheckConstraint(
                # One day more, because the clocks of database and portal may differ.
                condition=Q(expires_at__lte=F("made_at") + LONGEST_SHARE + timedelta(days=1)),
                name="share_link_expires",
            ),
        ]

    def __str__(self) -> str:
        return self.name
