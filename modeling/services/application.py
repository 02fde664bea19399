"""Change the settings of an application: its targets, parameters, metrics and repository."""

from collections.abc import Mapping

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max

from ingest.models import Application, Metric, Parameter, Target
from ingest.services.targets import target_follow
from ingest.work import enqueue
from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import User


@transaction.atomic
def target_add(*, application: Application, name: str, values: Mapping[str, float], user: User) -> Target:
    """Add a target. The first target becomes the default.

    A target that the portal chose stays, and no longer changes automatically.

    Raises:
        ValidationError: the application has a target of that name.
    """
    targets = _locked(application).targets
    if targets.filter(name=name).exists():
        raise ValidationError({"name": f"There is a target “{name}” already."})
    targets.update(automatic=False)
    last = targets.aggregate(last=Max("position"))["last"]
    position = 0 if last is None else last + 1
    target = Target.objects.create(application=application, name=name, values=dict(values), position=position)
    _record(application, "target.add", name, user)
    if last is None:
        enqueue("modeling.tasks.application_retarget", application)
    return target


@transaction.atomic
def target_remove(*, target: Target, user: User) -> None:
    """Remove a target. The next target, or else an automatic one, becomes the default."""
    application = _locked(target.application)
    was_default = application.targets.first() == target
    target.delete()
    target_follow(application)
    _record(application, "target.remove", target.name, user)
    if was_default:
        enqueue("modeling.tasks.application_retarget", application)


@transaction.atomic
def target_make_default(*, target: Target, user: User) -> None:
    """Make a target the default, for which predictions are stored. It stays until somebody changes it."""
    application = _locked(target.application)
    others = [other for other in application.targets.all() if other != target]
    for position, row in enumerate([target, *others]):
        row.position, row.automatic = position, False
    Target.objects.bulk_update([target, *others], ["position", "automatic"])
    _record(application, "target.default", target.name, user)
    enqueue("modeling.tasks.application_retarget", application)


@transaction.atomic
def parameter_describe(*, parameter: Parameter, role: str, unit: str, user: User) -> None:
    """Set a parameter's role and unit, and update an automatic target."""
    if (parameter.role, parameter.unit) == (role, unit):
        return
    parameter.role, parameter.unit = role, unit
    parameter.save(update_fields=["role", "unit"])
    target_follow(_locked(parameter.application))
    _record(parameter.application, "parameter.describe", parameter.name, user)


@transaction.atomic
def metric_describe(*, metric: Metric, unit: str, lower_is_better: bool, user: User) -> None:
    """Set a metric's unit, and whether smaller or larger values are better."""
    if (metric.unit, metric.lower_is_better) == (unit, lower_is_better):
        return
    metric.unit, metric.lower_is_better = unit, lower_is_better
    metric.save(update_fields=["unit", "lower_is_better"])
    _record(metric.application, "metric.describe", metric.name, user)


@transaction.atomic
def repository_change(*, application: Application, repository: str, user: User) -> None:
    """Set the address of the application's repository."""
    if application.repository == repository:
        return
    application.repository = repository
    application.save(update_fields=["repository"])
    _record(application, "application.repository", repository or "none", user)


def _locked(application: Application) -> Application:
    return Application.objects.select_for_update().get(pk=application.pk)


def _record(application: Application, action: str, name: str, user: User) -> None:
    audit_record(project=application.project, action=action, subject=f"{application.slug}: {name}", user=user)
