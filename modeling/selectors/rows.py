"""Stored models as plain rows: a page about thousands of kernels has no time for as many Django objects."""

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from threading import Lock
from typing import NamedTuple, cast

from ingest.models import PATH_SEPARATOR, Campaign, Kernel, Metric
from modeling import arrays
from modeling.engine import Models
from modeling.models import UNFINISHED, Model, ModelRun


class ModelRow(NamedTuple):
    """What `modeling.models.Model` holds of one kernel, as far as overviews need it."""

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
    noise: float | None
    counts_to_total: bool
    largest: float | None
    predicted: float | None
    lower: float | None
    upper: float | None

    @property
    def name(self) -> str:
        """The last function of the path."""
        return self.path.rpartition(PATH_SEPARATOR)[2]

    @property
    def kernel(self) -> Kernel:
        """The kernel, with no more than its path."""
        return Kernel(pk=self.kernel_id, path=self.path)


@dataclass(frozen=True)
class RunRows:
    """A run's models of one metric, by kernel, and the engine's models of the same kernels."""

    rows: list[ModelRow]
    campaign: Campaign

    @cached_property
    def models(self) -> Models:
        """The engine's models again."""
        # Rows have the attributes of `Model` that are read there.
        return arrays.models_load(cast("list[Model]", self.rows), self.campaign)


def rows_load(run: ModelRun, metric: Metric) -> RunRows:
    """A run's models of one metric; read-only, as pages share them.

    What a finished run has stored changes only with its target, so the latest runs stay in memory.
    """
    if run.state in UNFINISHED:
        return _rows_read(run, metric)
    key = run.pk, metric.pk, run.finished_at, tuple(sorted(run.target.items()))
    with _kept_lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    found = _rows_read(run, metric)
    with _kept_lock:
        _kept[key] = found
        if len(_kept) > RUNS_KEPT:
            _kept.popitem(last=False)
    return found


RUNS_KEPT = 24
"""Runs × metrics in the memory of a web process; one of 2,000 kernels takes about 5 MB."""

_kept: "OrderedDict[object, RunRows]" = OrderedDict()
_kept_lock = Lock()


def _rows_read(run: ModelRun, metric: Metric) -> RunRows:
    columns = ["kernel__path" if name == "path" else name for name in ModelRow._fields]
    found = Model.objects.filter(run=run, metric=metric).order_by("kernel_id")
    return RunRows(list(starmap(ModelRow, found.values_list(*columns))), run.campaign)
