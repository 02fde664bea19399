"""Users, projects (team spaces), memberships with four roles, API tokens, the audit log."""

from datetime import timedelta
from typing import ClassVar

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now


class User(AbstractUser):
    """A person who signs in. It is a separate class, so that fields can be added later."""


class Role(models.IntegerChoices):
    """The rights of a member; a higher role includes the rights of all lower ones."""

    VIEWER = 10, "viewer"
    CONTRIBUTOR = 20, "contributor"
    MAINTAINER = 30, "maintainer"
    OWNER = 40, "owner"


class Scope(models.TextChoices):
    """The rights of a token. With `upload` alone, it also reads the state of its user's uploads."""

    UPLOAD = "upload", "upload campaigns"
    READ = "read", "read models, history and comparisons"
    TRIAGE = "triage", "triage changes"


class Project(models.Model):
    """A team's space: everything else belongs to exactly one project."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering: ClassVar = ["name"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A user's role in a project."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    role = models.PositiveSmallIntegerField(choices=Role.choices, default=Role.VIEWER)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "user"], name="membership_once_per_project"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="membership_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} is {self.get_role_display()} of {self.project}"


LONGEST_INVITATION = timedelta(days=30)
"""Limit on the time for which an invitation is open. Links in mails stay readable, so they must expire."""


class Invitation(models.Model):
    """A link that makes its first user a member of a project, until it expires or is revoked.

    Only the SHA-256 of its token is stored; the link itself is shown once.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="invitations")
    # The person for whom the link was made.
    name = models.CharField(max_length=80)
    role = models.PositiveSmallIntegerField(choices=Role.choices)
    digest = models.CharField(max_length=64, unique=True)
    made_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    used_at = models.DateTimeField(null=True)
    used_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(role__in=Role.values), name="invitation_role_known"),
            models.CheckConstraint(
                # one day more, because the clock of the database may differ from that of the portal
                condition=Q(expires_at__lte=F("made_at") + LONGEST_INVITATION + timedelta(days=1)),
                name="invitation_expires",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class ApiToken(models.Model):
    """A script's key to one project. Only its SHA-256 is stored; the token itself is shown once."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="tokens")
    user = models.ForeignKey(User, models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=16)
    digest = models.CharField(max_length=64, unique=True)
    scopes = ArrayField(models.CharField(max_length=16, choices=Scope.choices))
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(scopes__contained_by=Scope.values) & Q(scopes__len__gt=0),
                name="token_scopes_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.prefix}… ({self.name})"


class AuditEntry(models.Model):
    """An entry of the audit log: who did what, and when. Rows are never updated."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="audit_entries")
    user = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    token = models.ForeignKey(ApiToken, models.SET_NULL, null=True, related_name="+")
    action = models.CharField(max_length=60)
    subject = models.CharField(max_length=200)
    details = models.JSONField(default=dict)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering: ClassVar = ["-at"]
        indexes: ClassVar = [models.Index(fields=["project", "-at"])]

    def __str__(self) -> str:
        return f"{self.action} {self.subject}"
