"""The tables of the database of experiments.

A measured value is never a row of its own. A `Series` for each campaign, kernel and metric has all values in
an array. The points of the array are stored once, in the campaign.
"""

import math
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import MD5, Length, Now

from perfweb.accounts.models import ApiToken, Project, User
from perfweb.accounts.querysets import ApplicationRows, ProjectRows, VersionRows

PATH_SEPARATOR = "->"

models.TextField.register_lookup(Length)


class Application(models.Model):
    """A program whose performance a project follows."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="applications")
    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=120)
    # The https address of the code's repository; empty if it is not known.
    repository = models.URLField(max_length=200, blank=True)
    created_at = models.DateTimeField(db_default=Now())

    objects = ProjectRows.as_manager()

    class Meta:
        ordering: ClassVar = ["name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "slug"], name="application_slug_once_per_project"),
        ]

    def __str__(self) -> str:
        return self.name


class Parameter(models.Model):
    """A parameter that is varied on purpose between runs, such as a process count or a problem size."""

    class Role(models.TextChoices):
        """The kind of quantity. Speed-up and efficiency are computed along the processes."""

        PROCESSES = "processes", "processes"
        PROBLEM_SIZE = "problem_size", "problem size"
        OTHER = "other", "other"

    application = models.ForeignKey(Application, models.CASCADE, related_name="parameters")
    name = models.CharField(max_length=80)
    role = models.CharField(max_length=16, choices=Role.choices, default=Role.OTHER)
    unit = models.CharField(max_length=40, blank=True)
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering: ClassVar = ["position", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["application", "name"], name="parameter_once_per_application"),
            models.CheckConstraint(
                condition=Q(role__in=["processes", "problem_size", "other"]), name="parameter_role_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Metric(models.Model):
    """A measured quantity, such as time, bytes or visits."""

    application = models.ForeignKey(Application, models.CASCADE, related_name="metrics")
    name = models.CharField(max_length=80)
    unit = models.CharField(max_length=40, blank=True)
    lower_is_better = models.BooleanField(default=True)
    # Whether a kernel's value includes its callees; null: decided by the values.
    inclusive = models.BooleanField(
        null=True,
        blank=True,
    )

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["application", "name"], name="metric_once_per_application"),
        ]

    def __str__(self) -> str:
        return self.name


class Kernel(models.Model):
    """A call path. All versions that contain it share one row."""

    application = models.ForeignKey(Application, models.CASCADE, related_name="kernels")
    path = models.TextField()
    parent = models.ForeignKey("self", models.CASCADE, null=True, related_name="children")

    objects = ApplicationRows.as_manager()

    class Meta:
        constraints: ClassVar = [
            # paths are too long for a B-tree index, but their digests are not
            models.UniqueConstraint(F("application"), MD5("path"), name="kernel_path_once_per_application"),
            models.CheckConstraint(
                condition=Q(path__length__gt=0, path__length__lte=4096), name="kernel_path_bounded"
            ),
        ]

    def __str__(self) -> str:
        return self.path

    @property
    def name(self) -> str:
        """Return the last function of the path."""
        return self.path.rsplit(PATH_SEPARATOR, 1)[-1]

    @property
    def callers(self) -> list[str]:
        """Return the functions above this one, outermost first."""
        return self.path.split(PATH_SEPARATOR)[:-1]


class Target(models.Model):
    """A named point of interest that often cannot be measured, such as p = 65,536.

    An automatic target is updated with each measurement. It is the application's only target, and is replaced
    when somebody sets targets.
    """

    application = models.ForeignKey(Application, models.CASCADE, related_name="targets")
    name = models.CharField(max_length=80)
    # Parameter name → value.
    values = models.JSONField()
    # Whether the portal chose this target. It then changes with the measurements.
    automatic = models.BooleanField(default=False)
    # Doublings by which an automatic target was moved towards the data, because no useful prediction was
    # possible farther out.
    nearer = models.PositiveSmallIntegerField(
        default=0,
        db_default=0,
    )
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering: ClassVar = ["position", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["application", "name"], name="target_once_per_application"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def times_nearer(self) -> int:
        """Return the factor by which an automatic target is nearer than the measured range allows, or 1."""
        return int(2**self.nearer) if self.automatic else 1


class Dependencies(models.Model):
    """The parameters on which each function of an application depends, found by a taint analysis of the code.

    They have a separate table, because they may be long and only few pages read them.
    """

    application = models.OneToOneField(Application, models.CASCADE, related_name="dependencies")
    file_name = models.CharField(max_length=255)
    # Names of all parameters that the analysis tracked.
    parameters = models.JSONField()
    # One object for each function: its mangled `name`, `demangled`, and `depends_on`, lists of parameters
    # that occur together.
    functions = models.JSONField()
    stored_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "dependencies"

    def __str__(self) -> str:
        return self.file_name


class Machine(models.Model):
    """A machine on which runs took place. Histories and comparisons stay within one machine."""

    UNNAMED: ClassVar = "unspecified"
    """Name of the machine for uploads that name none."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="machines")
    name = models.CharField(max_length=80)

    objects = ProjectRows.as_manager()

    class Meta:
        ordering: ClassVar = ["name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "name"], name="machine_once_per_project"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_named(self) -> bool:
        """Return whether an upload named this machine."""
        return self.name != self.UNNAMED


class Version(models.Model):
    """A version of an application, with its position in the history."""

    application = models.ForeignKey(Application, models.CASCADE, related_name="versions")
    label = models.CharField(max_length=80)
    commit = models.CharField(max_length=64, blank=True)
    branch = models.CharField(max_length=120, blank=True)
    committed_at = models.DateTimeField(null=True, blank=True)
    position = models.PositiveIntegerField()
    created_at = models.DateTimeField(db_default=Now())

    objects = ApplicationRows.as_manager()

    class Meta:
        ordering: ClassVar = ["position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["application", "label"], name="version_once_per_application"),
            models.UniqueConstraint(
                fields=["application", "position"],
                name="version_one_per_position",
                # checked at the commit, so that one statement can change the positions of many versions
                deferrable=models.Deferrable.DEFERRED,
            ),
        ]

    def __str__(self) -> str:
        return self.label


class Upload(models.Model):
    """A received file, with the state of its processing.

    An upload contains the names of its application and version. Their rows are made only when the whole file
    has been stored, so that an invalid file creates nothing except its own error.
    """

    class State(models.TextChoices):
        """The steps of an upload, from its arrival to its models."""

        RECEIVED = "received", "received"
        PARSING = "parsing", "parsing"
        COLLECTING = "collecting", "collecting"  # stored; the campaign waits for further runs
        STORED = "stored", "stored"
        MODELING = "modeling", "modeling"
        DONE = "done", "done"
        FAILED = "failed", "failed"
        REPLACED = "replaced", "replaced"  # a corrected upload took its place
        READ = "read", "read"  # a preview: stored only after the user confirms

    project = models.ForeignKey(Project, models.CASCADE, related_name="uploads")
    application_slug = models.SlugField(max_length=60)
    version_label = models.CharField(max_length=80)
    commit = models.CharField(max_length=64, blank=True)
    branch = models.CharField(max_length=120, blank=True)
    committed_at = models.DateTimeField(null=True, blank=True)
    machine_name = models.CharField(max_length=80, blank=True)
    # Uploads with the same key are runs of one campaign.
    campaign_key = models.CharField(max_length=80, blank=True)
    # Name of the run within its campaign. Files with the same bytes are different runs if their names differ.
    run = models.CharField(max_length=80, blank=True)
    campaign = models.ForeignKey("Campaign", models.CASCADE, null=True, blank=True, related_name="uploads")
    # The earlier upload that this one corrects.
    replaces = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="corrections")
    # Name of the file's format; empty: it is recognised from the content.
    format = models.CharField(max_length=40, blank=True)
    # The sender's options, for formats that can be read in several ways.
    options = models.JSONField(default=dict)
    # Coordinates that the file does not contain, as pairs or as a pattern for file names.
    point = models.CharField(max_length=500, blank=True)
    # The numbers that are known about each run, by name, if the parameters are chosen among them.
    runs = models.JSONField(default=list)
    # Modelers of the campaign, the shown one first; empty: those of the application's settings.
    modelers = ArrayField(models.CharField(max_length=20), default=list, blank=True)
    metadata = models.JSONField(default=dict)
    # Whether the file is only read and described, and not stored.
    dry_run = models.BooleanField(default=False)
    # The description of the file's content after a dry run.
    diagnosis = models.JSONField(null=True, blank=True)
    # Roles, units and directions of new parameters and metrics, by kind and name.
    described = models.JSONField(default=dict)

    file = models.FileField(upload_to="uploads/%Y/%m/", max_length=255)
    filename = models.CharField(max_length=255)
    # Size of the file in bytes.
    size = models.BigIntegerField()
    sha256 = models.CharField(max_length=64)
    idempotency_key = models.CharField(max_length=255, blank=True)

    user = models.ForeignKey(User, models.SET_NULL, null=True, related_name="uploads")
    token = models.ForeignKey(ApiToken, models.SET_NULL, null=True, related_name="uploads")
    state = models.CharField(max_length=12, choices=State.choices, default=State.RECEIVED)
    # The finished share of the current state, 0 to 1.
    progress = models.FloatField(default=0.0)
    # Why the upload failed: message, line, found, expected.
    error = models.JSONField(null=True, blank=True)
    # Notes for the sender, for example about missing points.
    notes = models.JSONField(default=list)
    attempts = models.PositiveSmallIntegerField(default=0)
    # Why the last attempt was interrupted; empty if it was not.
    cause = models.TextField(blank=True)
    created_at = models.DateTimeField(db_default=Now())
    queued_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = ProjectRows.as_manager()

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["project", "idempotency_key"],
                condition=~Q(idempotency_key=""),
                name="upload_once_per_idempotency_key",
            ),
            models.UniqueConstraint(
                fields=[
                    "project",
                    "application_slug",
                    "version_label",
                    "machine_name",
                    "campaign_key",
                    "sha256",
                    "options",
                    "point",
                    "run",
                ],
                condition=~Q(state__in=["failed", "replaced"]) & Q(dry_run=False),
                name="upload_once_per_content",
            ),
            models.CheckConstraint(
                condition=Q(
                    state__in=[
                        "received",
                        "parsing",
                        "collecting",
                        "stored",
                        "modeling",
                        "done",
                        "failed",
                        "replaced",
                        "read",
                    ]
                ),
                name="upload_state_known",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["queued_at"],
                condition=Q(state__in=["received", "parsing"]),
                name="upload_unfinished",
            ),
            models.Index(fields=["project", "-id"], name="upload_latest_of_project"),
            models.Index(fields=["created_at"], condition=Q(dry_run=True), name="upload_previews"),
        ]

    def __str__(self) -> str:
        return f"{self.filename} for {self.application_slug} {self.version_label}"

    @property
    def finished(self) -> bool:
        """Return whether the processing of the upload has ended."""
        return self.state in (self.State.DONE, self.State.FAILED, self.State.REPLACED, self.State.READ)


