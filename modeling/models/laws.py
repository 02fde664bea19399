"""The results of a run: a law for each kernel and metric, totals, and predictions over versions."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from ingest.models import Kernel, Machine, Metric
from modeling.models.runs import ModelRun
from perfweb.accounts.rows import QuickRow


class Model(QuickRow):
    """A kernel's law for one metric: constant + Σ coefficient · Π x^i · log2^j(x), with its errors.

    `exponents` is (terms, parameters, 2) and `covariance` (terms + 1, terms + 1), both flattened; errors,
    noise and levels are fractions, not percent. NULL means "not known".
    """

    run = models.ForeignKey(ModelRun, models.CASCADE, related_name="models")
    kernel = models.ForeignKey(Kernel, models.CASCADE, related_name="models")
    metric = models.ForeignKey(Metric, models.CASCADE, related_name="models")
    status = models.CharField(max_length=20, help_text="ok, segmented, failed, or why there is no law")
    reason = models.TextField(blank=True, help_text="why it failed")
    method = models.TextField(
        blank=True, default="", db_default="",
        help_text="whose law it is, and why, where a modeler chooses among methods",
    )  # fmt: skip
    points_used = models.PositiveIntegerField()
    expression = models.TextField(help_text="for people and for search")
    growth = models.CharField(max_length=20, help_text="class of the fastest growing parameter")

    constant = models.FloatField(null=True)
    coefficients = ArrayField(models.FloatField())
    exponents = ArrayField(models.FloatField())
    covariance = ArrayField(models.FloatField())
    degrees_of_freedom = models.IntegerField()
    lead_exponents = ArrayField(models.FloatField(), help_text="(parameters, 2), flattened")

    lead_certainty = ArrayField(
        models.FloatField(), null=True, help_text="how probable each lead exponent is, within 1/4"
    )

    posterior = models.BinaryField(
        null=True, help_text="draws of the law; packed by modeling.storage.posteriors"
    )

    segments = models.JSONField(
        null=True,
        help_text="laws of smaller values, where this one is of the largest; see modeling.storage.segments",
    )
    segment_posteriors = models.BinaryField(null=True, help_text="draws of these laws, one after the other")

    smape = models.FloatField(null=True)
    relative_error = models.FloatField(null=True)
    r_squared = models.FloatField(null=True)
    rss = models.FloatField(null=True)
    cv_smape = models.FloatField(null=True, help_text="leave-one-out over points")
    holdout_error = models.FloatField(null=True, help_text="at the largest point, refitted without it")

    stability = models.FloatField(null=True, help_text="share of its points that the law survives without")
    weakest_point = models.PositiveIntegerField(
        null=True, help_text="number of the campaign's point without which most changes"
    )
    weakest_ratio = models.FloatField(
        null=True, help_text="prediction without that point over the one with it, far outside of the data"
    )

    noise = models.FloatField(null=True)
    noise_mean = models.FloatField(null=True)
    noise_median = models.FloatField(null=True)
    noise_min = models.FloatField(null=True)
    noise_max = models.FloatField(null=True)

    counts_to_total = models.BooleanField(help_text="Whether the program's total is a sum with this one.")
    largest = models.FloatField(null=True, help_text="measured median at the largest point")
    predicted = models.FloatField(null=True, help_text="at the application's default target")
    lower = models.FloatField(null=True)
    upper = models.FloatField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "metric", "kernel"], name="model_once_per_run"),
        ]
        indexes: ClassVar = [models.Index(fields=["kernel", "metric"], name="model_history")]

    def __str__(self) -> str:
        return f"{self.kernel} {self.metric}: {self.expression}"


class Total(models.Model):
    """The whole program's predicted value at the default target, per run and metric."""

    run = models.ForeignKey(ModelRun, models.CASCADE, related_name="totals")
    metric = models.ForeignKey(Metric, models.CASCADE, related_name="totals")
    largest = models.FloatField(null=True, help_text="measured at the largest point")
    predicted = models.FloatField(null=True)
    lower = models.FloatField(null=True)
    upper = models.FloatField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "metric"], name="total_once_per_run_and_metric"),
        ]

    def __str__(self) -> str:
        return f"total {self.metric} of {self.run}"


class Trend(QuickRow):
    """A kernel's prediction at the default target over all versions on one machine, oldest first."""

    kernel = models.ForeignKey(Kernel, models.CASCADE, related_name="trends")
    metric = models.ForeignKey(Metric, models.CASCADE, related_name="trends")
    machine = models.ForeignKey(Machine, models.CASCADE, related_name="trends")
    versions = ArrayField(models.BigIntegerField(), help_text="ids")
    predicted = ArrayField(models.FloatField(null=True))
    impact = models.FloatField(
        help_text="largest change between neighbouring versions, in units of the metric"
    )

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["metric", "machine", "kernel"], name="trend_once"),
        ]
        indexes: ClassVar = [models.Index(fields=["metric", "machine", "-impact"], name="trend_by_impact")]

    def __str__(self) -> str:
        return f"trend of {self.kernel}"
