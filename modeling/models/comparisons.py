"""Comparisons of two campaigns: the factor that kernels share, and the kernels that changed."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from ingest.models import Application, Campaign, Kernel, Metric
from modeling.models.states import State


class Comparison(models.Model):
    """A comparison of two campaigns of one application.

    The portal compares neighbouring versions on one machine automatically. It compares any two campaigns,
    even of two machines, on request.
    """

    application = models.ForeignKey(Application, models.CASCADE, related_name="comparisons")
    before = models.ForeignKey(Campaign, models.CASCADE, related_name="+")
    after = models.ForeignKey(Campaign, models.CASCADE, related_name="+")
    state = models.CharField(max_length=8, choices=State.choices, default=State.QUEUED)
    error = models.TextField(blank=True)
    failures = models.JSONField(default=list, help_text="of some metrics, as those of a run")
    attempts = models.PositiveSmallIntegerField(default=0)
    cause = models.TextField(blank=True, help_text="what broke off the last attempt; empty: it was not")
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
    """The factor that all kernels of a comparison share in one metric, for example because of a slower
    machine or other compiler flags.
    """

    comparison = models.ForeignKey(Comparison, models.CASCADE, related_name="shifts")
    metric = models.ForeignKey(Metric, models.CASCADE, related_name="+")
    ratio = models.FloatField(help_text="after / before of kernels that did not change")
    lower = models.FloatField(help_text="of the 95 % interval of the ratio")
    upper = models.FloatField()
    growth = models.JSONField(
        default=list,
        help_text="powers of parameters that it grows or falls like: parameter, exponent, lower, upper",
    )

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


class Change(models.Model):
    """The difference of one kernel between the two campaigns of a comparison. Unchanged kernels have no
    row.
    """

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
    probability = models.FloatField(help_text="that the kernel changed at all")
    law_probability = models.FloatField(null=True, help_text="that its law changed, not its constant alone")
    overhead_probability = models.FloatField(
        null=True,
        help_text="that a constant was added or removed; null: not told from a law when it was stored",
    )
    ratio = models.FloatField(
        null=True,
        help_text="after / before at the default target, the shift taken out; null: worse or better",
    )
    ratio_lower = models.FloatField(null=True)
    ratio_upper = models.FloatField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["comparison", "metric", "kernel"], name="change_once"),
        ]
        indexes: ClassVar = [models.Index(fields=["kernel", "metric"], name="change_history")]

    def __str__(self) -> str:
        return f"{self.kernel}: {self.get_kind_display()}"
