"""Stored models as plain rows: a page about thousands of kernels has no time for as many Django objects."""

from itertools import starmap
from typing import NamedTuple, cast

from ingest.models import PATH_SEPARATOR, Campaign, Kernel, Metric
from modeling import arrays
from modeling.engine import Models
from modeling.models import Model, ModelRun


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


def rows_load(run: ModelRun, metric: Metric) -> list[ModelRow]:
    """A run's models of one metric, by kernel."""
    columns = ["kernel__path" if name == "path" else name for name in ModelRow._fields]
    found = Model.objects.filter(run=run, metric=metric).order_by("kernel_id")
    return list(starmap(ModelRow, found.values_list(*columns)))


def models_of(rows: list[ModelRow], campaign: Campaign) -> Models:
    """The engine's models again."""
    # Rows have the attributes of `Model` that are read there.
    return arrays.models_load(cast("list[Model]", rows), campaign)
