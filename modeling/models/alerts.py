"""Alerts: what got worse in a version, and who looks after it until it is settled."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from ingest.models import Application, Kernel, Machine, Metric, Version
from modeling.models.comparisons import Comparison


class Alert(models.Model):
    """A kernel that changed from one version to the next, or broke what was expected of it.

    Comparisons are derived and made anew whenever a campaign grows; an alert is what people decided about
    one, and stays. It repeats the numbers that it was last seen with. Nothing but triage changes its state,
    except that an alert whose change has gone is fixed, to be verified.
    """

    class Cause(models.TextChoices):
        """What raised it."""

        CHANGE = "change", "changed from the version before"
        EXPECTATION = "expectation", "breaks what is expected"

    class State(models.TextChoices):
        """How far triage has come; the first four are open."""

        NEW = "new", "new"
        ACKNOWLEDGED = "acknowledged", "acknowledged"
        FIXING = "fixing", "being fixed"
        FIXED = "fixed", "fixed, to be verified"
        VERIFIED = "verified", "verified"
        EXPECTED = "expected", "expected"
        NOISE = "noise", "noise"

    application = models.ForeignKey(Application, models.CASCADE, related_name="alerts")
    version = models.ForeignKey(Version, models.CASCADE, related_name="alerts", help_text="where it appeared")
    machine = models.ForeignKey(Machine, models.CASCADE, related_name="alerts")
    kernel = models.ForeignKey(Kernel, models.CASCADE, related_name="alerts")
    metric = models.ForeignKey(Metric, models.CASCADE, related_name="alerts")
    cause = models.CharField(max_length=12, choices=Cause.choices)
    comparison = models.ForeignKey(
        Comparison, models.SET_NULL, null=True, related_name="alerts", help_text="that showed the change"
    )

    verdict = models.CharField(
        max_length=12, help_text="a value of modeling.verdicts.Verdict, or 'expectation'"
    )
    probability = models.FloatField(help_text="that the kernel changed, or that the expectation is broken")
    ratio = models.FloatField(null=True, help_text="after / before at the default target")
    ratio_lower = models.FloatField(null=True)
    ratio_upper = models.FloatField(null=True)
    difference = models.FloatField(null=True, help_text="after − before there, in units of the metric")

    state = models.CharField(max_length=12, choices=State.choices, default=State.NEW)
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="alerts"
    )
    due = models.DateField(null=True, blank=True)
    issue_url = models.URLField(max_length=500, blank=True, help_text="of the tracker's entry")
    raised_at = models.DateTimeField(db_default=Now())
    changed_at = models.DateTimeField(db_default=Now(), help_text="when its state was last set")

    class Meta:
        ordering: ClassVar = ["-raised_at", "-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["version", "machine", "metric", "kernel", "cause"], name="alert_once"
            ),
            models.CheckConstraint(
                condition=Q(
                    state__in=["new", "acknowledged", "fixing", "fixed", "verified", "expected", "noise"]
                ),
                name="alert_state_known",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["application", "version"],
                condition=Q(state__in=["new", "acknowledged", "fixing", "fixed"]),
                name="alert_open",
            ),
            models.Index(fields=["kernel", "metric"], name="alert_of_kernel"),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} of {self.kernel} in {self.version}"


OPEN_ALERTS = [Alert.State.NEW, Alert.State.ACKNOWLEDGED, Alert.State.FIXING, Alert.State.FIXED]
