"""Model runs, each of one modeler over one campaign, and the portions in which workers share a run."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from ingest.models import Campaign, Metric
from modeling.models.states import State

SHOWN_FIRST = ("-shown", "-id")
"""Order of a campaign's runs. The run that pages show comes first."""


class ModelRun(models.Model):
    """The run of one modeler over a whole campaign."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="runs")
    modeler = models.CharField(max_length=20)
    options = models.JSONField(default=dict)
    shown = models.BooleanField(
        default=True, help_text="on pages; a campaign's other runs are there to be compared with it"
    )
    engine_version = models.CharField(max_length=20, blank=True)
    revision = models.PositiveIntegerField(default=0, help_text="of the campaign that was modelled; 0: none")
    profiled_at = models.DateTimeField(
        null=True,
        help_text="when the dependencies of functions were stored that its laws follow; null: none were",
    )
    target = models.JSONField(default=dict, help_text="parameter → value, that stored predictions are for")
    shared = models.JSONField(
        default=dict,
        help_text="metric id → what residuals tell of the correlation between the kernels' deviations; "
        "see modeling.engine.deviations.correlation",
    )
    state = models.CharField(max_length=8, choices=State.choices, default=State.QUEUED)
    series_done = models.PositiveIntegerField(default=0)
    series_total = models.PositiveIntegerField(default=0)
    judged = models.PositiveIntegerField(
        default=0, help_text="models of a finished run that were judged without each of their points"
    )
    expected_at = models.DateTimeField(
        null=True, help_text="when its models were last held against all expectations"
    )
    error = models.TextField(blank=True)
    failures = models.JSONField(
        default=list,
        help_text="of some kernels: metric, kernels (how many), what, reason, reference, message",
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    cause = models.TextField(blank=True, help_text="what broke off the last attempt; empty: it was not")
    seconds = models.FloatField(null=True, help_text="spent fitting and storing")
    adapting = models.FloatField(
        null=True, help_text="share of the adaptation of a network that is done; null: none is being adapted"
    )
    adapted_seconds = models.FloatField(
        null=True, help_text="that adapting networks took; null: none was adapted for this run"
    )
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
    """Some kernels of a run that a worker models at a time. The rows exist only while the run is being
    modelled.

    One portion of each metric comes first. All other portions wait until its result shows the properties that
    all kernels share.
    """

    class State(models.TextChoices):
        """The state of the work on the portion."""

        HELD = "held", "held"
        QUEUED = "queued", "queued"
        DONE = "done", "done"

    run = models.ForeignKey(ModelRun, models.CASCADE, related_name="portions")
    metric = models.ForeignKey(Metric, models.CASCADE, related_name="+")
    kernels = ArrayField(models.BigIntegerField(), help_text="ids")
    in_total = ArrayField(models.BooleanField(), help_text="whether each makes up the program's total")
    leads = models.BooleanField(default=False)
    common = models.JSONField(null=True, help_text="what the metric's kernels share; see modeling.engine")
    state = models.CharField(max_length=6, choices=State.choices, default=State.QUEUED)
    failures = models.JSONField(default=list, help_text="as those of a run")
    attempts = models.PositiveSmallIntegerField(default=0)
    cause = models.TextField(blank=True, help_text="what broke off the last attempt; empty: it was not")
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
