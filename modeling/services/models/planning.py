"""Divide a run into portions: kernels of one metric that one worker models together."""

import logging

import numpy as np
from django.db import DatabaseError
from numpy.typing import NDArray

from ingest.models import Kernel, Metric
from ingest.selectors import holds_callees
from modeling.engine import ADAPTIVE_MODELER, leading_kernels, portion_kernels
from modeling.models import ModelRun, Portion
from modeling.services.work.bisection import reason_of
from modeling.services.work.failures import noted
from modeling.storage import arrays
from modeling.totals import counts_to_total

LOG = logging.getLogger(__name__)

PORTIONS_IN_ONE_GO = 0.25
"""A run of at most this share of a full portion is modelled by its planning worker, others by all workers."""

PARTS_OF_REST = 4
"""A portion takes at most the remaining kernels divided by this number, so that workers end together."""

FEWEST_KERNELS = 100
"""`PARTS_OF_REST` makes no portion of fewer kernels (of average size), to save loading and storing."""

VALUES_AT_ONCE = 4_000_000
"""Limit on the values that loading a portion needs: kernels × points × largest number of repetitions."""


ROUNDING = 1e-6
"""Tolerance for rounding errors in sums of shares of a portion."""


def planned(run: ModelRun) -> tuple[list[Portion], bool]:
    """Return the run's portions as unsaved rows, and whether other workers should model them."""
    portions: list[Portion] = []
    worth = 0.0
    for metric_id in arrays.metrics_of(run.campaign):
        kernels, repetitions = arrays.series_sizes(run.campaign, metric_id)
        in_total, points = _measured(run, metric_id, kernels)
        shares = _shares(run, points, int(repetitions.max()))
        worth += float(shares.sum())
        most = VALUES_AT_ONCE // (len(run.campaign.points) * int(repetitions.max()))
        portions += [
            Portion(
                run=run, metric_id=metric_id, leads=not number, kernels=kernels[part].tolist(),
                in_total=in_total[part].tolist(),
                state=Portion.State.HELD if number else Portion.State.QUEUED,
            )
            for number, part in enumerate(_parts(shares, max(1, most)))
        ]  # fmt: skip
    return portions, worth > PORTIONS_IN_ONE_GO or run.modeler == ADAPTIVE_MODELER


def _shares(run: ModelRun, points: NDArray[np.int64], repetitions: int) -> NDArray[np.float64]:
    """Return each kernel's share of a full portion, which depends on its number of measured points."""
    counts, which = np.unique(points, return_inverse=True)
    parameters = len(run.campaign.parameters)
    sizes = [
        portion_kernels(max(count, 1), parameters, repetitions, modeler=run.modeler)
        for count in counts.tolist()
    ]
    return np.asarray(1 / np.array(sizes, float)[which])


def _parts(shares: NDArray[np.float64], most: int) -> list[NDArray[np.intp]]:
    """Return the kernels of each portion. The first one is a sample that finds the shared properties."""
    first = leading_kernels(len(shares), min(most, int(1 / shares.max())))
    others = np.delete(np.arange(len(shares)), first)
    if not len(others):
        return [first]
    together = np.split(others, _ends(shares[others]))
    return [first, *(part for each in together for part in np.split(each, range(most, len(each), most)))]


def _ends(shares: NDArray[np.float64]) -> list[int]:
    """Return where portions end, without the last end. The largest portions come first."""
    after = np.cumsum(shares)
    worth, ends = FEWEST_KERNELS * float(shares.mean()), [0]
    while ends[-1] < len(shares):
        begin = after[ends[-1]] - shares[ends[-1]]
        size = min(1.0, max((after[-1] - begin) / PARTS_OF_REST, worth))
        end = int(np.searchsorted(after, begin + size + ROUNDING, side="right"))
        ends.append(max(end, ends[-1] + 1))
    return ends[1:-1]


def _measured(
    run: ModelRun, metric_id: int, kernels: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return which kernels make up the program's total, and the number of points of each.

    If this fails, no kernel counts to the total, and each is assumed to have all points.
    """
    metric = Metric.objects.get(pk=metric_id)
    inclusive = holds_callees(run.campaign) if metric.inclusive is None else metric.inclusive
    try:
        measured, medians = arrays.series_medians(run.campaign, metric_id)
        paths = dict(Kernel.objects.filter(pk__in=measured.tolist()).values_list("pk", "path"))
        ordered = [paths[kernel] for kernel in measured.tolist()]
        counted = counts_to_total(ordered, medians, inclusive, metric.name)
        return counted, np.isfinite(medians).sum(axis=1)
    except DatabaseError:
        raise
    except Exception as error:  # any failure affects only this metric's total, and no model
        LOG.exception("Metric %s of run %s could not be added up.", metric_id, run.pk)
        run.failures = noted(
            run.failures, metric=metric.name, kernels=0, what="added up to a total", reason=reason_of(error)
        )
        return np.zeros(len(kernels), bool), np.full(len(kernels), len(run.campaign.points))
