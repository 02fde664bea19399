"""The results of a run: a law for each kernel and metric, totals, and predictions over versions."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from ingest.models import Kernel, Machine, Metric
from modeling.models.runs import ModelRun


class Model(models.Model):
    """A kernel's law for one metric, a constant plus a sum of terms, with the errors of the law.

    A term is its coefficient times x^i · log2(x)^j of every parameter x. `exponents` contains (i, j) as
    (terms, parameters, 2). `covariance` is that of constant and coefficients, (terms + 1, terms + 1). Both
    arrays are flattened. Errors and noise are fractions. NULL means "not known".
    """

    run = models.ForeignKey(ModelRun, models.CASCADE, related_name="models")
    kernel = models.ForeignKey(Kernel, models.CASCADE, related_name="models")
    metric = models.ForeignKey(Metric, models.CASCADE, related_name="models")
    # One of the constants of `modeling.engine.results.models`, such as "ok", "segmented" or "few values".
    status = models.CharField(max_length=20)
    # Why the modeler failed; empty if it did not.
    reason = models.TextField(blank=True)
    # The method that found the law, and why, if the modeler chooses among methods.
    method = models.TextField(blank=True, default="", db_default="")
    points_used = models.PositiveIntegerField()
    # The formula as text, for people and for search.
    expression = models.TextField()
    # The growth with the fastest growing parameter: one of `modeling.engine.laws.growth.CLASSES`.
    growth = models.CharField(max_length=20)

    constant = models.FloatField(null=True)
    coefficients = ArrayField(models.FloatField())
    exponents = ArrayField(models.FloatField())
    covariance = ArrayField(models.FloatField())
    degrees_of_freedom = models.IntegerField()
    # The exponents (i, j) of each parameter's fastest growing term, its lead term; 0 without one. An array
    # (parameters, 2), flattened.
    lead_exponents = ArrayField(models.FloatField())

    # For each parameter, the probability that its lead exponent is right within 1/4.
    lead_certainty = ArrayField(models.FloatField(), null=True)

    # Draws of the law, packed by `modeling.storage.posteriors`.
    posterior = models.BinaryField(null=True)

    # The measured range; see `modeling.storage.regions`.
    region = models.JSONField(null=True)
    # The laws for a parameter's smaller values, if any; see `modeling.storage.segments`.
    segments = models.JSONField(null=True)
    # Draws of the laws in `segments`, one law after the other.
    segment_posteriors = models.BinaryField(null=True)

    smape = models.FloatField(null=True)
    relative_error = models.FloatField(null=True)
    r_squared = models.FloatField(null=True)
    rss = models.FloatField(null=True)
    # SMAPE of predictions for each point by a law fitted to all other points.
    cv_smape = models.FloatField(null=True)
    # Relative error at the largest point by a law fitted to all other points.
    holdout_error = models.FloatField(null=True)

    # Share of points that can be left out, one at a time, without a change of the law.
    stability = models.FloatField(null=True)
    # Index of the point whose absence changes the law or its prediction most.
    weakest_point = models.PositiveIntegerField(null=True)
    # Ratio of predictions far outside of the data: without the weakest point / with it.
    weakest_ratio = models.FloatField(null=True)

    # Range of the repetitions' relative deviations from their point's mean, over all points. Then mean,
    # median, smallest and largest of the ranges at single points.
    noise = models.FloatField(null=True)
    noise_mean = models.FloatField(null=True)
    noise_median = models.FloatField(null=True)
    noise_min = models.FloatField(null=True)
    noise_max = models.FloatField(null=True)

    # Whether the kernel is a summand of the program's total.
    counts_to_total = models.BooleanField()
    # The measured median at the largest point.
    largest = models.FloatField(null=True)
    # The prediction at the application's default target, and both ends of its 95 % interval.
    predicted = models.FloatField(null=True)
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
    """The whole program's predicted value at the default target, in one metric of one run."""

    run = models.ForeignKey(ModelRun, models.CASCADE, related_name="totals")
    metric = models.ForeignKey(Metric, models.CASCADE, related_name="totals")
    # The total measured at the largest point.
    largest = models.FloatField(null=True)
    predicted = models.FloatField(null=True)
    lower = models.FloatField(null=True)
    upper = models.FloatField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "metric"], name="total_once_per_run_and_metric"),
        ]

    def __str__(self) -> str:
        return f"total {self.metric} of {self.run}"


class Trend(models.Model):
    """A kernel's prediction at the default target over all versions on one machine, oldest first."""

    kernel = models.ForeignKey(Kernel, models.CASCADE, related_name="trends")
    metric = models.ForeignKey(Metric, models.CASCADE, related_name="trends")
    machine = models.ForeignKey(Machine, models.CASCADE, related_name="trends")
    # Ids of the versions, oldest first.
    versions = ArrayField(models.BigIntegerField())
    predicted = ArrayField(models.FloatField(null=True))
    # The largest change between neighbouring versions, in units of the metric.
    impact = models.FloatField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["metric", "machine", "kernel"], name="trend_once"),
        ]
        indexes: ClassVar = [models.Index(fields=["metric", "machine", "-impact"], name="trend_by_impact")]

    def __str__(self) -> str:
        return f"trend of {self.kernel}"
