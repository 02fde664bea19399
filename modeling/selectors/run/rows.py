"""Read stored models as plain rows, faster than thousands of Django objects, and cache them."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import groupby, islice
from operator import itemgetter, or_
from typing import Any, NamedTuple, cast

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from ingest.models import Campaign, Kernel, Metric
from modeling.engine import Models
from modeling.engine.deviations.correlation import SharedDeviation
from modeling.models import UNFINISHED, Model, ModelRun
from modeling.selectors.kept import Kept
from modeling.selectors.run.metrics import adds_up
from modeling.selectors.run.tails import shortest_tails
from modeling.storage import arrays
from modeling.storage.model_portions import kernels_at_once

CONSTANT = "constant"
"""The class of growth of kernels that do not grow."""

NOTABLE_SHARE = 0.01
"""Constant kernels with at least this share are shown. Under weak scaling, they are the most expensive."""

RUNS_KEPT = 24
"""Limit on the runs × metrics in a web process. A run with 2,000 kernels takes about 4 MB."""

ROWS_KEPT = 200_000
"""Limit on the kernels of all runs in memory, each 2 KB. Two of the largest campaigns fit."""

ROWS_AT_ONCE = 5_000
"""Number of rows that are read from the database at a time."""

NUMBERS_AT_ONCE = 200_000
"""Limit on the kernels × points × parameters of one computation, because of temporary arrays."""

POSTERIORS_KEPT = 12
"""Limit on the kernels whose posteriors are cached with the rows, some kilobytes each."""

MOST_WEIGHED = 5_000
"""Limit on the kernels with posteriors for another target. They take a second or two."""

PACKED = ("posterior", "segment_posteriors")
"""The columns of a model's posteriors."""

DERIVED_KEPT = 12
"""Limit on the cached objects derived from one run's rows, at most 2 MB for 2,000 kernels."""

DERIVED_ROWS_KEPT = 200_000
"""Limit on the sum of kernels over these objects, each 1 KB. The latest object is always kept."""


class ModelRow(NamedTuple):
    """The columns of `modeling.models.Model` that overviews need, for one kernel."""

    kernel_id: int
    path: str
    status: str
    points_used: int
    growth: str
    constant: float | None
    coefficients: list[float]
    exponents: list[float]
    covariance: list[float]
    degrees_of_freedom: int
    smape: float | None
    relative_error: float | None
    r_squared: float | None
    rss: float | None
    cv_smape: float | None
    holdout_error: float | None
    stability: float | None
    noise: float | None
    counts_to_total: bool
    largest: float | None
    predicted: float | None
    lower: float | None
    upper: float | None
    region: dict[str, Any] | None
    segments: dict[str, Any] | None
    lead_certainty: list[float] | None
    name: str = ""
    """The last function of the path, with the callers that make it unique within the run."""

    @property
    def kernel(self) -> Kernel:
        """Return the kernel, with only its path."""
        return Kernel(pk=self.kernel_id, path=self.path)