UNFINISHED = [Upload.State.RECEIVED, Upload.State.PARSING]
"""States of uploads that have not been stored."""

WAITING = [*UNFINISHED, Upload.State.COLLECTING, Upload.State.STORED, Upload.State.MODELING]
"""States of uploads that a worker still has to process."""

STANDING = [Upload.State.COLLECTING, Upload.State.STORED, Upload.State.MODELING, Upload.State.DONE]
"""States of uploads whose measurements are in their campaign."""


class Campaign(models.Model):
    """Stored measurements: the points, and a `Series` per kernel and metric.

    They come from one upload, or from all uploads with the same `key`. Each further upload adds to the
    campaign, and raises its `revision`.
    """

    version = models.ForeignKey(Version, models.CASCADE, related_name="campaigns")
    machine = models.ForeignKey(Machine, models.PROTECT, related_name="campaigns")
    # The key of the campaign's uploads; empty if there is only one upload.
    key = models.CharField(max_length=80, blank=True)
    # How often the content was stored.
    revision = models.PositiveIntegerField(default=1)
    # Time at which the campaign is modelled if no further run arrives; null: it is complete.
    settles_at = models.DateTimeField(
        null=True,
        blank=True,
    )
    # Names of the parameters, in the order of a point's coordinates.
    parameters = ArrayField(models.CharField(max_length=80))
    # Parameters that a user chose among the known numbers of the runs; empty: they are guessed.
    chosen_parameters = ArrayField(
        models.CharField(max_length=80),
        default=list,
    )
    # Time since which the campaign's files wait to be read again; null: they do not wait.
    queued_at = models.DateTimeField(null=True, blank=True)
    # Notes for the owner about all runs together, for example about points that several runs share.
    run_notes = models.JSONField(default=list)
    # Why the files could not be read again.
    reread_error = models.TextField(blank=True)
    # The points (P, m), row by row.
    points = ArrayField(ArrayField(models.FloatField()))
    metadata = models.JSONField(default=dict)
    kernel_count = models.PositiveIntegerField()
    value_count = models.PositiveBigIntegerField()
    # The largest number of repetitions of any point.
    repetitions = models.PositiveSmallIntegerField()
    created_at = models.DateTimeField(db_default=Now())

    objects = VersionRows.as_manager()

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["version", "machine", "key"], condition=~Q(key=""), name="campaign_once_per_key"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["version", "machine", "-id"], name="campaign_current"),
            models.Index(
                fields=["settles_at"], condition=Q(settles_at__isnull=False), name="campaign_collecting"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.version} on {self.machine}"

    @property
    def point_count(self) -> int:
        """Return the number of measured points."""
        return len(self.points)

    def measured_values(self) -> dict[str, list[float]]:
        """Return the measured values of each parameter, ascending, in the order of a point's coordinates."""
        columns = zip(self.parameters, zip(*self.points, strict=True), strict=True)
        return {name: sorted(set(values)) for name, values in columns}

    def varied_parameters(self) -> list[str]:
        """Return the parameters with more than one measured value."""
        return [name for name, values in self.measured_values().items() if len(values) > 1]


