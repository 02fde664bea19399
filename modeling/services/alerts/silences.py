"""Make and end silences, which hide alerts for a while."""

from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from ingest.models import Application, Kernel, Metric
from modeling.models import Alert, Silence
from modeling.services.alerts.raising import alerts_lock, silences_apply
from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import Role, User
from perfweb.accounts.permissions import role_require

LONGEST = timedelta(days=366)
"""Limit on the length of a silence."""


@transaction.atomic
def silence_create(
    *,
    application: Application,
    actor: User,
    reason: str,
    until: datetime,
    kernel: Kernel | None = None,
    pattern: str = "",
    metric: Metric | None = None,
) -> Silence:
    """Silence the alerts that match, both existing and future ones.

    Raises:
        ValidationError: the invalid values, by field.
    """
    role_require(actor, application.project, Role.CONTRIBUTOR)
    _check(reason, until, kernel, pattern, metric)
    alerts_lock(application.pk)
    silence = Silence.objects.create(
        application=application, kernel=kernel, pattern=pattern, metric=metric, reason=reason.strip(),
        until=until, user=actor,
    )  # fmt: skip
    silences_apply(application, _alerts(application))
    audit_record(
        project=application.project, user=actor, action="silence.create", subject=silence,
        reason=silence.reason, until=until.isoformat(),
    )  # fmt: skip
    return silence


@transaction.atomic
def silence_end(*, silence: Silence, actor: User) -> None:
    """End a silence early."""
    application = silence.application
    role_require(actor, application.project, Role.CONTRIBUTOR)
    alerts_lock(application.pk)
    subject = str(silence)
    ended, _ = Silence.objects.filter(pk=silence.pk).delete()
    if ended:
        silences_apply(application, _alerts(application))
        audit_record(project=application.project, user=actor, action="silence.end", subject=subject)


def _alerts(application: Application) -> list[Alert]:
    rows = Alert.objects.filter(application=application).select_related("kernel")
    return list(rows.only("pk", "metric_id", "kernel__path", "silenced_until", "application_id"))


def _check(reason: str, until: datetime, kernel: Kernel | None, pattern: str, metric: Metric | None) -> None:
    errors = {}
    if not (kernel or pattern or metric):
        errors["pattern"] = "Say what is silenced: a pattern of call paths, a metric, or both."
    if not reason.strip():
        errors["reason"] = "Say why, for whoever wonders later."
    if not timezone.now() < until <= timezone.now() + LONGEST:
        errors["until"] = "Choose a time in the future, within a year."
    if errors:
        raise ValidationError(errors)
