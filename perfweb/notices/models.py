"""Subscriptions, webhooks, and the deliveries to them."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from ingest.models import Application
from modeling.models import Alert
from perfweb.accounts.models import Project, User
from perfweb.accounts.querysets import ApplicationRows, ProjectRows


class Subscription(models.Model):
    """How a member is notified of a project's changes by e-mail; a member without a row gets no mails."""

    class Pace(models.TextChoices):
        """How soon mails are sent."""

        AT_ONCE = "at_once", "at once"
        DAILY = "daily", "once a day"

    project = models.ForeignKey(Project, models.CASCADE, related_name="subscriptions")
    user = models.ForeignKey(User, models.CASCADE, related_name="subscriptions")
    address = models.EmailField()
    pace = models.CharField(max_length=8, choices=Pace.choices, default=Pace.AT_ONCE)
    # Whether improvements are reported as well.
    improvements = models.BooleanField(default=False)

    objects = ProjectRows.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "user"], name="subscription_once_per_project"),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.project} {self.get_pace_display()}"


class Webhook(models.Model):
    """An address that gets signed POSTs; the secret is stored in clear text, because signing needs it."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="webhooks")
    url = models.URLField(max_length=500)
    secret = models.CharField(max_length=64)
    # Whether improvements are reported as well.
    improvements = models.BooleanField(default=False)
    user = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())

    objects = ProjectRows.as_manager()

    class Meta:
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        return self.url


class Notice(models.Model):
    """The alerts that one comparison has opened, or those that it has found to be fixed."""

    class Kind(models.TextChoices):
        """The kind of event."""

        OPENED = "opened", "opened"
        FIXED = "fixed", "fixed, to be verified"

    application = models.ForeignKey(Application, models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    alerts = models.ManyToManyField(Alert, related_name="+")
    created_at = models.DateTimeField(db_default=Now())

    objects = ApplicationRows.as_manager()

    def __str__(self) -> str:
        return f"{self.application}: {self.get_kind_display()}"


class Delivery(models.Model):
    """A notice for one member or webhook, stored together with its alerts; failed attempts are repeated."""

    class State(models.TextChoices):
        """The state of the delivery."""

        WAITING = "waiting", "waiting"
        SENT = "sent", "sent"
        FAILED = "failed", "failed"
        DROPPED = "dropped", "nothing left to tell"

    notice = models.ForeignKey(Notice, models.CASCADE, related_name="deliveries")
    subscription = models.ForeignKey(Subscription, models.CASCADE, null=True, related_name="deliveries")
    webhook = models.ForeignKey(Webhook, models.CASCADE, null=True, related_name="deliveries")
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    due_at = models.DateTimeField()
    queued_at = models.DateTimeField(db_default=Now())
    attempts = models.PositiveSmallIntegerField(default=0)
    error = models.CharField(max_length=300, blank=True)
    sent_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["notice", "subscription"], name="delivery_once_per_subscription"),
            models.UniqueConstraint(fields=["notice", "webhook"], name="delivery_once_per_webhook"),
            models.CheckConstraint(
                condition=Q(subscription__isnull=True) ^ Q(webhook__isnull=True), name="delivery_to_one"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["due_at"], condition=Q(state="waiting"), name="delivery_waiting"),
        ]

    def __str__(self) -> str:
        return f"{self.notice} to {self.subscription or self.webhook}"


class FeedKey(models.Model):
    """The number of a member's valid feed address; the next number invalidates all earlier ones."""

    user = models.OneToOneField(User, models.CASCADE, related_name="feed_key")
    number = models.PositiveIntegerField(default=1)

    def __str__(self) -> str:
        return f"{self.user}: {self.number}"