class RunOrigins(models.Model):
    """The jobs, nodes and days of a campaign's runs, if files or senders give them.

    One number for each run is stored for all series together, because the runs of a point are in the same
    order in every series that has a value for each of them.
    """

    campaign = models.OneToOneField(Campaign, models.CASCADE, primary_key=True, related_name="origins")
    # The different origins: job, node and day of each, empty texts where they are not known.
    known = models.JSONField()
    # W, the largest number of runs of any point.
    width = models.PositiveSmallIntegerField()
    # (P · W) numbers, point by point: the index of each run's origin, -1 if it is unknown, -2 if there is no
    # run.
    labels = ArrayField(models.IntegerField())

    class Meta:
        verbose_name_plural = "run origins"
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(width__gt=0), name="run_origins_has_runs"),
        ]

    def __str__(self) -> str:
        return f"{len(self.known)} origins of runs of {self.campaign}"


class Series(models.Model):
    """All values of one kernel and metric in one campaign, point by point. Missing values are NaN."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="series")
    kernel = models.ForeignKey(Kernel, models.CASCADE, related_name="series")
    metric = models.ForeignKey(Metric, models.CASCADE, related_name="series")
    repetitions = models.PositiveSmallIntegerField()
    # (P · repetitions) values, point by point.
    values = ArrayField(models.FloatField())
    # Repetitions within a process, point by point: the median of a process's rounds is one of `values`.
    rounds = ArrayField(models.FloatField(), null=True)

    class Meta:
        verbose_name_plural = "series"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["campaign", "metric", "kernel"], name="series_once_per_campaign_kernel_metric"
            ),
            models.CheckConstraint(condition=Q(repetitions__gt=0), name="series_has_repetitions"),
        ]

    def __str__(self) -> str:
        return f"{self.kernel} {self.metric}"

    def rows(self) -> list[list[float]]:
        """Return a list of values for each point, without missing ones."""
        step = self.repetitions
        return [
            [value for value in self.values[start : start + step] if not math.isnan(value)]
            for start in range(0, len(self.values), step)
        ]
