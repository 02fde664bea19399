"""A run is planned into portions: some kernels of one metric each, as many as a worker models in one go."""

import logging

import numpy as np
from django.db import DatabaseError
from numpy.typing import NDArray

from ingest.models import Kernel, Metric
from modeling import arrays
from modeling.engine import leading_kernels, portion_kernels
from modeling.models import ModelRun, Portion
from modeling.services.bisection import reason_of
from modeling.services.failures import noted
from modeling.totals import counts_to_total

LOG = logging.getLogger(__name__)

IN_ONE_GO = 0.25
"""Portions that a run may be worth for being modelled where it is planned, without asking other workers."""

SIDE_BY_SIDE = 4
"""Portions that a metric is split into at least, so that several workers have some of it;"""

WORTH_ONE = 100
"""but none of fewer kernels."""


def planned(run: ModelRun) -> tuple[list[Portion], bool]:
    """The run's portions, not stored yet, and whether they are worth being shared out."""
    portions: list[Portion] = []
    worth = 0.0
    for metric_id in arrays.metrics_of(run.campaign):
        kernels, repetitions = arrays.series_sizes(run.campaign, metric_id)
        points, parameters = len(run.campaign.points), len(run.campaign.parameters)
        size = portion_kernels(points, parameters, int(repetitions.max()), modeler=run.modeler)
        portions += _of_metric(run, metric_id, kernels, size)
        worth += len(kernels) / size
    return portions, worth > IN_ONE_GO


def _of_metric(run: ModelRun, metric_id: int, kernels: NDArray[np.int64], size: int) -> list[Portion]:
    """Portions of a metric: a sample of its kernels that leads, and all others in their order."""
    in_total = _in_total(run, metric_id, kernels)
    first = leading_kernels(len(kernels), size)
    others = np.delete(np.arange(len(kernels)), first)
    share = max(WORTH_ONE, -(-len(others) // SIDE_BY_SIDE))
    step = min(size, share)
    parts = [first, *(others[start : start + step] for start in range(0, len(others), step))]
    return [
        Portion(
            run=run, metric_id=metric_id, leads=not number, kernels=kernels[part].tolist(),
            in_total=in_total[part].tolist(),
            state=Portion.State.HELD if number else Portion.State.QUEUED,
        )
        for number, part in enumerate(parts)
    ]  # fmt: skip


def _in_total(run: ModelRun, metric_id: int, kernels: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of the kernels make up the program's total; none where that cannot be told."""
    metric = Metric.objects.get(pk=metric_id)
    try:
        measured, medians = arrays.series_medians(run.campaign, metric_id)
        paths = dict(Kernel.objects.filter(pk__in=measured.tolist()).values_list("pk", "path"))
        ordered = [paths[kernel] for kernel in measured.tolist()]
        return counts_to_total(ordered, medians, metric.inclusive)
    except DatabaseError:
        raise
    except Exception as error:  # any: it costs this metric's total, and no model
        LOG.exception("Metric %s of run %s could not be added up.", metric_id, run.pk)
        run.failures = noted(
            run.failures, metric=metric.name, kernels=0, what="added up to a total", reason=reason_of(error)
        )
        return np.zeros(len(kernels), bool)
