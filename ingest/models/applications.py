"""An application and the names that its campaigns share: parameters, kernels, versions and others."""

from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import MD5, Length, Now

from perfweb.accounts.models import Project
from perfweb.accounts.querysets import ApplicationRows, ProjectRows

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
        """The kind of quantity. Speed-up and efficiency are computed over the processes."""

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

    An automatic target changes with each measurement, until somebody sets targets.
    """

    application = models.ForeignKey(Application, models.CASCADE, related_name="targets")
    name = models.CharField(max_length=80)
    # Parameter name → value.
    values = models.JSONField()
    # Whether the portal chose this target, which then changes with the measurements.
    automatic = models.BooleanField(default=False)
    # Doublings by which an automatic target was moved nearer, because predictions farther out were useless.
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
    """The parameters on which each function of an application depends, found by a taint analysis."""

    application = models.OneToOneField(Application, models.CASCADE, related_name="dependencies")
    file_name = models.CharField(max_length=255)
    # Names of all parameters that the analysis tracked.
    parameters = models.JSONField()
    # One object for each function: mangled `name`, `demangled`, and `depends_on`, lists of parameters that
    # occur together.
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

    @property
    def mention(self) -> str:
        """Return the end of a sentence, " on cluster-a"; empty if no upload named the machine."""
        return f" on {self.name}" if self.is_named else ""


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
                # Checked at the commit, so that one statement can change many positions.
                deferrable=models.Deferrable.DEFERRED,
            ),
        ]

    def __str__(self) -> str:
        return self.label
