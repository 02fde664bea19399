"""The inbox: a filter of alerts, and one page of the selected alerts with their laws."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import reduce
from itertools import accumulate
from operator import or_

from django.db.models import Case, F, OrderBy, Q, QuerySet, When
from django.utils import timezone

from modeling.models import OPEN_ALERTS, Alert, AlertEvent
from modeling.selectors.alerts.rows import AlertRow, alert_rows
from modeling.selectors.alerts.tally import AlertCount, Place, Tally, tally_load
from perfweb.accounts.models import Project, User

OPEN = "open"
ALL = "all"
BY_EFFECT = "effect"
"""The order by effect on the program's total, largest first, over all versions."""

PAGE = 50
"""Alerts per page: about two screens."""

VERSIONS_OFFERED = 100
"""Limit on the versions that the inbox offers to choose, the newest first."""

UNDO_FOR = timedelta(hours=1)
"""Time for which the inbox offers to undo a decision."""


@dataclass(frozen=True)
class Wanted:
    """The filter of the inbox, as given in the page's address."""

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
        """Return the alerts that match the filter, without regard to their state and direction."""
        return rows.filter(self.condition(reader))

    def condition(self, reader: User) -> Q:
        """Return the filter's condition on alerts, without `state` and `improvements`."""
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
        return conditions & silenced(yes=self.silenced)

    @property
    def states(self) -> list[str]:
        """Return the states that the filter selects."""
        return states_of(self.state)


def states_of(wanted: str) -> list[str]:
    """Return the states that a keyword selects: “open”, a single state, or otherwise all."""
    if wanted == OPEN:
        return [str(state) for state in OPEN_ALERTS]
    return [wanted] if wanted in Alert.State.values else list(Alert.State.values)


def silenced(*, yes: bool) -> Q:
    """Return the condition for alerts that are silenced now; if not `yes`, for alerts that are not."""
    now = timezone.now()
    return Q(silenced_until__gt=now) if yes else Q(silenced_until=None) | Q(silenced_until__lte=now)


def _assigned(name: str, reader: User) -> Q:
    if name == "nobody":
        return Q(assignee=None)
    return Q(assignee=reader) if name == "me" else Q(assignee__username=name)


@dataclass(frozen=True)
class Inbox:
    """A page of alerts, in groups by version and machine. `counts` are the sizes of these groups.

    `versions` and `states` are numbers of alerts by label and by state. `machines` and `metrics` are names.
    """

    groups: tuple[tuple[AlertRow, ...], ...]
    counts: tuple[int, ...]
    versions: Mapping[str, int]
    states: Counter[str]
    improvements: int
    count: int
    machines: Sequence[str]
    metrics: Sequence[str]


def alerts_in(projects: Iterable[Project]) -> QuerySet[Alert]:
    """Return all alerts of these projects."""
    return Alert.objects.in_projects(projects)


LARGEST_FIRST = (F("effect").desc(nulls_last=True), "-probability", "pk")
"""The order of alerts by their effect."""


def ordered(rows: QuerySet[Alert]) -> QuerySet[Alert]:
    """Order alerts by application, version (newest first), machine, and effect (largest first)."""
    return rows.order_by(
        "application__name", "application_id", "-version__position", "machine__name", *LARGEST_FIRST
    )


def inbox(rows: QuerySet[Alert], wanted: Wanted, reader: User, skip: int = 0) -> Inbox:
    """Return a page of the selected alerts, with seven queries in all."""

    def here(number: AlertCount) -> bool:
        return wanted.version in ("", tally.label(number))

    def kind(number: AlertCount) -> bool:
        return number.improvement is wanted.improvements

    tally = tally_load(rows, replace(wanted, version="").condition(reader))
    chosen = tally.part(lambda number: number.state in wanted.states)
    every = chosen.part(kind)
    shown = every.part(here)
    asked = wanted.narrow(rows, reader).filter(state__in=wanted.states, improvement=wanted.improvements)
    groups: dict[Place, list[AlertRow]] = {}
    for row in _page(asked, wanted, shown.places, skip):
        _attach(row.alert, tally)
        groups.setdefault(Place(row.alert.version_id, row.alert.machine_id), []).append(row)
    counts = every.places
    return Inbox(
        groups=tuple(map(tuple, groups.values())),
        counts=tuple(counts[place] for place in groups),
        versions=dict(list(every.labels.items())[:VERSIONS_OFFERED]),
        states=tally.part(here).part(kind).states,
        improvements=chosen.part(here).part(lambda number: number.improvement).count,
        count=shown.count,
        machines=tally.machine_names,
        metrics=tally.metric_names,
    )


def _page(asked: QuerySet[Alert], wanted: Wanted, places: Mapping[Place, int], skip: int) -> list[AlertRow]:
    """Return the alerts of one page, without their versions, machines and metrics.

    `places` are the numbers of alerts by version and machine. These numbers show which versions are on the
    page, so that only alerts of these versions are sorted.
    """
    order: tuple[OrderBy | Case | str, ...] = LARGEST_FIRST
    if wanted.sort == BY_EFFECT:
        asked = asked.filter(version__in={place.version for place in places})
    else:
        begins = list(accumulate(places.values(), initial=0))
        on_page = [
            Q(version=place.version, machine=place.machine)
            for place, begin, end in zip(places, begins, begins[1:], strict=False)
            if begin < skip + PAGE and end > skip
        ]
        skip -= max((begin for begin in begins if begin <= skip), default=0)
        asked = asked.filter(reduce(or_, on_page, Q(pk__in=[])))
        order = (Case(*(When(place, then=at) for at, place in enumerate(on_page))), *order)
    # The inner query sorts only ids. The outer one joins the shown rows.
    page = asked.order_by(*order)[skip : skip + PAGE].values("pk")
    rows = Alert.objects.filter(pk__in=page).order_by(*order)
    return alert_rows(rows.select_related("kernel", "assignee", "fixed_in", "comparison"))


def _attach(alert: Alert, tally: Tally) -> None:
    """Set the rows to which an alert refers, because a query that joins these rows would take longer."""
    alert.version = tally.versions[alert.version_id]
    alert.application = alert.version.application
    alert.machine = tally.machines[alert.machine_id]
    alert.metric = tally.metrics[alert.metric_id]


def last_step(reader: User) -> AlertEvent | None:
    """Return an event of the reader's last decision, or None if it can no longer be undone."""
    own = AlertEvent.objects.filter(user=reader, action=AlertEvent.Action.TRIAGED, undone=False)
    last = own.order_by("-pk").first()
    # As a condition of the query, the time would make the database read all older events.
    return last if last and last.at > timezone.now() - UNDO_FOR else None
