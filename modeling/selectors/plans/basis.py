"""The data from which a plan is made: an application, and the model runs of a version and the one before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ingest.formats.campaign.campaign import CONFIGURATION
from ingest.models import Application, Campaign, Dependencies, Metric, Parameter
from modeling.models import ModelRun
from modeling.selectors.plans.memory import metric_of_memory
from modeling.selectors.plans.values import next_value
from modeling.selectors.run.metrics import is_time
from modeling.selectors.run.snapshot_loading import runs_load
from modeling.selectors.versions.standings import Standing

FEWEST_VALUES = 3
"""Fewest values of a parameter for a version's own laws. With fewer, the previous version's laws are used."""

FURTHER_VALUES = 3
"""Limit on the offered values beyond the largest measured one. With fewer, all runs are far from the target.
With six, the largest runs are often too expensive.
"""


LINE = 5
"""Number of values that a law needs. A parameter with fewer gets further ones, to be measured on a line."""

MOST_EARLIER = 10
"""Limit on the earlier versions that are searched for one with laws."""


@dataclass(frozen=True)
class Basis:
    """The data from which a plan is made. `run` and `before` are the model runs of the version and of the one
    before it. `earlier` is the run of the newest earlier version with enough values for laws.

    `clock` is the metric whose total is the time of an execution. `memory` is the metric of an execution's
    memory. `beside` are further campaigns of the version, such as those of earlier plans. With `fresh`, the
    plan is for a version without measurements, and `run` is the previous version's.
    """

    application: Application
    parameters: tuple[Parameter, ...]
    run: ModelRun | None
    metric: Metric | None
    clock: Metric | None
    before: ModelRun | None
    target: Mapping[str, float] | None
    earlier: ModelRun | None = None
    memory: Metric | None = None
    beside: tuple[Campaign, ...] = ()
    fresh: bool = False

    @property
    def processes(self) -> str | None:
        """Return the parameter that counts MPI processes."""
        roles = (row.name for row in self.parameters if row.role == Parameter.Role.PROCESSES)
        return next(roles, None)

    @property
    def unnamed(self) -> bool:
        """Return whether the version's files name no parameter, so that only runs can be repeated."""
        return self.run is not None and self.run.campaign.parameters == [CONFIGURATION]

    @property
    def campaigns(self) -> list[Campaign]:
        """Return all campaigns of the plan's version; none if it was not measured yet."""
        return [self.run.campaign, *self.beside] if self.run and not self.fresh else []

    @property
    def standing_in(self) -> ModelRun | None:
        """Return the earlier version's run if its laws stand in for this version's; otherwise None."""
        return self.known_run if self.fresh or self.known_run is not self.run else None

    @property
    def known_run(self) -> ModelRun | None:
        """Return the run whose laws predict times: an earlier version's if this version has none."""
        if self.run is None or not lacks_values(self.run):
            return self.run
        return self.earlier or self.run

    def offered(self, profile: Dependencies | None, goal: str) -> dict[str, list[float]]:
        """Return the offered values of each parameter: measured ones, and further ones towards the target.

        Designs need no values beyond `LINE`, and make predictions beyond them.
        """
        measured = self._measured()
        names = self.run.campaign.parameters if self.run else [row.name for row in self.parameters]
        if not names and profile is not None:
            names = list(profile.parameters)
        aim = self.target or (self.run.target if self.run else {})
        if self.unnamed:
            return measured
        if goal in {"profile", "first"} or (self.known_run and lacks_values(self.known_run)):
            return {name: _lengthened(measured.get(name, [])) for name in names}
        return {name: _continued(measured.get(name, []), aim.get(name)) for name in names}

    def _measured(self) -> dict[str, list[float]]:
        """Return the measured values of each parameter, including those of `known_run`."""
        runs = [run for run in (self.run, self.known_run) if run is not None]
        values: dict[str, set[float]] = {}
        for run in runs:
            for name, series in run.campaign.measured_values().items():
                values.setdefault(name, set()).update(series)
        return {name: sorted(series) for name, series in values.items()}


class Offering(Protocol):
    """The choices of an application that a page or a request has loaded."""

    @property
    def application(self) -> Application:
        """The application of the plan."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters of the application."""

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics of the application."""


def basis_load(
    offering: Offering,
    *,
    metric: Metric | None,
    standing: Standing | None,
    lineage: Sequence[Standing],
    target: Mapping[str, float] | None,
) -> Basis:
    """Return the data for a plan for the version `standing`.

    `lineage` has the versions that lead to this one, oldest first; it is the last of them.
    """
    older = lineage[:-1][-MOST_EARLIER:]
    runs = runs_load(each.run_id for each in (standing, *older) if each and each.run_id)
    run = runs.get(standing.run_id or 0) if standing else None
    earlier = [runs[each.run_id] for each in reversed(older) if each.run_id in runs]
    return Basis(
        application=offering.application,
        parameters=offering.parameters,
        run=run,
        metric=metric,
        clock=metric_of_time(offering.metrics, metric),
        before=runs.get(older[-1].run_id or 0) if older else None,
        earlier=next((each for each in earlier if run and _has_laws_for(each, run)), None),
        target=target,
        memory=metric_of_memory(offering.metrics),
    )


def default_goal(basis: Basis, profile: Dependencies | None) -> str:
    """Return the likely goal: a narrower interval for a version with laws, otherwise a first design."""
    if basis.known_run is not None:
        return "first" if lacks_values(basis.known_run) and not basis.unnamed else "interval"
    return "profile" if profile is not None else "first"


def metric_of_time(metrics: Sequence[Metric], chosen: Metric | None) -> Metric | None:
    """Return the metric of the time of an execution: the chosen one if it is a time, else the first time."""
    if chosen is not None and is_time(chosen):
        return chosen
    return next((metric for metric in metrics if is_time(metric)), None)


def lacks_values(run: ModelRun) -> bool:
    """Return whether a parameter of a run's campaign has too few values for any law."""
    return any(len(series) < FEWEST_VALUES for series in run.campaign.measured_values().values())


def _has_laws_for(earlier: ModelRun, run: ModelRun) -> bool:
    """Return whether an earlier run has the parameters of this one, with enough values for laws."""
    return earlier.campaign.parameters == run.campaign.parameters and not lacks_values(earlier)


def _lengthened(series: Sequence[float]) -> list[float]:
    """Return an ascending series with as many further values as a line needs."""
    found = list(series)
    while found and len(found) < LINE and (value := next_value(found)) is not None:
        found.append(value)
    return found


def _continued(series: Sequence[float], target: float | None) -> list[float]:
    """Return an ascending series with its next value, and with further ones that are below the target."""
    found = list(series)
    for number in range(FURTHER_VALUES):
        value = next_value(found)
        if value is None or (number and not (target is not None and value < target)):
            break
        found.append(value)
    return found
