"""The memory that runs need, predicted from a metric of memory."""

import re
from collections.abc import Sequence

import numpy as np

from ingest.formats.campaign.units import bytes_in
from ingest.models import Metric
from modeling.engine import FloatArray
from modeling.models import ModelRun
from modeling.selectors.run.snapshot_loading import snapshot_load

GIGABYTE = 1e9
_NAMES = re.compile(r"(^|[^a-z])(memory|mem|rss|vmhwm|hwm|heap|footprint|maxrss)($|[^a-z])")


def metric_of_memory(metrics: Sequence[Metric]) -> Metric | None:
    """Return the metric of the memory of an execution; None if there is none."""
    return next(
        (
            metric
            for metric in metrics
            if bytes_in(metric.unit) and metric.lower_is_better and _NAMES.search(metric.name.lower())
        ),
        None,
    )


def memory_predicted(run: ModelRun, metric: Metric, points: FloatArray) -> FloatArray:
    """Return the bytes that an execution needs at each point: those of the kernel that needs the most."""
    with np.errstate(invalid="ignore"):
        curves = np.nan_to_num(snapshot_load(run, metric).curves(points))
    return np.asarray(curves.max(axis=0) * (bytes_in(metric.unit) or 1.0))
