"""Compare a campaign's modelers over all kernels: their errors, and who has the smallest."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.models import Campaign, Kernel, Metric
from modeling.engine import FAILED, MODELERS
from modeling.models import UNFINISHED, Forecast, Model, ModelRun, State

Errors = NDArray[np.float64]

CROSS_VALIDATED, HELD_OUT, FORECAST = "cross-validated", "held out", "forecasts"
KINDS = (CROSS_VALIDATED, HELD_OUT, FORECAST)
"""Kinds of error, the most informative one last."""

KERNELS = 50
"""Limit on the listed kernels, largest measured values first."""


AS_CLOSE = 1.001
"""Errors within this factor count as equal. Errors of equal laws may differ by rounding or weights."""


@dataclass(frozen=True)
class Compared:
    """A modeler's run in the comparison. `methods` is the number of its models by method.

    `median` is the median of each kind of error. `best` is how often this modeler has the smallest error.
    Both use only kernels for which the errors of all runs are known.
    """

    run: ModelRun
    median: Mapping[str, float]
    best: Mapping[str, int]
    methods: Mapping[str, int]

    @property
    def unfinished(self) -> bool:
        """Return whether the run may still be cancelled."""
        return self.run.state in UNFINISHED


@dataclass(frozen=True)
class KernelErrors:
    """The errors of one kernel in each run. `closest` are the indices of the runs with the smallest error."""

    kernel: Kernel
    errors: tuple[float, ...]
    closest: tuple[int, ...]


@dataclass(frozen=True)
class ModelersCompared:
    """All runs of a campaign in one metric.

    `kernels` is the number of kernels with all errors, by kind. `judged_by` is the most informative kind that
    any kernel has. `rows` have errors of this kind of the largest kernels, a column for each run.
    """

    runs: tuple[Compared, ...]
    kernels: Mapping[str, int]
    judged_by: str
    columns: tuple[ModelRun, ...]
    rows: tuple[KernelErrors, ...]


def modelers_compared(campaign: Campaign, metric: Metric | None) -> ModelersCompared:
    """Compare a campaign's runs, the shown one first, with four queries."""
    stored = ModelRun.objects.filter(campaign=campaign)
    runs = sorted(stored, key=lambda run: (not run.shown, _place(run.modeler)))
    done = [run for run in runs if run.state == State.DONE and run.revision == campaign.revision]
    models = _models(done, metric)
    kernels = sorted({row[1] for row in models}, key=lambda kernel: -_largest(models).get(kernel, 0.0))
    errors = {
        CROSS_VALIDATED: _table(done, kernels, {(run, kernel): cv for run, kernel, cv, *_ in models}),
        HELD_OUT: _table(done, kernels, {(run, kernel): held for run, kernel, _, held, *_ in models}),
        FORECAST: _table(done, kernels, _forecasts(done, metric)),
    }
    known = {kind: _known(table) for kind, table in errors.items()}
    judged_by = next((kind for kind in reversed(KINDS) if known[kind].any()), CROSS_VALIDATED)
    methods = Counter((row[0], row[4]) for row in models if row[4])
    return ModelersCompared(
        runs=tuple(_compared(run, done, errors, known, methods) for run in runs),
        kernels={kind: int(rows.sum()) for kind, rows in known.items()},
        judged_by=judged_by,
        columns=tuple(done),
        rows=_rows(kernels[:KERNELS], errors[judged_by]),
    )


Row = tuple[int, int, float | None, float | None, str, float | None]


def _models(runs: Sequence[ModelRun], metric: Metric | None) -> list[Row]:
    """Return all models: run, kernel, cross-validated and held-out error, method, and largest value."""
    rows = Model.objects.filter(run__in=runs, metric=metric).exclude(status=FAILED)
    return list(rows.values_list("run_id", "kernel_id", "cv_smape", "holdout_error", "method", "largest"))


def _largest(models: Sequence[Row]) -> dict[int, float]:
    return {row[1]: row[5] or 0.0 for row in models}


def _forecasts(runs: Sequence[ModelRun], metric: Metric | None) -> dict[tuple[int, int], float | None]:
    """Return the mean error of each run's forecasts of each kernel."""
    rows = Forecast.objects.filter(model__run__in=runs, model__metric=metric)
    found: dict[tuple[int, int], list[float]] = {}
    for run, kernel, error in rows.values_list("model__run_id", "model__kernel_id", "relative_error"):
        found.setdefault((run, kernel), []).append(error)
    return {key: float(np.mean(each)) for key, each in found.items()}


def _table(
    runs: Sequence[ModelRun], kernels: Sequence[int], errors: Mapping[tuple[int, int], float | None]
) -> Errors:
    """Return the errors (kernels, runs), NaN where they are not known."""
    found = [[errors.get((run.pk, kernel)) for run in runs] for kernel in kernels]
    return np.array(found, float).reshape(len(kernels), len(runs))


def _known(table: Errors) -> NDArray[np.bool_]:
    """Return for which kernels the errors of all runs are known, (kernels,)."""
    return np.asarray(np.isfinite(table).all(axis=1) & (table.shape[1] > 0))


def _compared(
    run: ModelRun,
    done: Sequence[ModelRun],
    errors: Mapping[str, Errors],
    known: Mapping[str, NDArray[np.bool_]],
    methods: Mapping[tuple[int, str], int],
) -> Compared:
    median, best = {}, {}
    place = done.index(run) if run in done else None
    for kind, table in errors.items():
        rows = table[known[kind]]
        if place is not None and len(rows):
            median[kind] = float(np.median(rows[:, place]))
            best[kind] = int(_closest(rows)[:, place].sum())
    own = {method: count for (number, method), count in methods.items() if number == run.pk}
    return Compared(run, median, best, dict(sorted(own.items(), key=lambda each: -each[1])))


def _rows(kernels: Sequence[int], errors: Errors) -> tuple[KernelErrors, ...]:
    named = Kernel.objects.in_bulk(kernels)
    return tuple(
        KernelErrors(named[kernel], tuple(row.tolist()), tuple(np.flatnonzero(closest).tolist()))
        for kernel, row, closest in zip(kernels, errors, _closest(errors), strict=False)
    )


def _closest(errors: Errors) -> NDArray[np.bool_]:
    """Return which errors are equal to the smallest one of their kernel."""
    smallest = np.fmin.reduce(errors, axis=1, initial=np.inf)[:, None]
    return np.asarray(errors <= AS_CLOSE * smallest)


def _place(modeler: str) -> int:
    """Return a number by which modelers are ordered. An unknown modeler comes last."""
    return list(MODELERS).index(modeler) if modeler in MODELERS else len(MODELERS)
