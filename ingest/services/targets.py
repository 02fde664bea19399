"""Maintains the automatic target that an application has until people set targets."""

from collections.abc import Callable, Mapping
from functools import partial

from django.db.models import F

from ingest.guessing import automatic_target
from ingest.guessing.bound import bound_at_scale
from ingest.models import Application, Campaign, Target
from ingest.signals import target_moved


def target_follow(application: Application) -> None:
    """Update the automatic target from the measurements, unless people have set targets.

    A target that was brought nearer stays until new measurements change it. The caller has locked the
    application.
    """
    known = list(application.targets.all())
    if not all(target.automatic for target in known):
        return
    targets = _targets(application)
    if targets is None:
        return
    target = known[0] if known else Target(application=application, automatic=True)
    if (target.name, target.values) != targets(target.nearer):
        _move(target, *targets(0), nearer=0)


def targets_nearer(application: Application) -> list[dict[str, float]]:
    """Return the values of nearer automatic targets, the farthest first; none if people have set targets."""
    target = application.targets.filter(automatic=True).first()
    if target is None:
        return []
    targets, found = _targets(application), [target.values]
    if targets is None:
        return []
    for nearer in range(target.nearer + 1, automatic_target.DOUBLINGS_OF_PROCESSES):
        values = targets(nearer)[1]
        if values != found[-1]:
            found.append(values)
    return found[1:]


def target_bring_nearer(application: Application, doublings: int) -> None:
    """Bring the automatic target some doublings nearer. The caller has locked the application."""
    target, targets = application.targets.get(automatic=True), _targets(application)
    if targets is not None:
        nearer = target.nearer + doublings
        _move(target, *targets(nearer), nearer=nearer)


def _move(target: Target, name: str, values: Mapping[str, float], *, nearer: int) -> None:
    target.name, target.values, target.nearer = name, dict(values), nearer
    target.save()
    target_moved.send(sender=Target, application=target.application)


def _targets(application: Application) -> Callable[[int], tuple[str, dict[str, float]]] | None:
    """Return a function from doublings to the automatic target so much nearer; None without measurements.

    The newest campaign with parameters that were varied together decides which of them keep their relation.
    """
    rows = (
        Campaign.objects.filter(version__application=application)
        .order_by("version_id", "machine_id", F("points__len").desc(), "-id")
        .distinct("version_id", "machine_id")
    )
    campaigns = list(rows.values_list("parameters", "points"))
    if not campaigns:
        return None
    roles = dict(application.parameters.values_list("name", "role"))
    found = (bound_at_scale(*each, roles) for each in reversed(campaigns))
    return partial(
        automatic_target.target,
        [automatic_target.spans(*each) for each in campaigns],
        roles,
        together=next(filter(None, found), None),
    )
