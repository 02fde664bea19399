"""Load the models of runs with their predictions at targets, for as many runs and targets as needed at once.

A snapshot comes from the cache, from stored predictions, or from the posteriors, which take longest to read.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ingest.models import Metric
from modeling.models import ModelRun
from modeling.selectors.run.rows import RunRows, predictions_of_runs, rows_of_runs
from modeling.selectors.run.snapshot import FloatArray, Snapshot
from modeling.selectors.run.targets import target_point


def runs_load(run_ids: Iterable[int]) -> dict[int, ModelRun]:
    """Return model runs with their campaigns, by the runs' ids."""
    rows = ModelRun.objects.select_related("campaign__version__application").filter(pk__in=list(run_ids))
    return {row.pk: row for row in rows}


def snapshot_load(run: ModelRun, metric: Metric, target: Mapping[str, float] | None = None) -> Snapshot:
    """Return a run's models of one metric at a target, by default that of the stored predictions."""
    (found,) = snapshots_load(run, metric, [run.target if target is None else target])
    return found


def snapshots_load(
    run: ModelRun, metric: Metric, targets: Sequence[Mapping[str, float]]
) -> tuple[Snapshot, ...]:
    """Return a run's models at several targets, with one reading of the posteriors."""
    return snapshots_of_runs([run], metric, targets)[0]


def snapshots_of_runs(
    runs: Sequence[ModelRun], metric: Metric, targets: Sequence[Mapping[str, float]]
) -> list[tuple[Snapshot, ...]]:
    """Return the models of several runs at targets, with one reading of rows and one of posteriors."""
    loaded = rows_of_runs(runs, metric)
    points = [[target_point(target, run.campaign) for target in targets] for run in runs]
    missing = [_missing(*each) for each in zip(runs, loaded, points, strict=True)]
    made = predictions_of_runs(list(zip(loaded, missing, strict=True)))
    found = []
    for run, rows, wanted, new, columns in zip(runs, loaded, points, missing, made, strict=True):
        known = dict(zip(map(_key, new), columns, strict=True))
        found.append(tuple(_snapshot(run, rows, point, known) for point in wanted))
    return found


def _missing(run: ModelRun, rows: RunRows, points: Sequence[FloatArray]) -> list[FloatArray]:
    """Return the points whose predictions are neither stored nor cached, each once."""
    stored = _key(target_point(run.target, run.campaign))
    keys = {_key(point): point for point in points}
    return [point for key, point in keys.items() if key != stored and key not in rows.derived]


def _snapshot(
    run: ModelRun, rows: RunRows, point: FloatArray, known: Mapping[tuple[object, ...], FloatArray]
) -> Snapshot:
    """Return a snapshot from the cache, the stored predictions, or `known`, the predictions just made."""

    def make() -> Snapshot:
        if _key(point) == _key(target_point(run.target, run.campaign)):
            return _stored(rows, point)
        if _key(point) in known:
            return Snapshot(rows, point, *known[_key(point)])
        ((columns,),) = predictions_of_runs([(rows, [point])])  # the cache had no room for it
        return Snapshot(rows, point, *columns)

    made: Snapshot = rows.derived.get(_key(point), make)
    return made


def _key(point: FloatArray) -> tuple[object, ...]:
    return ("snapshot", *point.tolist())


def _stored(loaded: RunRows, point: FloatArray) -> Snapshot:
    columns = ([getattr(row, name) for row in loaded.rows] for name in ("predicted", "lower", "upper"))
    return Snapshot(loaded, point, *(np.array(column, float) for column in columns))
