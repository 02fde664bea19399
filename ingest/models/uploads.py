"""The files that were received, and how far their processing is."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from perfweb.accounts.models import ApiToken, Project, User
from perfweb.accounts.querysets import ProjectRows


class Upload(models.Model):
    """A received file, with the state of its processing. Its application is made when the file is stored."""

    class State(models.TextChoices):
        """The steps of an upload, from its arrival to its models."""

        RECEIVED = "received", "received"
        PARSING = "parsing", "parsing"
        COLLECTING = "collecting", "collecting"  # stored; the campaign waits for further runs
        STORED = "stored", "stored"
        MODELING = "modeling", "modeling"
        DONE = "done", "done"
        FAILED = "failed", "failed"
        REPLACED = "replaced", "replaced"  # a corrected upload took its place
        READ = "read", "read"  # a preview: stored only after the user confirms

    project = models.ForeignKey(Project, models.CASCADE, related_name="uploads")
    application_slug = models.SlugField(max_length=60)
    version_label = models.CharField(max_length=80)
    commit = models.CharField(max_length=64, blank=True)
    branch = models.CharField(max_length=120, blank=True)
    committed_at = models.DateTimeField(null=True, blank=True)
    machine_name = models.CharField(max_length=80, blank=True)
    # Uploads with the same key are runs of one campaign.
    campaign_key = models.CharField(max_length=80, blank=True)
    # Name of the run in its campaign. Files with the same bytes are different runs if their names differ.
    run = models.CharField(max_length=80, blank=True)
    campaign = models.ForeignKey("Campaign", models.CASCADE, null=True, blank=True, related_name="uploads")
    # The earlier upload that this one corrects.
    replaces = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="corrections")
    # Name of the file's format; empty: recognised from the content.
    format = models.CharField(max_length=40, blank=True)
    # The sender's options, for formats that can be read in several ways.
    options = models.JSONField(default=dict)
    # Coordinates that the file does not contain, as pairs or as a pattern for file names.
    point = models.CharField(max_length=500, blank=True)
    # The known numbers of each run, by name, if parameters are chosen among them.
    runs = models.JSONField(default=list)
    # Modelers of the campaign, the shown one first; empty: those of the application's settings.
    modelers = ArrayField(models.CharField(max_length=20), default=list, blank=True)
    metadata = models.JSONField(default=dict)
    # Whether the file is only read and described, not stored.
    dry_run = models.BooleanField(default=False)
    # The description of the file's content after a dry run.
    diagnosis = models.JSONField(null=True, blank=True)
    # Roles, units and directions of new parameters and metrics, by kind and name.
    described = models.JSONField(default=dict)

    file = models.FileField(upload_to="uploads/%Y/%m/", max_length=255)
    filename = models.CharField(max_length=255)
    # Size of the file in bytes.
    size = models.BigIntegerField()
    sha256 = models.CharField(max_length=64)
    idempotency_key = models.CharField(max_length=255, blank=True)

    user = models.ForeignKey(User, models.SET_NULL, null=True, related_name="uploads")
    token = models.ForeignKey(ApiToken, models.SET_NULL, null=True, related_name="uploads")
    state = models.CharField(max_length=12, choices=State.choices, default=State.RECEIVED)
    # The finished share of the current state, 0 to 1.
    progress = models.FloatField(default=0.0)
    # Why the upload failed: message, line, found, expected.
    error = models.JSONField(null=True, blank=True)
    # Notes for the sender, for example about missing points.
    notes = models.JSONField(default=list)
    attempts = models.PositiveSmallIntegerField(default=0)
    # Why the last attempt was interrupted; empty if it was not.
    cause = models.TextField(blank=True)
    created_at = models.DateTimeField(db_default=Now())
    queued_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = ProjectRows.as_manager()

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["project", "idempotency_key"],
                condition=~Q(idempotency_key=""),
                name="upload_once_per_idempotency_key",
            ),
            models.UniqueConstraint(
                fields=[
                    "project",
                    "application_slug",
                    "version_label",
                    "machine_name",
                    "campaign_key",
                    "sha256",
                    "options",
                    "point",
                    "run",
                ],
                condition=~Q(state__in=["failed", "replaced"]) & Q(dry_run=False),
                name="upload_once_per_content",
            ),
            models.CheckConstraint(
                condition=Q(
                    state__in=[
                        "received",
                        "parsing",
                        "collecting",
                        "stored",
                        "modeling",
                        "done",
                        "failed",
                        "replaced",
                        "read",
                    ]
                ),
                name="upload_state_known",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["queued_at"],
                condition=Q(state__in=["received", "parsing"]),
                name="upload_unfinished",
            ),
            models.Index(fields=["project", "-id"], name="upload_latest_of_project"),
            models.Index(fields=["created_at"], condition=Q(dry_run=True), name="upload_previews"),
        ]

    def __str__(self) -> str:
        return f"{self.filename} for {self.application_slug} {self.version_label}"

    @property
    def finished(self) -> bool:
        """Return whether the processing of the upload has ended."""
        return self.state in (self.State.DONE, self.State.FAILED, self.State.REPLACED, self.State.READ)


UNFINISHED = [Upload.State.RECEIVED, Upload.State.PARSING]
"""States of uploads that have not been stored."""

WAITING = [*UNFINISHED, Upload.State.COLLECTING, Upload.State.STORED, Upload.State.MODELING]
"""States of uploads that a worker still has to process."""

STANDING = [Upload.State.COLLECTING, Upload.State.STORED, Upload.State.MODELING, Upload.State.DONE]
"""States of uploads whose measurements are in their campaign."""
