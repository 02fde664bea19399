"""Compute the numbers of a gate's verdict at a target other than the default one."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from django.db.models import Subquery

from modeling.engine import Ratios, ratio_of_draws
from modeling.models import Change, Model, ModelRun, Shift
from modeling.selectors.gate.facts import MetricFacts
from modeling.selectors.gate.subject import GateSubject
from modeling.selectors.run.snapshot_loading import snapshot_load
from modeling.selectors.run.targets import target_point
from modeling.storage import arrays

Draws = Mapping[int, arrays.FloatArray]
"""Id of a kernel → draws (S,)."""

MOVED = (Change.Kind.LAW, Change.Kind.OVERHEAD)
"""Kinds of changes whose ratio depends on the target."""

LAWS_DRAWN = 200
"""Limit on the kernels with ratios from draws, largest first. Each takes half a millisecond."""


def facts_moved(facts: MetricFacts, subject: GateSubject, target: Mapping[str, float]) -> MetricFacts:
    """Return the facts at another target, with new shares and new ratios of other laws and overheads."""
    before, after = subject.run_before, subject.run
    if before is None or after is None:
        return facts
    values, total = _values(facts, before, target)
    shares = values / total if total and facts.shares is not None else None
    laws = [at for at in np.argsort(-values).tolist() if facts.changes[at].kind in MOVED]
    ids = {facts.changes[at].kernel_id: at for at in laws[:LAWS_DRAWN]}
    old, new, shift = _draws(subject, facts, list(ids), target)
    both = [kernel for kernel in ids if kernel in old and kernel in new]
    if not both:
        return replace(facts, shares=shares)
    moved = ratio_of_draws(
        np.stack([old[kernel] for kernel in both]),
        np.stack([new[kernel] for kernel in both]),
        shift,
    )
    ratios = _replaced(facts.ratios, [ids[kernel] for kernel in both], moved)
    return replace(facts, shares=shares, ratios=ratios)


def _values(
    facts: MetricFacts, run: ModelRun, target: Mapping[str, float]
) -> tuple[arrays.FloatArray, float | None]:
    """Return the previous version's predictions of the changed kernels and of the total at a target."""
    snapshot = snapshot_load(run, facts.metric, target)
    places, predicted = snapshot.loaded.places, np.nan_to_num(snapshot.predicted) * snapshot.counted
    values = [predicted[places[c.kernel_id]] if c.kernel_id in places else 0.0 for c in facts.changes]
    return np.array(values, float), snapshot.predicted_total


def _draws(
    subject: GateSubject, facts: MetricFacts, kernels: Sequence[int], target: Mapping[str, float]
) -> tuple[Draws, Draws, float]:
    """Return draws of kernels at a target, before and after, and the shift, with one query."""
    shift = Shift.objects.filter(comparison=subject.comparison, metric=facts.metric).values("ratio")[:1]
    runs = [run for run in (subject.run_before, subject.run) if run]
    found = Model.objects.filter(
        run__in=runs, metric=facts.metric, kernel__in=kernels, constant__isnull=False
    ).annotate(shift=Subquery(shift))
    rows = {run.pk: [row for row in found if row.run_id == run.pk] for run in runs}
    old, new = (_drawn(rows[run.pk], run, target) for run in runs)
    return old, new, next((row.shift for row in found if row.shift), 1.0)


def _drawn(rows: Sequence[Model], run: ModelRun, target: Mapping[str, float]) -> Draws:
    if not rows:
        return {}
    models = arrays.models_load(rows, run.campaign)
    values = models.draws(target_point(target, run.campaign)[None])[:, :, 0]
    return {row.kernel_id: line for row, line in zip(rows, values, strict=True)}


def _replaced(
    ratios: Ratios,
    places: Sequence[int],
    moved: tuple[arrays.FloatArray, arrays.FloatArray, arrays.FloatArray],
) -> Ratios:
    columns = [each.copy() for each in (ratios.ratio, ratios.lower, ratios.upper)]
    for column, values in zip(columns, moved, strict=True):
        column[list(places)] = values
    return Ratios(ratios.probability, *columns)
