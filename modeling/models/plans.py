"""Plans that users kept: points to measure, and the runs that existed when the plan was made."""

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from ingest.models import Application
from perfweb.accounts.querysets import ApplicationRows


class Plan(models.Model):
    """Points to measure for one version on one machine, with the reasons for them."""

    application = models.ForeignKey(Application, models.CASCADE, related_name="plans")
    version_label = models.CharField(max_length=80)
    machine_name = models.CharField(max_length=80, blank=True)
    metric_name = models.CharField(max_length=80, blank=True)
    goal = models.CharField(max_length=12)
    # Parameter → value of the target.
    target = models.JSONField(default=dict)
    # The query string of the planner's page with which the plan was made.
    question = models.CharField(max_length=4000, blank=True)
    # Names of the parameters, in the order of the coordinates of a point.
    parameters = ArrayField(models.CharField(max_length=80))
    # The points, one row each.
    points = ArrayField(ArrayField(models.FloatField()))
    # Number of runs at each point.
    repetitions = ArrayField(models.PositiveIntegerField())
    # Core hours of all runs at each point.
    costs = ArrayField(models.FloatField(null=True))
    # Lower end of each guessed cost; empty if costs are predicted.
    costs_lower = ArrayField(models.FloatField(), default=list)
    # Upper end of each guessed cost.
    costs_upper = ArrayField(models.FloatField(), default=list)
    # Both ends of the guessed cost of the whole plan.
    costs_total = ArrayField(models.FloatField(), default=list)
    # The purpose of the runs at each point.
    buys = models.JSONField(default=list)
    reasons = models.JSONField(default=list)
    # Number of runs at each point before the plan was made.
    measured = ArrayField(models.PositiveIntegerField())
    separate_jobs = models.BooleanField(default=True)
    # Factor from the prediction at the target to either end of its interval, when the plan was made.
    width_before = models.FloatField(null=True)
    # The same factor, as expected after the plan's runs.
    width_after = models.FloatField(null=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="plans"
    )
    created_at = models.DateTimeField(db_default=Now())

    objects = ApplicationRows.as_manager()

    class Meta:
        ordering: ClassVar = ["-id"]
        indexes: ClassVar = [models.Index(fields=["application", "-id"], name="plan_latest")]

    def __str__(self) -> str:
        return f"plan {self.pk} for {self.version_label}"

    @property
    def campaign_key(self) -> str:
        """Return the campaign key that all uploads of the plan's runs share."""
        return f"plan-{self.pk}" if self.pk else "plan"

    @property
    def cost(self) -> float | None:
        """Return the core hours of all runs; None if they are not known."""
        known = [cost for cost in self.costs if cost is not None]
        return sum(known) if len(known) == len(self.costs) else None

    @property
    def runs(self) -> int:
        """Return the number of runs."""
        return sum(self.repetitions)
