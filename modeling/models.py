"""What the engine found, per campaign, kernel and metric; what changed; how forecasts fared.

Everything here can be rebuilt from the campaigns.
"""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from ingest.models import Application, Campaign, Kernel, Machine, Metric


class State(models.TextChoices):
    """Of work that a worker does."""

    QUEUED = "queued", "queued"
    RUNNING = "running", "running"
    DONE = "done", "done"
    FAILED = "failed", "failed"


UNFINISHED = [State.QUEUED, State.RUNNING]


class ModelRun(models.Model):
    """One modeler's pass over a whole campaign."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="runs")
    modeler = models.CharField(max_length=20)
    options = models.JSONField(default=dict)
    engine_version = models.CharField(max_length=20, blank=True)
    revision = models.PositiveIntegerField(default=0, help_text="of the campaign that was modelled; 0: none")
    target = models.JSONField(default=dict, help_text="parameter → value, that stored predictions are for")
    shared = models.JSONField(
        default=dict,
        help_text="metric id → what residuals tell of the correlation between the kernels' deviations; "
        "see modeling.engine.correlation",
    )
    state = models.CharField(max_length=8, choices=State.choices, default=State.QUEUED)
    series_done = models.PositiveIntegerField(default=0)
    series_total = models.PositiveIntegerField(default=0)
    judged = models.PositiveIntegerField(
        default=0, help_text="models of a finished run that were judged without each of their points"
    )
    error = models.TextField(blank=True)
    failures = models.JSONField(
        default=list,
        help_text="of some kernels: metric, kernels (how many), what, reason, reference, message",
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    cause = models.TextField(blank=True, help_text="what broke off the last attempt; empty: it was not")
    seconds = models.FloatField(null=True, help_text="spent fitting and storing")
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
    """Some kernels of a run that a worker models in one go; there while the run is under way.

    One portion of each metric leads: the others are held until it has told what the kernels have in common.
    """

    class State(models.TextChoices):
        """Of the work on it."""

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


class Model(models.Model):
    """A kernel's law for one metric: constant + Σ coefficient · Π x^i · log2^j(x), with its errors.

    `exponents` is (terms, parameters, 2) and `covariance` (terms + 1, terms + 1), both flattened;
    errors, noise and levels are fractions, not percent. NULL: could not be told.
    """

    run = models.ForeignKey(ModelRun, models.CASCADE, related_name="models")
    kernel = models.ForeignKey(Kernel, models.CASCADE, related_name="models")
    metric = models.ForeignKey(Metric, models.CASCADE, related_name="models")
    status = models.CharField(max_length=20, help_text="ok, segmented, failed, or why there is no law")
    reason = models.TextField(blank=True, help_text="why it failed")
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

    posterior = models.BinaryField(null=True, help_text="draws of the law; packed by modeling.posteriors")

    segments = models.JSONField(
        null=True, help_text="laws of smaller values, where this one is of the largest; see modeling.segments"
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


class Trend(models.Model):
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


class Comparison(models.Model):
    """Two campaigns of one application on one machine held against each other."""

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
    """What all kernels of a comparison share in one metric: a slower machine, other flags, not one kernel."""

    comparison = models.ForeignKey(Comparison, models.CASCADE, related_name="shifts")
    metric = models.ForeignKey(Metric, models.CASCADE, related_name="+")
    ratio = models.FloatField(help_text="after / before of kernels that did not change")
    lower = models.FloatField(help_text="of the 95 % interval of the ratio")
    upper = models.FloatField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["comparison", "metric"], name="shift_once"),
        ]

    def __str__(self) -> str:
        return f"{self.comparison}: {self.ratio:.3g}×"


class Change(models.Model):
    """How one kernel differs between the two campaigns of a comparison; unchanged ones have no row."""

    class Kind(models.TextChoices):
        """What differs."""

        FACTOR = "factor", "same law, other constant"
        LAW = "law", "other law"
        UNKNOWN = "unknown", "not identifiable"

    comparison = models.ForeignKey(Comparison, models.CASCADE, related_name="changes")
    kernel = models.ForeignKey(Kernel, models.CASCADE, related_name="changes")
    metric = models.ForeignKey(Metric, models.CASCADE, related_name="changes")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    probability = models.FloatField(help_text="that the kernel changed at all")
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


class Forecast(models.Model):
    """A model's predictions at points beyond its data, scored when a later campaign measured them."""

    model = models.ForeignKey(Model, models.CASCADE, related_name="forecasts")
    campaign = models.ForeignKey(
        Campaign, models.CASCADE, related_name="forecasts", help_text="measured them"
    )
    points = ArrayField(ArrayField(models.FloatField()))
    predicted = ArrayField(models.FloatField())
    lower = ArrayField(models.FloatField())
    upper = ArrayField(models.FloatField())
    measured = ArrayField(models.FloatField())
    relative_error = models.FloatField(help_text="median over the points")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["model", "campaign"], name="forecast_once"),
        ]

    def __str__(self) -> str:
        return f"forecast of {self.model}"
