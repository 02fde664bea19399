"""Model runs, each by one modeler over one campaign, and the portions of a run that workers model."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from ingest.models import Campaign, Metric
from modeling.models.states import State

SHOWN_FIRST = ("-shown", "-id")
"""Order of a campaign's runs, the run that pages show first."""


class ModelRun(models.Model):
    """The run of one modeler over a whole campaign."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="runs")
    modeler = models.CharField(max_length=20)
    options = models.JSONField(default=dict)
    # Whether pages show this run. Other runs of the campaign are only compared with it.
    shown = models.BooleanField(default=True)
    engine_version = models.CharField(max_length=20, blank=True)
    # Revision of the campaign that was modelled; 0: not modelled yet.
    revision = models.PositiveIntegerField(default=0)
    # Time at which the dependencies that limit the laws' parameters were stored. Null: no limit.
    profiled_at = models.DateTimeField(null=True)
    # Target of the stored predictions: parameter → value.
    target = models.JSONField(default=dict)
    # Metric id → statistics of the residuals for `modeling.engine.deviations.correlation`.
    shared = models.JSONField(default=dict)
    state = models.CharField(max_length=8, choices=State.choices, default=State.QUEUED)
    series_done = models.PositiveIntegerField(default=0)
    series_total = models.PositiveIntegerField(default=0)
    # Number of models whose stability was computed after the run was finished.
    judged = models.PositiveIntegerField(default=0)
    # Time at which the models were last compared with all expectations.
    expected_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True)
    # Objects on failures: `metric`, number of `kernels`, `what` could not be done, `reason`, `reference` (id
    # of the log's lines), and `message` (a sentence).
    failures = models.JSONField(default=list)
    attempts = models.PositiveSmallIntegerField(default=0)
    # Why the last attempt was interrupted; empty if it was not.
    cause = models.TextField(blank=True)
    # Seconds spent on fitting and storing.
    seconds = models.FloatField(null=True)
    # The finished share of the adaptation of a network; null: none is being adapted.
    adapting = models.FloatField(null=True)
    # Seconds that adapting networks took; null: none was adapted for this run.
    adapted_seconds = models.FloatField(null=True)
    queued_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["campaign", "modeler", "options"], name="run_once_per_campaign_and_modeler"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running", "done", "failed"]), name="run_state_known"
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["queued_at"], condition=Q(state__in=["queued", "running"]), name="run_unfinished"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.modeler} of {self.campaign}"


class Portion(models.Model):
    """Some kernels of a run that one worker models together. Rows exist only during the run.

    One portion of each metric, marked by `leads`, is modelled first. This portion finds the properties that
    all kernels share. The metric's other portions wait for these properties.
    """

    class State(models.TextChoices):
        """The state of the work on the portion."""

        HELD = "held", "held"
        QUEUED = "queued", "queued"
        DONE = "done", "done"

    run = models.ForeignKey(ModelRun, models.CASCADE, related_name="portions")
    metric = models.ForeignKey(Metric, models.CASCADE, related_name="+")
    # Ids of the kernels.
    kernels = ArrayField(models.BigIntegerField())
    # Whether each kernel is a summand of the program's total.
    in_total = ArrayField(models.BooleanField())
    leads = models.BooleanField(default=False)
    # The properties that the metric's kernels share, see `modeling.engine`.
    common = models.JSONField(null=True)
    state = models.CharField(max_length=6, choices=State.choices, default=State.QUEUED)
    # Failures, in the form of `ModelRun.failures`.
    failures = models.JSONField(default=list)
    attempts = models.PositiveSmallIntegerField(default=0)
    # Why the last attempt was interrupted; empty if it was not.
    cause = models.TextField(blank=True)
    queued_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(state__in=["held", "queued", "done"]), name="portion_state_known"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["queued_at"], condition=Q(state="queued"), name="portion_unfinished"),
        ]

    def __str__(self) -> str:
        return f"{len(self.kernels)} kernels of {self.run}"
