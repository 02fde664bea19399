"""Expectations of kernels, and the probability that the models of a run meet them."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import MD5

from ingest.models import Application, Kernel, Metric
from modeling.models.runs import ModelRun
from perfweb.accounts.querysets import ApplicationRows


class Expectation(models.Model):
    """The expected growth of kernels in one metric, or a limit on their cost at a configuration."""

    application = models.ForeignKey(Application, models.CASCADE, related_name="expectations")
    metric = models.ForeignKey(Metric, models.CASCADE, related_name="expectations")
    # A pattern of kernels, see `modeling.rules.patterns`.
    pattern = models.CharField(max_length=400)
    # The expectation in the language of `modeling.rules.expectations`.
    text = models.CharField(max_length=500)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField()

    objects = ApplicationRows.as_manager()

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            # Pattern and text together may be too long for a B-tree index, so the index has their digests.
            models.UniqueConstraint(
                "application", "metric", MD5("pattern"), MD5("text"), name="expectation_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pattern}: {self.text}"


class ExpectationResult(models.Model):
    """The probability that an expectation holds, according to a run's model of one kernel."""

    run = models.ForeignKey(ModelRun, models.CASCADE, related_name="expectation_results")
    expectation = models.ForeignKey(Expectation, models.CASCADE, related_name="results")
    kernel = models.ForeignKey(Kernel, models.CASCADE, related_name="+")
    # Probability that the expectation holds; null: not known.
    probability = models.FloatField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["run", "expectation", "kernel"], name="expectation_result_once_per_run"
            ),
            models.CheckConstraint(
                condition=Q(probability__isnull=True) | Q(probability__gte=0, probability__lte=1),
                name="expectation_result_is_a_probability",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.expectation} of {self.kernel}: {self.probability}"


BROKEN = 0.05
"""An expectation is broken if it holds with less than this probability: at most 1 in 20 results is wrong."""

DOUBTFUL = 0.5
"""An expectation is doubtful if it holds with less than this probability."""
