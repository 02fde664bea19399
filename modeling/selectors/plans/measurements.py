"""The data by which the next runs are chosen: values and models of the largest kernels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ingest.models import Metric
from ingest.selectors import law_roles
from modeling.engine import FloatArray, Models, fit
from modeling.models import ModelRun
from modeling.selectors.plans.basis import Basis
from modeling.selectors.plans.joined import Joined, joined_load
from modeling.selectors.plans.question import Question
from modeling.selectors.run.origins import groups_shared
from modeling.selectors.run.rows import RunRows, rows_load
from modeling.selectors.run.targets import target_point
from modeling.storage import arrays


@dataclass(frozen=True)
class Measurements:
    """The kernels for which a plan is computed, with points and values (kernels, points, repetitions).

    Attributes:
        models: models of the kernels; None if the version has no laws of its own.
        groups: kind of group, the coarsest first → label of each repetition's group, negative if not known.
            Kinds are "day", "node" and "job", or else "day" and "campaign".
        before: points and values in the previous version; None if it lacks these kernels.
        before_models: models to use instead of the version's own laws.
    """

    kernels: list[int]
    names: list[str]
    points: FloatArray
    values: FloatArray
    target: FloatArray
    models: Models | None = None
    groups: dict[str, NDArray[np.int64]] | None = None
    before: tuple[FloatArray, FloatArray] | None = None
    before_models: Models | None = None

    def asked(self, question: Question) -> dict[str, Any]:
        """Return the arguments of `plan_next` that describe the measurements."""
        more: dict[str, Any] = {"target": self.target, "kernels": self.names}
        if self.groups is not None:
            more["groups"] = self.groups
        if self.models is not None and self.models.posterior is not None:
            more["models"] = self.models
        if self.before is not None and (question.goal == "change" or self.before_models is not None):
            more |= {"before": self.before, "before_models": self.before_models}
        return more


def measurements_of(basis: Basis, loaded: RunRows, kernel: int | None) -> Measurements:
    """Return the measurements of the plan's version, of one kernel (by id) or of the largest ones."""
    assert basis.run is not None  # noqa: S101 -- the caller has its rows
    assert basis.metric is not None  # noqa: S101
    if (run := basis.standing_in) is not None:
        return _with_earlier_laws(basis, run, basis.metric, kernel)
    kernels, own = deciding(loaded, kernel)
    found = joined_load(basis.campaigns, basis.metric, kernels)
    return Measurements(
        kernels, _names(loaded, kernels), found.points, found.values,
        target_point(basis.target or basis.run.target, basis.run.campaign),
        models=_joined_models(basis, loaded, kernels, found) if basis.beside else own,
        groups=_groups(basis, found),
        before=_before(basis.before, basis.metric, kernels) if basis.before is not None else None,
    )  # fmt: skip


def _joined_models(basis: Basis, loaded: RunRows, kernels: list[int], found: Joined) -> Models:
    """Return models of the values of all campaigns together, cached with the rows."""
    stored = tuple((campaign.pk, campaign.revision) for campaign in basis.campaigns)
    processes = law_roles(basis.campaigns[0])["processes"]
    made: Models = loaded.derived.get(
        ("joined", stored, tuple(kernels)), lambda: fit(found.points, found.values, processes=processes)
    )
    return made


def _groups(basis: Basis, found: Joined) -> dict[str, NDArray[np.int64]] | None:
    """Return the groups that runs share, as in `Measurements.groups`."""
    told = groups_shared(found.known, found.origins)
    return told or (_campaigns(basis, found) if basis.beside else None)


def _campaigns(basis: Basis, found: Joined) -> dict[str, NDArray[np.int64]]:
    days = np.array([campaign.created_at.toordinal() for campaign in basis.campaigns], dtype=np.int64)
    several = {"day": days[found.campaigns]} if len(set(days.tolist())) > 1 else {}
    return {**several, "campaign": found.campaigns}


def _with_earlier_laws(basis: Basis, run: ModelRun, metric: Metric, kernel: int | None) -> Measurements:
    """Return an earlier run's kernels and laws, with their measurements in this version."""
    loaded = rows_load(run, metric)
    kernels, models = deciding(loaded, kernel)
    parameters = len(run.campaign.parameters)
    found = Joined(
        np.empty((0, parameters)), np.empty((len(kernels), 0, 1)), np.empty((0, 1), dtype=np.int64),
        np.empty((len(kernels), 0, 1), dtype=np.int64),
    )  # fmt: skip
    if basis.campaigns:
        found = joined_load(basis.campaigns, metric, kernels)
    return Measurements(
        kernels, _names(loaded, kernels), found.points, found.values,
        target_point(basis.target or run.target, run.campaign),
        before=_before(run, metric, kernels), before_models=models,
    )  # fmt: skip


def deciding(loaded: RunRows, kernel: int | None) -> tuple[list[int], Models]:
    """Return the ids and models of the kernels of a plan: the question's, or else the largest summands."""
    if kernel is not None and kernel in loaded.places:
        return [kernel], loaded.weighed(np.array([loaded.places[kernel]]))
    places = loaded.heaviest
    counted = np.array([loaded.rows[at].counts_to_total for at in places.tolist()])
    some = np.flatnonzero(counted) if counted.any() else np.arange(len(places))
    return loaded.kernels[places[some]].tolist(), loaded.heaviest_weighed.part(some)


def _names(loaded: RunRows, kernels: Sequence[int]) -> list[str]:
    return [loaded.rows[loaded.places[kernel]].name for kernel in kernels]


def _before(run: ModelRun, metric: Metric, kernels: Sequence[int]) -> tuple[FloatArray, FloatArray] | None:
    """Return points and values of the same kernels in an earlier run, or None if it lacks them."""
    _, held = arrays.series_sizes(run.campaign, metric.pk, list(kernels))
    if len(held) < len(kernels):
        return None
    series = arrays.series_load(run.campaign, metric.pk, kernels)
    return series.points, series.values