@dataclass(frozen=True)
class RunRows:
    """A run's models of one metric, with cached objects that are derived from them."""

    run_id: int
    rows: list[ModelRow]
    campaign: Campaign
    found: QuerySet[Model]
    shared: SharedDeviation

    @cached_property
    def derived(self) -> Kept[Any]:
        """Return the cache of objects derived from the rows."""
        return Kept(max(1, min(DERIVED_KEPT, DERIVED_ROWS_KEPT // max(len(self.rows), 1))))

    @cached_property
    def models(self) -> Models:
        """Return the engine's models without posteriors, which predict by formulas."""
        # the rows have all attributes of `Model` that `formulas_load` reads
        return arrays.formulas_load(cast("list[Model]", self.rows), self.campaign)

    @property
    def posteriors(self) -> QuerySet[Model]:
        """Return the query of the `MOST_WEIGHED` largest models, which are predicted by posteriors."""
        return self.found.filter(kernel_id__in=self.kernels[self._heaviest(MOST_WEIGHED)].tolist())

    def predictions(
        self, points: Sequence[arrays.FloatArray], packed: Iterator[tuple[Any, ...]]
    ) -> list[arrays.FloatArray]:
        """Return predictions with intervals at each point, (3, kernels); NaN without one.

        The posteriors are taken from `packed`. All other kernels are predicted by formulas.
        """
        count, step = len(self.rows), kernels_at_once(self.campaign)
        found = [np.full((3, count), np.nan) for _ in points]
        if count > MOST_WEIGHED:
            for some in _split(np.arange(count), MOST_WEIGHED):
                for columns, point in zip(found, points, strict=True):
                    columns[:, some] = arrays.predictions(self.models.part(some), point)
        for some, weighed in self._weighed_in_portions(self._heaviest(MOST_WEIGHED), step, packed):
            for columns, point in zip(found, points, strict=True):
                columns[:, some] = arrays.predictions(weighed, point)
        return found

    def _weighed_in_portions(
        self, some: NDArray[np.int64], step: int, packed: Iterator[tuple[Any, ...]]
    ) -> Iterator[tuple[NDArray[np.int64], Models]]:
        """Yield indices of rows and their models with posteriors, `step` rows at a time.

        The posteriors of `heaviest` are cached, if they are among these rows.
        """
        kept = set(self.heaviest.tolist())
        heaviest = []
        for portion in _split(some, step):
            of_portion = list(islice(packed, len(portion)))
            heaviest += [each for at, each in zip(portion.tolist(), of_portion, strict=True) if at in kept]
            yield portion, arrays.with_posteriors(self.models.part(portion), of_portion)
        if len(heaviest) == len(kept):
            self.__dict__["heaviest_weighed"] = arrays.with_posteriors(
                self.models.part(self.heaviest), heaviest
            )

    def curves(self, points: arrays.FloatArray) -> arrays.FloatArray:
        """Return the values of formulas, (kernels, points); NaN without a law."""
        curves = np.empty((len(self.rows), len(points)))
        step = max(1, NUMBERS_AT_ONCE // max(len(points) * len(self.campaign.parameters), 1))
        for some in _split(np.arange(len(curves)), step):
            curves[some] = self.models.part(some).predict(points)
        return curves

    def weighed(self, some: NDArray[np.int64]) -> Models:
        """Return the models of some rows, with their posteriors."""
        found = self.found.filter(kernel_id__in=self.kernels[some].tolist())
        return arrays.with_posteriors(self.models.part(some), list(found.values_list(*PACKED)))

    @cached_property
    def heaviest(self) -> NDArray[np.int64]:
        """Return the indices of the `POSTERIORS_KEPT` largest kernels, by measured or predicted share."""
        return self._heaviest(POSTERIORS_KEPT)

    def _heaviest(self, count: int) -> NDArray[np.int64]:
        costs = np.array([(row.largest or 0.0, row.predicted or 0.0) for row in self.rows]).reshape(-1, 2)
        share = (costs / np.maximum(costs.sum(axis=0), np.finfo(float).tiny)).max(axis=1)
        return np.sort(np.argsort(-share, kind="stable")[:count])

    @cached_property
    def heaviest_weighed(self) -> Models:
        """Return the models of the kernels `heaviest`, with their posteriors."""
        return self.weighed(self.heaviest)

    @cached_property
    def kernels(self) -> NDArray[np.int64]:
        """Return the ids of the kernels, ascending."""
        return np.array([row.kernel_id for row in self.rows], np.int64)

    @cached_property
    def places(self) -> dict[int, int]:
        """Return the index of the row of each kernel's id."""
        return {row.kernel_id: at for at, row in enumerate(self.rows)}


def _split(numbers: NDArray[np.int64], size: int) -> list[NDArray[np.int64]]:
    return np.split(numbers, range(size, len(numbers), size)) if len(numbers) else []


def predictions_of_runs(
    asked: Sequence[tuple[RunRows, Sequence[arrays.FloatArray]]],
) -> list[list[arrays.FloatArray]]:
    """Return the predictions of several runs, each at its own points. One query reads all posteriors."""
    wanted = {at: loaded for at, (loaded, points) in enumerate(asked) if points and loaded.rows}
    made: list[list[arrays.FloatArray]] = [[np.full((3, 0), np.nan) for _ in points] for _, points in asked]
    if not wanted:
        return made
    found = reduce(or_, [loaded.posteriors for loaded in wanted.values()])
    step = min(kernels_at_once(loaded.campaign) for loaded in wanted.values())
    packed = found.values_list(*PACKED).iterator(step)
    # The query is ordered by the runs' ids.
    for at in sorted(wanted, key=lambda at: wanted[at].run_id):
        made[at] = wanted[at].predictions(asked[at][1], packed)
    return made


_runs: Kept[RunRows] = Kept(RUNS_KEPT, ROWS_KEPT, lambda loaded: len(loaded.rows))


def rows_load(run: ModelRun, metric: Metric) -> RunRows:
    """Return a run's models of one metric. They are cached, so callers must not change them."""
    return rows_of_runs([run], metric)[0]


def rows_of_runs(runs: Sequence[ModelRun], metric: Metric) -> list[RunRows]:
    """Return the models of several runs in one metric. Those that are not cached are read in one query."""
    missing = [run for run in runs if run.state in UNFINISHED or _key(run, metric) not in _runs]
    read = _rows_read(missing, metric)
    return [_kept(run, metric, read.get(run.pk)) for run in runs]


def _kept(run: ModelRun, metric: Metric, read: RunRows | None) -> RunRows:
    """Return the models of a run from the cache, or those just `read`, which it then keeps."""
    if read is not None and run.state in UNFINISHED:
        return read
    return _runs.get(_key(run, metric), lambda: read or _rows_read([run], metric)[run.pk])


def _key(run: ModelRun, metric: Metric) -> Hashable:
    target = tuple(sorted(run.target.items()))
    return run.pk, metric.pk, adds_up(metric), run.finished_at, run.judged, target


def _rows_read(runs: Sequence[ModelRun], metric: Metric) -> dict[int, RunRows]:
    """Read the models of runs, by the runs' ids."""
    columns = ["kernel__path" if name == "path" else name for name in ModelRow._fields if name != "name"]
    found = Model.objects.filter(run__in=runs, metric=metric).order_by("run_id", "kernel_id")
    read: dict[int, list[ModelRow]] = {run.pk: [] for run in runs}
    for number, rows in groupby(found.values_list("run_id", *columns).iterator(ROWS_AT_ONCE), itemgetter(0)):
        read[number] = [ModelRow(*row[1:]) for row in rows]
    return {run.pk: _rows_of(run, metric, read[run.pk]) for run in runs}


def _rows_of(run: ModelRun, metric: Metric, rows: list[ModelRow]) -> RunRows:
    names = shortest_tails([row.path for row in rows])
    rows = [row._replace(name=name) for row, name in zip(rows, names, strict=True)]
    if not adds_up(metric) and sum(row.counts_to_total for row in rows) > 1:
        rows = [row._replace(counts_to_total=False) for row in rows]
    shared = SharedDeviation.from_json(run.shared.get(str(metric.pk)))
    found = Model.objects.filter(run=run, metric=metric).order_by("run_id", "kernel_id")
    return RunRows(run.pk, rows, run.campaign, found, shared)
