"""Alerts with everything that their pages show."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from django.db.models import F, OuterRef, QuerySet, Subquery
from django.utils import timezone

from ingest.models import Campaign
from modeling.models import OPEN_ALERTS, SHOWN_FIRST, Alert, AlertEvent, Model, ModelRun
from modeling.verdicts import Verdict


class StoredLaw(NamedTuple):
    """The columns of `modeling.models.Model` that are needed to write its law, in a unit that suits it."""

    points_used: int
    constant: float | None
    coefficients: list[float]
    exponents: list[float]
    segments: dict[str, Any] | None
    predicted: float | None
    largest: float | None


@dataclass(frozen=True)
class AlertRow:
    """An alert with the kernel's laws before and after the change; None for a missing law.

    `compared` is the label of the version before, empty if no comparison raised the alert. `latest` is the id
    of the alert's last event, which shows whether somebody else decided meanwhile.
    """

    alert: Alert
    campaign_id: int | None
    parameters: Sequence[str]
    compared: str
    before: StoredLaw | None
    after: StoredLaw | None
    latest: int

    @property
    def verdict(self) -> Verdict | None:
        """Return the verdict with which the alert was raised, or None for a broken expectation."""
        broken = self.alert.cause == Alert.Cause.EXPECTATION
        return None if broken else Verdict(self.alert.verdict)

    @property
    def overdue(self) -> bool:
        """Return whether the due date of an open alert has passed."""
        due: date | None = self.alert.due
        return due is not None and due < timezone.localdate() and self.alert.state in OPEN_ALERTS


def alert_rows(rows: QuerySet[Alert]) -> list[AlertRow]:
    """Return the rows of alerts in the same order, with three queries. `comparison` must be loaded."""
    alerts = list(_with_campaign(rows))
    after = {alert.pk: alert.campaign for alert in alerts}  # type: ignore[attr-defined]  # annotated
    before = {alert.pk: alert.comparison.before_id if alert.comparison else None for alert in alerts}
    campaigns = _campaigns(pk for pk in (*after.values(), *before.values()) if pk)
    models = _models(campaigns.values(), alerts)

    def model(alert: Alert, campaign: int | None) -> StoredLaw | None:
        run = campaigns[campaign].run if campaign in campaigns else None
        return models.get((run, alert.metric_id, alert.kernel_id)) if run else None

    return [
        AlertRow(
            alert=alert,
            campaign_id=after[alert.pk],
            parameters=campaigns[after[alert.pk]].parameters if after[alert.pk] in campaigns else (),
            compared=campaigns[before[alert.pk]].label if before[alert.pk] in campaigns else "",
            before=model(alert, before[alert.pk]),
            after=model(alert, after[alert.pk]),
            latest=alert.latest or 0,  # type: ignore[attr-defined]  # annotated
        )
        for alert in alerts
    ]


def _with_campaign(rows: QuerySet[Alert]) -> QuerySet[Alert]:
    """Annotate alerts with the ids of their last event and of the campaign that represents their version."""
    standing = Campaign.objects.filter(version=OuterRef("version"), machine=OuterRef("machine"))
    events = AlertEvent.objects.filter(alert=OuterRef("pk")).order_by("-pk")
    latest = standing.order_by(F("points__len").desc(), "-pk").values("pk")[:1]
    return rows.annotate(campaign=Subquery(latest), latest=Subquery(events.values("pk")[:1]))


class _Campaign(NamedTuple):
    """The parameters of a campaign, the label of its version, and the id of the shown run."""

    parameters: list[str]
    label: str
    run: int | None


def _campaigns(campaigns: Iterable[int]) -> dict[int | None, _Campaign]:
    shown = ModelRun.objects.filter(campaign=OuterRef("pk")).order_by(*SHOWN_FIRST).values("pk")[:1]
    rows = Campaign.objects.filter(pk__in=set(campaigns))
    columns = rows.values_list("pk", "parameters", "version__label", Subquery(shown))
    return {pk: _Campaign(*row) for pk, *row in columns}


def _models(campaigns: Iterable[_Campaign], alerts: Sequence[Alert]) -> dict[tuple[int, int, int], StoredLaw]:
    rows = Model.objects.filter(
        run__in=[campaign.run for campaign in campaigns if campaign.run],
        metric__in={alert.metric_id for alert in alerts},
        kernel__in={alert.kernel_id for alert in alerts},
    ).values_list("run_id", "metric_id", "kernel_id", *StoredLaw._fields)
    return {(run, metric, kernel): StoredLaw(*law) for run, metric, kernel, *law in rows}
