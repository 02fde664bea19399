"""The inbox: the filter of alerts, and a page of them with their laws."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from ingest.models import Campaign
from modeling.models import OPEN_ALERTS, SHOWN_FIRST, Alert, AlertEvent, Model, ModelRun
from modeling.verdicts import Verdict
from perfweb.accounts.models import Project, User

OPEN = "open"
ALL = "all"
BY_EFFECT = "effect"
"""The order with the largest effect on the program's total first, whatever the version."""

PAGE = 50
"""Alerts per page: about two screens. A longer page would take longer to render than readers want to wait."""

VERSIONS_OFFERED = 100
"""Limit on the versions that the inbox offers to choose, the newest first."""

UNDO_FOR = timedelta(hours=1)
"""Time during which the inbox offers to undo a step. Nobody remembers the details of an older step."""


@dataclass(frozen=True)
class Wanted:
    """The filter of the inbox. Every part of it is in the address."""

    state: str = OPEN
    improvements: bool = False
    silenced: bool = False
    machine: str = ""
    metric: str = ""
    version: str = ""
    kernel: str = ""
    assignee: str = ""
    overdue: bool = False
    sort: str = ""

    def narrow(self, rows: QuerySet[Alert], reader: User) -> QuerySet[Alert]:
        """Return the alerts that match the filter, except for its state and kind of change."""
        conditions = Q()
        for field, value in (
            ("machine__name", self.machine),
            ("metric__name", self.metric),
            ("version__label", self.version),
            ("kernel__path__icontains", self.kernel),
        ):
            if value:
                conditions &= Q(**{field: value})
        if self.assignee:
            conditions &= _assigned(self.assignee, reader)
        if self.overdue:
            conditions &= Q(due__lt=timezone.localdate())
        return rows.filter(conditions, silenced(yes=self.silenced))

    @property
    def states(self) -> list[str]:
        """Return the states that the filter selects."""
        return states_of(self.state)


def states_of(wanted: str) -> list[str]:
    """Return the states of a keyword: open, all, or a single state."""
    if wanted == OPEN:
        return [str(state) for state in OPEN_ALERTS]
    return [wanted] if wanted in Alert.State.values else list(Alert.State.values)


def silenced(*, yes: bool) -> Q:
    """Return the condition for alerts that are silenced now, or for alerts that are not silenced."""
    now = timezone.now()
    return Q(silenced_until__gt=now) if yes else Q(silenced_until=None) | Q(silenced_until__lte=now)


def _assigned(name: str, reader: User) -> Q:
    if name == "nobody":
        return Q(assignee=None)
    return Q(assignee=reader) if name == "me" else Q(assignee__username=name)


@dataclass(frozen=True)
class AlertRow:
    """An alert with its laws before and after; a law that does not exist is None.

    `latest` is the id of the alert's last event. With it a later request can detect whether somebody else
    made a decision meanwhile.
    """

    alert: Alert
    campaign_id: int | None
    parameters: Sequence[str]
    before: Model | None
    after: Model | None
    latest: int

    @property
    def verdict(self) -> Verdict | None:
        """Return the verdict that is shown as a sign, or None for a broken expectation."""
        return verdict_of(self.alert)

    @property
    def overdue(self) -> bool:
        """Return whether the due date of an open alert has passed."""
        due: date | None = self.alert.due
        return due is not None and due < timezone.localdate() and self.alert.state in OPEN_ALERTS


@dataclass(frozen=True)
class Inbox:
    """A page of alerts by version and machine, with the number of alerts of each version, and the counts by
    state. `versions` has the numbers of alerts of all versions, by label.
    """

    groups: tuple[tuple[AlertRow, ...], ...]
    counts: tuple[int, ...]
    versions: Mapping[str, int]
    states: Counter[str]
    improvements: int
    count: int


def alerts_in(projects: Iterable[Project]) -> QuerySet[Alert]:
    """Return all alerts of these projects."""
    return Alert.objects.in_projects(projects)


def verdict_of(alert: Alert) -> Verdict | None:
    """Return the verdict with which an alert was raised, or None for a broken expectation."""
    return None if alert.cause == Alert.Cause.EXPECTATION else Verdict(alert.verdict)


def ordered(rows: QuerySet[Alert]) -> QuerySet[Alert]:
    """Order alerts by application, version (newest first) and machine, and within these by effect, largest
    first.
    """
    return rows.order_by(
        "application__name", "application_id", "-version__position", "machine__name",
        F("effect").desc(nulls_last=True), "-probability", "pk",
    )  # fmt: skip


def _ordered_by_effect(rows: QuerySet[Alert]) -> QuerySet[Alert]:
    return rows.order_by(F("effect").desc(nulls_last=True), "-probability", "pk")


