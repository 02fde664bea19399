"""The ledger: recorded predictions for an application's targets, which are kept when models change."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from ingest.models import Application, Campaign, Machine, Metric
from perfweb.accounts.querysets import ApplicationRows


class Prediction(models.Model):
    """One run's predictions for all kernels in one metric at one target, and later measurements there.

    The row is permanent, unlike a `Forecast`, which is replaced with its model. Unknown values in arrays are
    NaN.
    """

    application = models.ForeignKey(Application, models.CASCADE, related_name="predictions")
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="predictions")
    metric = models.ForeignKey(Metric, models.CASCADE, related_name="predictions")
    # Revision of the campaign that was modelled.
    revision = models.PositiveIntegerField()
    engine_version = models.CharField(max_length=20)
    # The target, in the order of the campaign's parameters.
    point = ArrayField(models.FloatField())
    # Factor from the nearer end of the measured range to the target, in the parameter with the largest
    # factor; 1 inside the range.
    distance = models.FloatField()
    # Ids of the kernels. All arrays below are in this order.
    kernels = ArrayField(models.BigIntegerField())
    predicted = ArrayField(models.FloatField())
    # Lower and upper ends of the 95 % intervals.
    lower = ArrayField(models.FloatField())
    upper = ArrayField(models.FloatField())
    # Whether each kernel is a summand of the program's total; empty if there is no total.
    counted = ArrayField(models.BooleanField(), default=list)
    # The predicted total; null if the metric has none.
    total = models.FloatField(null=True)
    # Lower and upper end of the total's 95 % interval, from joint draws.
    total_lower = models.FloatField(null=True)
    total_upper = models.FloatField(null=True)
    made_at = models.DateTimeField()
    # The campaign that measured the target.
    scored_by = models.ForeignKey(Campaign, models.CASCADE, null=True, related_name="scored_predictions")
    # The median of each kernel's repetitions at the target, in the campaign that measured it.
    measured = ArrayField(models.FloatField(), null=True)

    objects = ApplicationRows.as_manager()

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["campaign", "metric", "revision", "engine_version", "point"],
                name="prediction_once",
            ),
            models.CheckConstraint(
                condition=Q(scored_by=None, measured=None)
                | Q(scored_by__isnull=False, measured__isnull=False),
                name="prediction_scored_as_a_whole",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["application"], condition=Q(scored_by=None), name="prediction_unscored"),
        ]

    def __str__(self) -> str:
        return f"{self.campaign}: {self.metric} at {self.point}"


class LedgerSummary(models.Model):
    """How often recorded predictions in one metric on one machine were right."""

    metric = models.ForeignKey(Metric, models.CASCADE, related_name="ledger_summaries")
    machine = models.ForeignKey(Machine, models.CASCADE, related_name="+")
    # Objects for groups of predictions with similar distances. `begin` is the smallest distance; null: all
    # predictions. `count` is their number. `inside` is the share with the measured value in the interval.
    # `widening` is the factor that widens intervals.
    groups = models.JSONField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["metric", "machine"], name="ledger_summary_once"),
        ]

    def __str__(self) -> str:
        return f"{self.metric} on {self.machine}"
