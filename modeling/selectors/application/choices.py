"""An application with the choices that its pages offer: parameters, metrics, targets."""

from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db.models import F, JSONField, QuerySet
from django.db.models import Model as Row
from django.db.models.expressions import RawSQL

from ingest.models import Application, Metric, Parameter, Target
from modeling.models import KernelAlias
from modeling.rules.policies import DEFAULT_POLICY
from modeling.selectors.alerts.counts import open_count
from modeling.selectors.versions.aliases import in_the_end


@dataclass(frozen=True)
class Choices:
    """An application's choices, with its open alerts. `aliases` maps renamed kernels to their latest ids."""

    application: Application
    parameters: tuple[Parameter, ...]
    metrics: tuple[Metric, ...]
    targets: tuple[Target, ...]
    aliases: dict[int, int]
    open_changes: int
    gate_policy: str


def choices_of(application_id: int) -> Choices:
    """Return an application with its choices, with one query."""
    (found,) = choices_all(Application.objects.filter(pk=application_id))
    return found


def choices(applications: QuerySet[Application]) -> Choices | None:
    """Return the first of the applications with its choices, with one query."""
    return next(iter(choices_all(applications[:1])), None)


def choices_all(applications: QuerySet[Application]) -> list[Choices]:
    """Return all of the applications with their choices, with one query."""
    rows = (
        applications.select_related("project")
        .annotate(
            parameter_rows=_rows(Parameter),
            metric_rows=_rows(Metric),
            target_rows=_rows(Target),
            alias_rows=_rows(KernelAlias),
        )
        .annotate(open_changes=open_count(), gate_policy=F("release_rules__gate_policy"))
    )
    return [_choices(row) for row in rows]


def _choices(found: Any) -> Choices:
    return Choices(
        application=found,
        parameters=tuple(Parameter(**row) for row in found.parameter_rows),
        metrics=tuple(Metric(**row) for row in found.metric_rows),
        targets=tuple(Target(**row) for row in found.target_rows),
        aliases=in_the_end(KernelAlias(**row) for row in found.alias_rows),
        open_changes=found.open_changes,
        gate_policy=found.gate_policy or DEFAULT_POLICY,
    )


def _rows(kind: type[Row]) -> RawSQL:
    """Return an SQL expression for the application's rows of one kind as JSON, faster than a subquery."""
    order = ", ".join(map(str, kind._meta.ordering or ["id"]))  # the names of our own columns
    return RawSQL(  # noqa: S611 -- the names of our own tables and columns
        f"ARRAY(SELECT to_jsonb(one) FROM {kind._meta.db_table} one "  # noqa: S608
        f"WHERE one.application_id = {Application._meta.db_table}.id ORDER BY {order})",
        (),
        ArrayField(JSONField()),
    )
