"""Alerts about kernels that changed in a version, people's decisions about alerts, and silences."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from ingest.models import Application, Kernel, Machine, Metric, Version
from modeling.models.comparisons import Comparison
from modeling.rules.patterns import text_matches
from perfweb.accounts.models import ApiToken
from perfweb.accounts.querysets import ApplicationRows


class Alert(models.Model):
    """A kernel that changed from one version to the next, or broke an expectation.

    An alert stores people's decisions, so it is kept when comparisons are computed again. Its numbers are
    copies from the latest comparison or models. If the change is gone, the portal marks the alert as fixed,
    and a person then verifies this. If the expectation was removed, the portal marks the alert as expected.
    `state_before` then stores the previous state, in case the change is seen again.
    """

    class Cause(models.TextChoices):
        """The cause of the alert."""

        CHANGE = "change", "changed from the version before"
        EXPECTATION = "expectation", "breaks what is expected"

    class State(models.TextChoices):
        """The state of triage; the first four states are open."""

        NEW = "new", "new"
        ACKNOWLEDGED = "acknowledged", "acknowledged"
        FIXING = "fixing", "being fixed"
        FIXED = "fixed", "fixed, to be verified"
        VERIFIED = "verified", "verified"
        EXPECTED = "expected", "expected"
        NOISE = "noise", "noise"

    application = models.ForeignKey(Application, models.CASCADE, related_name="alerts")
    # The version in which the change appeared.
    version = models.ForeignKey(Version, models.CASCADE, related_name="alerts")
    machine = models.ForeignKey(Machine, models.CASCADE, related_name="alerts")
    kernel = models.ForeignKey(Kernel, models.CASCADE, related_name="alerts")
    metric = models.ForeignKey(Metric, models.CASCADE, related_name="alerts")
    cause = models.CharField(max_length=12, choices=Cause.choices)
    # The comparison that shows the change.
    comparison = models.ForeignKey(Comparison, models.SET_NULL, null=True, related_name="alerts")

    # A value of `modeling.verdicts.Verdict`, or "expectation".
    verdict = models.CharField(max_length=16)
    # Whether the kernel became better. Improvements need no action and are listed only on request.
    improvement = models.BooleanField(default=False)
    # Which expectation is broken, and how.
    reason = models.CharField(max_length=500, blank=True)
    # Probability that the kernel changed, or that the expectation is broken.
    probability = models.FloatField()
    # Probability that the kernel grows differently, so that no factor explains the change.
    law_probability = models.FloatField(null=True)
    # Probability that one amount was added to all values of the kernel, or removed from them.
    overhead_probability = models.FloatField(null=True)
    # After / before at the default target, without the factor that all kernels share.
    ratio = models.FloatField(null=True)
    ratio_lower = models.FloatField(null=True)
    ratio_upper = models.FloatField(null=True)
    # After − before at the default target, in units of the metric.
    difference = models.FloatField(null=True)
    # The difference as a share of the program's total at the target. Alerts are sorted by its size.
    effect = models.FloatField(null=True)

    state = models.CharField(max_length=12, choices=State.choices, default=State.NEW)
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="alerts"
    )
    due = models.DateField(null=True, blank=True)
    note = models.TextField(max_length=2000, blank=True)
    # Address of the issue in a tracker.
    issue_url = models.URLField(max_length=500, blank=True)
    raised_at = models.DateTimeField(db_default=Now())
    # The later version in which the kernel is as before the change.
    fixed_in = models.ForeignKey(Version, models.SET_NULL, null=True, blank=True, related_name="+")
    # The state before the alert was marked as fixed or closed by the portal.
    state_before = models.CharField(max_length=12, choices=State.choices, blank=True)
    # The end of the longest silence of this alert.
    silenced_until = models.DateTimeField(null=True, blank=True)
    # Time at which the state was last changed.
    changed_at = models.DateTimeField(db_default=Now())

    objects = ApplicationRows.as_manager()

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
            # Every page counts alerts. With all columns that the counts need, only this index is read.
            models.Index(
                fields=[
                    "application",
                    "state",
                    "improvement",
                    "version",
                    "machine",
                    "metric",
                    "silenced_until",
                ],
                name="alert_counted",
            ),
            models.Index(fields=["kernel", "metric"], name="alert_of_kernel"),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} of {self.kernel} in {self.version}"

    @property
    def is_silenced(self) -> bool:
        """Whether a silence of this alert has not ended yet."""
        return self.silenced_until is not None and self.silenced_until > timezone.now()


OPEN_ALERTS = [Alert.State.NEW, Alert.State.ACKNOWLEDGED, Alert.State.FIXING, Alert.State.FIXED]


class AlertEvent(models.Model):
    """An event in the history of an alert, such as a decision.

    `before` and `after` store the changed fields of the alert. Changes in one step by one person share a
    `batch`, and are undone together. Only the field `undone` ever changes.
    """

    class Action(models.TextChoices):
        """The kind of event."""

        RAISED = "raised", "opened"
        GONE = "gone", "no longer seen"
        FIXED = "fixed", "seen to be fixed"
        RETURNED = "returned", "seen again"
        CLOSED = "closed", "nobody expects it any more"
        TRIAGED = "triaged", "triaged"
        UNDONE = "undone", "undone"

    alert = models.ForeignKey(Alert, models.CASCADE, related_name="events")
    batch = models.UUIDField(default=uuid.uuid4)
    action = models.CharField(max_length=8, choices=Action.choices)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    detail = models.CharField(max_length=300, blank=True)
    # The user who made the decision; null: the portal.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    token = models.ForeignKey(ApiToken, models.SET_NULL, null=True, related_name="+")
    undone = models.BooleanField(default=False)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering: ClassVar = ["-at", "-id"]
        indexes: ClassVar = [
            models.Index(fields=["batch"], name="alert_event_batch"),
            models.Index(fields=["user", "-id"], name="alert_event_of_user"),
        ]

    def __str__(self) -> str:
        return f"{self.alert}: {self.get_action_display()}"


class Silence(models.Model):
    """A rule that hides matching alerts until some time. An alert must match every given field."""

    application = models.ForeignKey(Application, models.CASCADE, related_name="silences")
    kernel = models.ForeignKey(Kernel, models.CASCADE, null=True, blank=True, related_name="silences")
    # A pattern of call paths or functions: * is any text, ? is one character, and all others are themselves.
    pattern = models.CharField(max_length=200, blank=True)
    metric = models.ForeignKey(Metric, models.CASCADE, null=True, blank=True, related_name="silences")
    reason = models.CharField(max_length=300)
    until = models.DateTimeField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="silences")
    created_at = models.DateTimeField(db_default=Now())

    objects = ApplicationRows.as_manager()

    class Meta:
        ordering: ClassVar = ["until", "id"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(kernel__isnull=False) | ~Q(pattern="") | Q(metric__isnull=False),
                name="silence_of_something",
            ),
        ]

    def __str__(self) -> str:
        return " · ".join(str(part) for part in (self.kernel, self.pattern, self.metric) if part)

    def matches(self, alert: Alert) -> bool:
        """Return whether the rule silences the alert. The alert's kernel must be loaded."""
        return (
            self.kernel_id in (None, alert.kernel_id)
            and self.metric_id in (None, alert.metric_id)
            and (not self.pattern or self._selects(alert.kernel))
        )

    def _selects(self, kernel: Kernel) -> bool:
        return text_matches(self.pattern, kernel.path) or text_matches(self.pattern, kernel.name)
