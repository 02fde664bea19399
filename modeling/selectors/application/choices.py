"""An application with all choices that its pages offer: parameters, metrics, targets."""

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
    """The parameters, metrics and targets of one application, each kind in its order, and the number of open
    changes.

    `aliases` maps the ids of renamed kernels to their final ones. `gate_policy` is the policy as text, by
    default the standard one.
    """

    application: Application
    parameters: tuple[Parameter, ...]
    metrics: tuple[Metric, ...]
    targets: tuple[Target, ...]
    aliases: dict[int, int]
    open_changes: int
    gate_policy: str


def choices(applications: QuerySet[Application]) -> Choices | None:
    """Return the first of the applications with its choices. There is only one query, because every page
    needs it.
    """
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
    """Return the choices of an annotated row."""
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
    """Return an SQL expression with all columns of the application's rows of one kind.

    It is written in SQL because building an `ArraySubquery` of `JSONObject`s takes longer than the whole
    query.
    """
    order = ", ".join(map(str, kind._meta.ordering or ["id"]))  # the names of our own columns
    return RawSQL(  # noqa: S611 -- the names of our own tables and columns
        f"ARRAY(SELECT to_jsonb(one) FROM {kind._meta.db_table} one "  # noqa: S608
        f"WHERE one.application_id = {Application._meta.db_table}.id ORDER BY {order})",
        (),
        ArrayField(JSONField()),
    )
