"""The measurements of one version on one machine. Points are in campaigns, values in arrays of `Series`."""

import math
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from ingest.models.applications import Kernel, Machine, Metric, Version
from perfweb.accounts.querysets import VersionRows


class Campaign(models.Model):
    """Stored measurements of one upload, or of all uploads with the same `key`.

    Each further upload raises the `revision`.
    """

    version = models.ForeignKey(Version, models.CASCADE, related_name="campaigns")
    machine = models.ForeignKey(Machine, models.PROTECT, related_name="campaigns")
    # The key of the campaign's uploads; empty if there is only one upload.
    key = models.CharField(max_length=80, blank=True)
    # How often the content was stored.
    revision = models.PositiveIntegerField(default=1)
    # Time at which the campaign is modelled if no further upload arrives; null: it is complete.
    settles_at = models.DateTimeField(
        null=True,
        blank=True,
    )
    # Names of the parameters, in the order of a point's coordinates.
    parameters = ArrayField(models.CharField(max_length=80))
    # Parameters that a user chose among the runs' known numbers; empty: guessed.
    chosen_parameters = ArrayField(
        models.CharField(max_length=80),
        default=list,
    )
    # Time since which the files wait to be read again; null: they do not wait.
    queued_at = models.DateTimeField(null=True, blank=True)
    # Notes for the owner about all runs together, such as points that several runs share.
    run_notes = models.JSONField(default=list)
    # Why the files could not be read again.
    reread_error = models.TextField(blank=True)
    # The points, one row each.
    points = ArrayField(ArrayField(models.FloatField()))
    metadata = models.JSONField(default=dict)
    kernel_count = models.PositiveIntegerField()
    value_count = models.PositiveBigIntegerField()
    # The largest number of repetitions of any point.
    repetitions = models.PositiveSmallIntegerField()
    created_at = models.DateTimeField(db_default=Now())

    objects = VersionRows.as_manager()

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["version", "machine", "key"], condition=~Q(key=""), name="campaign_once_per_key"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["version", "machine", "-id"], name="campaign_current"),
            models.Index(
                fields=["settles_at"], condition=Q(settles_at__isnull=False), name="campaign_collecting"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.version} on {self.machine}"

    @property
    def point_count(self) -> int:
        """Return the number of measured points."""
        return len(self.points)

    def measured_values(self) -> dict[str, list[float]]:
        """Return the measured values of each parameter, ascending, in the order of a point's coordinates."""
        columns = zip(self.parameters, zip(*self.points, strict=True), strict=True)
        return {name: sorted(set(values)) for name, values in columns}

    def varied_parameters(self) -> list[str]:
        """Return the parameters with more than one measured value."""
        return [name for name, values in self.measured_values().items() if len(values) > 1]


class RunOrigins(models.Model):
    """The jobs, nodes and days of a campaign's runs, which all series have in the same order."""

    campaign = models.OneToOneField(Campaign, models.CASCADE, primary_key=True, related_name="origins")
    # The different origins: job, node and day of each, empty if not known.
    known = models.JSONField()
    # The largest number of runs of any point.
    width = models.PositiveSmallIntegerField()
    # (points · width) numbers: index of each run's origin, -1 if unknown, -2 without a run.
    labels = ArrayField(models.IntegerField())

    class Meta:
        verbose_name_plural = "run origins"
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(width__gt=0), name="run_origins_has_runs"),
        ]

    def __str__(self) -> str:
        return f"{len(self.known)} origins of runs of {self.campaign}"


class Series(models.Model):
    """All values of one kernel and metric in one campaign, point by point. Missing values are NaN."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="series")
    kernel = models.ForeignKey(Kernel, models.CASCADE, related_name="series")
    metric = models.ForeignKey(Metric, models.CASCADE, related_name="series")
    repetitions = models.PositiveSmallIntegerField()
    # (points · repetitions) values, point by point.
    values = ArrayField(models.FloatField())
    # Repetitions within a process, point by point. The median of a process's rounds is one of `values`.
    rounds = ArrayField(models.FloatField(), null=True)

    class Meta:
        verbose_name_plural = "series"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["campaign", "metric", "kernel"], name="series_once_per_campaign_kernel_metric"
            ),
            models.CheckConstraint(condition=Q(repetitions__gt=0), name="series_has_repetitions"),
        ]

    def __str__(self) -> str:
        return f"{self.kernel} {self.metric}"

    def rows(self) -> list[list[float]]:
        """Return a list of values for each point, without missing ones."""
        step = self.repetitions
        return [
            [value for value in self.values[start : start + step] if not math.isnan(value)]
            for start in range(0, len(self.values), step)
        ]
