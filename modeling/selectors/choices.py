"""An application with all that its pages let people choose: parameters, metrics, targets."""

from dataclasses import dataclass

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Model as Row
from django.db.models import OuterRef, QuerySet
from django.db.models.functions import JSONObject

from ingest.models import Application, Metric, Parameter, Target


@dataclass(frozen=True)
class Choices:
    """The rows that hang on one application, each kind in its order."""

    application: Application
    parameters: tuple[Parameter, ...]
    metrics: tuple[Metric, ...]
    targets: tuple[Target, ...]


def choices(applications: QuerySet[Application]) -> Choices | None:
    """The first of the applications with its choices; one query, as every page needs them."""
    found = (
        applications.select_related("project")
        .annotate(parameter_rows=_rows(Parameter), metric_rows=_rows(Metric), target_rows=_rows(Target))
        .first()
    )
    if found is None:
        return None
    return Choices(
        application=found,
        parameters=tuple(Parameter(**row) for row in found.parameter_rows),
        metrics=tuple(Metric(**row) for row in found.metric_rows),
        targets=tuple(Target(**row) for row in found.target_rows),
    )


def _rows(kind: type[Row]) -> ArraySubquery:
    """All columns of the application's rows of one kind."""
    columns = {field.attname: field.attname for field in kind._meta.concrete_fields}
    return ArraySubquery(
        kind._default_manager.filter(application=OuterRef("pk")).values(row=JSONObject(**columns))
    )
