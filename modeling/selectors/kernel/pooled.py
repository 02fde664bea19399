"""Pooled laws: one law for several versions between which a kernel did not change."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ingest.models import Metric, Series
from modeling.engine import FloatArray, PooledLaw, pooled_law
from modeling.selectors.kernel.kernel import KernelVersion
from modeling.storage import arrays
from modeling.storage.columns import Sent, array_of
from modeling.verdicts import Verdict

MOST = 24
"""Limit on the pooled versions of a stretch, the latest ones. Each takes some kilobytes."""


@dataclass(frozen=True)
class Stretch:
    """Consecutive versions between which the kernel did not change, and their common law."""

    steps: tuple[KernelVersion, ...]
    parameters: tuple[str, ...]
    law: PooledLaw

    @property
    def label(self) -> str:
        """Return the labels of the first and the last version in words."""
        return f"{self.steps[0].standing.label} to {self.steps[-1].standing.label}"


class _Measured(NamedTuple):
    """A kernel's medians at a campaign's points."""

    points: FloatArray
    medians: FloatArray


def stretches(kernels: Collection[int], metric: Metric, steps: Sequence[KernelVersion]) -> list[Stretch]:
    """Return the stretches of at least two versions, oldest first, with one query."""
    groups = [group[-MOST:] for group in _unchanged(steps) if len(group) > 1]
    if not groups:
        return []
    measured = _measured(kernels, metric, [step for group in groups for step in group])
    found = (_pooled(group, measured) for group in groups)
    return [stretch for stretch in found if stretch is not None]


def _unchanged(steps: Sequence[KernelVersion]) -> list[list[KernelVersion]]:
    """Return groups of consecutive versions with a law, unchanged inside each group."""
    groups: list[list[KernelVersion]] = []
    for step in steps:
        if not _is_plain(step):
            groups.append([])
        elif groups and groups[-1] and _goes_on(groups[-1][-1], step):
            groups[-1].append(step)
        else:
            groups.append([step])
    return groups


def _is_plain(step: KernelVersion) -> bool:
    """Return whether the version has a single law over the whole measured range."""
    model = step.model
    return model is not None and model.constant is not None and not model.segments


def _goes_on(before: KernelVersion, step: KernelVersion) -> bool:
    return step.verdict is Verdict.SAME and _parameters(before) == _parameters(step)


def _parameters(step: KernelVersion) -> tuple[str, ...]:
    return tuple(step.model.parameters)  # type: ignore[union-attr]  # annotated by `steps`


def _measured(
    kernels: Collection[int], metric: Metric, steps: Sequence[KernelVersion]
) -> dict[int, _Measured]:
    rows = Series.objects.filter(
        kernel__in=kernels, metric=metric, campaign__in=[step.standing.campaign_id for step in steps]
    ).values_list("campaign", "campaign__points", Sent("values"), "repetitions")
    # Most campaigns have the same numbers of points and repetitions. Their medians are computed at once.
    alike: dict[tuple[int, int], list[tuple[int, list[list[float]], FloatArray]]] = defaultdict(list)
    for campaign, points, sent, repetitions in rows:
        values = array_of(sent).reshape(-1, repetitions)
        alike[values.shape].append((campaign, points, values))
    return {
        campaign: _Measured(np.array(points, float), medians)
        for some in alike.values()
        for (campaign, points, _), medians in zip(
            some, arrays.medians_of(np.stack([values for *_, values in some])), strict=True
        )
    }


def _pooled(group: Sequence[KernelVersion], measured: dict[int, _Measured]) -> Stretch | None:
    known = [step for step in group if step.standing.campaign_id in measured]
    if len(known) < 2 or known[-1] is not group[-1]:
        return None
    parameters = _parameters(group[-1])
    data = [measured[step.standing.campaign_id] for step in known]
    if any(len(each.points) != len(each.medians) for each in data):
        return None  # a campaign has grown while it was read
    shapes = [_terms(step.model.exponents, len(parameters)) for step in known if step.model]
    law = pooled_law(shapes, [each.points for each in data], [each.medians for each in data])
    return None if law is None else Stretch(tuple(group), parameters, law)


def _terms(exponents: Sequence[float], parameters: int) -> FloatArray:
    """Return the exponents (terms, parameters, 2) of a stored law, without unused terms."""
    terms = np.array(exponents, float).reshape(-1, parameters, 2)
    return terms[terms.any(axis=(1, 2))]
