"""The jobs, nodes and days of repetitions, and the noise due to differences between them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ingest.formats.campaign.origins import UNKNOWN, Origin, Origins
from ingest.models import Campaign
from ingest.selectors import origins_of
from modeling.engine import FloatArray, NoiseSource
from modeling.engine.design.scatter import scatter


def noise_sources(campaign: Campaign, values: FloatArray) -> tuple[NoiseSource, ...]:
    """Return the parts of a kernel's noise, largest first; empty if no point has several origins."""
    told = origins_of(campaign)
    if told is None:
        return ()
    known: dict[Origin, int] = {}
    numbers = origins_numbered(told, values[None], known)
    return scatter(values[None], groups_shared(tuple(known), numbers)).sources()


def groups_shared(known: Sequence[Origin], numbers: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    """Return the labels of each repetition's day, node and job, negative if not known.

    `numbers` are the indices of the repetitions' origins in `known`. The result is empty if all repetitions
    share day, node and job.
    """
    told = {kind: _labels(known, numbers, kind) for kind in ("day", "node", "job")}
    several = any(len(np.unique(labels[labels >= 0])) > 1 for labels in told.values())
    return {kind: labels for kind, labels in told.items() if several and (labels >= 0).any()}


def _labels(known: Sequence[Origin], numbers: NDArray[np.int64], kind: str) -> NDArray[np.int64]:
    names = [getattr(origin, kind) for origin in known]
    label = {name: number for number, name in enumerate(filter(None, dict.fromkeys(names)))}
    table = np.array([*(label.get(name, UNKNOWN) for name in names), UNKNOWN])
    return np.asarray(table[numbers])


def origins_numbered(origins: Origins, values: FloatArray, known: dict[Origin, int]) -> NDArray[np.int64]:
    """Return the index of each repetition's origin in `known`, and add new origins to `known`."""
    numbers = np.array([*(known.setdefault(origin, len(known)) for origin in origins.known), UNKNOWN])
    counts = np.isfinite(values).sum(axis=2)
    labels: NDArray[np.int64] = np.full(values.shape, UNKNOWN)
    if origins.labels.shape[0] != values.shape[1]:
        return labels  # the campaign has grown since its points were read
    width = min(values.shape[2], origins.labels.shape[1])
    for kernel, own in enumerate(counts):
        found = origins.of_series(own)[:, :width]
        labels[kernel, :, :width] = numbers[np.where(found >= 0, found, -1)]
    return labels