def inbox(rows: QuerySet[Alert], wanted: Wanted, reader: User, skip: int = 0) -> Inbox:
    """Return a page of the selected alerts, with six queries for any number of alerts."""
    narrowed = wanted.narrow(rows, reader)
    counted = narrowed.order_by().values_list("state", "improvement").annotate(count=Count("pk"))
    states = Counter({state: count for state, better, count in counted if better == wanted.improvements})
    kinds = Q(state__in=wanted.states, improvement=wanted.improvements)
    asked = narrowed.filter(kinds)
    order = _ordered_by_effect if wanted.sort == BY_EFFECT else ordered
    # The first query sorts only ids, and the second one joins the rows that are shown. A single query would
    # join all rows.
    page = list(order(asked).values_list("pk", flat=True)[skip : skip + PAGE])
    groups: dict[tuple[int, int], list[AlertRow]] = {}
    for row in alert_rows(order(Alert.objects.filter(pk__in=page))):
        groups.setdefault(_place(row), []).append(row)
    counts, versions = _counted(replace(wanted, version="").narrow(rows, reader).filter(kinds))
    return Inbox(
        groups=tuple(map(tuple, groups.values())),
        counts=tuple(counts[place] for place in groups),
        versions=dict(list(versions.items())[:VERSIONS_OFFERED]),
        states=states,
        improvements=sum(count for state, better, count in counted if better and state in wanted.states),
        count=sum(states[state] for state in wanted.states),
    )


def alert_rows(rows: QuerySet[Alert]) -> list[AlertRow]:
    """Return the alerts in their order, each with everything that its page and the inbox show, with three
    queries.
    """
    alerts = list(_with_campaign(rows))
    campaigns = {alert.pk: alert.campaign for alert in alerts}  # type: ignore[attr-defined]  # annotated
    before = {alert.pk: alert.comparison.before_id if alert.comparison else None for alert in alerts}
    runs = _runs(pk for pk in (*campaigns.values(), *before.values()) if pk)
    models = _models(runs.values(), alerts)

    def model(alert: Alert, campaign: int | None) -> Model | None:
        run = runs.get(campaign or 0)
        return models.get((run.pk, alert.metric_id, alert.kernel_id)) if run else None

    return [
        AlertRow(
            alert=alert,
            campaign_id=campaigns[alert.pk],
            parameters=runs[campaigns[alert.pk]].campaign.parameters if campaigns[alert.pk] in runs else (),
            before=model(alert, before[alert.pk]),
            after=model(alert, campaigns[alert.pk]),
            latest=alert.latest or 0,  # type: ignore[attr-defined]  # annotated
        )
        for alert in alerts
    ]


def _with_campaign(rows: QuerySet[Alert]) -> QuerySet[Alert]:
    """Annotate the rows with all fields that are shown, and with `campaign`, which represents their
    version.
    """
    standing = Campaign.objects.filter(version=OuterRef("version"), machine=OuterRef("machine"))
    events = AlertEvent.objects.filter(alert=OuterRef("pk")).order_by("-pk")
    latest = standing.order_by(F("points__len").desc(), "-pk").values("pk")[:1]
    return rows.select_related(
        "application__project", "version", "machine", "kernel", "metric", "assignee", "fixed_in",
        "comparison__before__version",
    ).defer("comparison__before__points", "comparison__before__metadata").annotate(
        campaign=Subquery(latest), latest=Subquery(events.values("pk")[:1])
    )  # fmt: skip


def _runs(campaigns: Iterable[int]) -> dict[int, ModelRun]:
    """Return the run of each campaign that pages show."""
    rows = ModelRun.objects.filter(campaign__in=list(campaigns)).order_by("campaign_id", *SHOWN_FIRST)
    latest = rows.distinct("campaign_id").select_related("campaign")
    return {run.campaign_id: run for run in latest.only("campaign_id", "campaign__parameters")}


def _models(runs: Iterable[ModelRun], alerts: Sequence[Alert]) -> dict[tuple[int, int, int], Model]:
    rows = Model.objects.filter(
        run__in=list(runs),
        metric__in={alert.metric_id for alert in alerts},
        kernel__in={alert.kernel_id for alert in alerts},
    ).defer("posterior", "segment_posteriors", "covariance")  # some kilobytes each
    return {(row.run_id, row.metric_id, row.kernel_id): row for row in rows}


def _place(row: AlertRow) -> tuple[int, int]:
    """Return the version and machine in which the alert appeared."""
    return row.alert.version_id, row.alert.machine_id


def _counted(rows: QuerySet[Alert]) -> tuple[Counter[tuple[int, int]], Counter[str]]:
    """Return the number of rows for each version and machine, and for each version's label, newest first."""
    counts = rows.order_by().values("version", "machine").annotate(count=Count("pk"))
    found = list(
        counts.values_list("version", "machine", "count", "version__label").order_by("-version__position")
    )
    labels: Counter[str] = Counter()
    for *_, count, label in found:
        labels[label] += count
    return Counter({(version, machine): count for version, machine, count, _ in found}), labels


@dataclass(frozen=True)
class Options:
    """The options of the inbox's filters."""

    machines: tuple[str, ...]
    metrics: tuple[str, ...]


def options(rows: QuerySet[Alert]) -> Options:
    """Return the machines and metrics that have alerts, with one query."""
    pairs = set(rows.order_by().values_list("machine__name", "metric__name").distinct())
    return Options(
        tuple(sorted({machine for machine, _ in pairs})), tuple(sorted({metric for _, metric in pairs}))
    )


def last_step(reader: User) -> AlertEvent | None:
    """Return the reader's last step if it can still be undone, and otherwise None."""
    since = timezone.now() - UNDO_FOR
    own = AlertEvent.objects.filter(user=reader, action=AlertEvent.Action.TRIAGED, at__gt=since)
    return own.filter(undone=False).order_by("-pk").first()
