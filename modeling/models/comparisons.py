"""Comparisons of two campaigns: the factor that kernels share, and the kernels that changed."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from ingest.models import Application, Campaign, Kernel, Metric
from modeling.models.states import State


class Comparison(models.Model):
    """A comparison of two campaigns of one application, possibly on two machines."""

    application = models.ForeignKey(Application, models.CASCADE, related_name="comparisons")
    before = models.ForeignKey(Campaign, models.CASCADE, related_name="+")
    after = models.ForeignKey(Campaign, models.CASCADE, related_name="+")
    state = models.CharField(max_length=8, choices=State.choices, default=State.QUEUED)
    error = models.TextField(blank=True)
    # Failures in some metrics, in the form of `ModelRun.failures`.
    failures = models.JSONField(default=list)
    attempts = models.PositiveSmallIntegerField(default=0)
    # Why the last attempt was interrupted; empty if it was not.
    cause = models.TextField(blank=True)
    queued_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["before", "after"], name="comparison_once"),
            models.CheckConstraint(condition=~Q(before=models.F("after")), name="comparison_of_two"),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["queued_at"],
                condition=Q(state__in=["queued", "running"]),
                name="comparison_unfinished",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.before} → {self.after}"


class Shift(models.Model):
    """The factor that all kernels of a comparison share in one metric, such as a slower machine's."""

    comparison = models.ForeignKey(Comparison, models.CASCADE, related_name="shifts")
    metric = models.ForeignKey(Metric, models.CASCADE, related_name="+")
    # After / before of kernels that did not change.
    ratio = models.FloatField()
    # Lower and upper end of the ratio's 95 % interval.
    lower = models.FloatField()
    upper = models.FloatField()
    # How the ratio depends on parameters: a list of objects. `exponent` is the power of `parameter`. `lower`
    # and `upper` are the ends of the exponent's 95 % interval.
    growth = models.JSONField(default=list)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["comparison", "metric"], name="shift_once"),
        ]

    def __str__(self) -> str:
        return f"{self.comparison}: {self.ratio:.3g}×"

    @property
    def differs(self) -> bool:
        """Whether the 95 % interval of the ratio excludes 1."""
        return not self.lower <= 1 <= self.upper

    @property
    def notable(self) -> bool:
        """Whether the ratio may not be 1 at all points: it differs, or depends on parameters."""
        return self.differs or bool(self.growth)


class Change(models.Model):
    """The difference of one kernel between the two campaigns. Unchanged kernels have no row."""

    class Kind(models.TextChoices):
        """The kind of difference."""

        FACTOR = "factor", "same law, other constant"
        LAW = "law", "other law"
        OVERHEAD = "overhead", "same growth, other overhead"
        UNKNOWN = "unknown", "not identifiable"

    comparison = models.ForeignKey(Comparison, models.CASCADE, related_name="changes")
    kernel = models.ForeignKey(Kernel, models.CASCADE, related_name="changes")
    metric = models.ForeignKey(Metric, models.CASCADE, related_name="changes")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    # Probability that the kernel changed at all.
    probability = models.FloatField()
    # As in `Alert`; null: not known.
    law_probability = models.FloatField(null=True)
    # As in `Alert`; null: not known.
    overhead_probability = models.FloatField(null=True)
    # After / before at the default target, divided by the shift. Null if law or overhead changed and the
    # interval of the ratio contains 1. For the kind unknown: the measured ratio at common points, or else the
    # ratio of predictions, neither divided by the shift.
    ratio = models.FloatField(null=True)
    ratio_lower = models.FloatField(null=True)
    ratio_upper = models.FloatField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["comparison", "metric", "kernel"], name="change_once"),
        ]
        indexes: ClassVar = [models.Index(fields=["kernel", "metric"], name="change_history")]

    def __str__(self) -> str:
        return f"{self.kernel}: {self.get_kind_display()}"
