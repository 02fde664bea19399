"""Trends: every kernel's predictions at the default target over the versions on a machine."""

from django.db import connection, transaction

from ingest.models import Application, Machine
from ingest.selectors import campaigns_current
from modeling.models import Model, ModelRun, Trend


@transaction.atomic
def trends_follow(application: Application, machine: Machine, version_id: int) -> None:
    """Update the values of all trends at one version."""
    line = campaigns_current(application, machine)
    order = [campaign.version_id for campaign in line]
    values: dict[str, int | list[int]] = {
        "application": application.pk,
        "machine": machine.pk,
        "version": version_id,
        "campaigns": [campaign.pk for campaign in line if campaign.version_id == version_id],
        "earlier": order[: order.index(version_id)] if version_id in order else [],
    }
    with connection.cursor() as cursor:
        cursor.execute(FOLLOW, values)
    Trend.objects.filter(machine=machine, kernel__application=application, versions=[]).delete()


FOLLOW = f"""
WITH new AS (
    SELECT DISTINCT ON (model.kernel_id, model.metric_id) model.kernel_id, model.metric_id, model.predicted
    FROM {Model._meta.db_table} model JOIN {ModelRun._meta.db_table} run ON run.id = model.run_id
    WHERE run.campaign_id = ANY(%(campaigns)s::bigint[])
    ORDER BY model.kernel_id, model.metric_id, run.shown DESC, run.id DESC
), old AS (
    SELECT trend.*, array_position(trend.versions, %(version)s) AS place
    FROM {Trend._meta.db_table} trend JOIN ingest_kernel kernel ON kernel.id = trend.kernel_id
    WHERE trend.machine_id = %(machine)s AND kernel.application_id = %(application)s
), rest AS (
    SELECT kernel_id, metric_id, place, impact, new.kernel_id IS NOT NULL AS modelled, new.predicted AS now,
           CASE WHEN place IS NULL THEN coalesce(versions, '{{}}')
                ELSE versions[:place - 1] || versions[place + 1:] END AS versions,
           CASE WHEN place IS NULL THEN coalesce(old.predicted, '{{}}')
                ELSE old.predicted[:place - 1] || old.predicted[place + 1:] END AS predicted
    FROM old FULL JOIN new USING (kernel_id, metric_id)
    WHERE place IS NOT NULL OR new.kernel_id IS NOT NULL
), line AS (
    SELECT kernel_id, metric_id,
           CASE WHEN modelled THEN versions[:before] || %(version)s::bigint || versions[before + 1:]
                ELSE versions END AS versions,
           CASE WHEN modelled THEN predicted[:before] || now || predicted[before + 1:]
                ELSE predicted END AS predicted,
           CASE WHEN place IS NULL AND before = cardinality(versions)
                THEN greatest(impact, abs(now - predicted[before]), 0) END AS impact
    FROM rest CROSS JOIN LATERAL (
        SELECT count(*)::int AS before FROM unnest(versions) AS each WHERE each = ANY(%(earlier)s::bigint[])
    ) AS counted
)
INSERT INTO {Trend._meta.db_table} (kernel_id, metric_id, machine_id, versions, predicted, impact)
SELECT kernel_id, metric_id, %(machine)s, versions, predicted, coalesce(impact, (
    SELECT max(abs(after - before))
    FROM unnest(predicted[2:], predicted[:cardinality(predicted) - 1]) AS neighbours(after, before)
), 0)
FROM line
ON CONFLICT (metric_id, machine_id, kernel_id) DO UPDATE
SET versions = EXCLUDED.versions, predicted = EXCLUDED.predicted, impact = EXCLUDED.impact
"""  # noqa: S608 -- the names of our own tables
"""SQL that inserts a version's predictions into each trend. `rest` are the trends without the version.

Usually the version is the latest, and only one difference is compared with the stored largest change.
"""
