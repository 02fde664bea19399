"""Read the measurements of all campaigns of a version on a machine."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.formats.campaign.origins import UNKNOWN, Origin
from ingest.models import Campaign, Metric
from ingest.selectors import origins_of_all
from modeling.engine import FloatArray
from modeling.selectors.run.origins import origins_numbered
from modeling.storage import arrays


@dataclass(frozen=True)
class Joined:
    """Values (kernels, points, repetitions) of several campaigns.

    `campaigns` (points, repetitions) is the index of each repetition's campaign. `origins` has the index of
    each value's job, node and day in `known`, negative if not known.
    """

    points: FloatArray
    values: FloatArray
    campaigns: NDArray[np.int64]
    origins: NDArray[np.int64]
    known: tuple[Origin, ...] = ()


def campaigns_beside(campaign: Campaign) -> list[Campaign]:
    """Return further campaigns of the same version and machine, with the same parameters."""
    rows = Campaign.objects.filter(version=campaign.version_id, machine=campaign.machine_id)
    return list(rows.filter(parameters=campaign.parameters).exclude(pk=campaign.pk).order_by("pk"))


def joined_load(campaigns: Sequence[Campaign], metric: Metric, kernels: Sequence[int]) -> Joined:
    """Return the values of kernels in all of the campaigns, in the order of the kernels' ids."""
    loaded = [arrays.series_load(campaign, metric.pk, kernels) for campaign in campaigns]
    points = np.unique(np.concatenate([series.points for series in loaded]), axis=0)
    width = sum(series.values.shape[2] for series in loaded)
    values = np.full((len(kernels), len(points), width), np.nan)
    numbers = np.zeros((len(points), width), dtype=np.int64)
    labels = np.full(values.shape, UNKNOWN)
    told = origins_of_all(campaigns)
    known: dict[Origin, int] = {}
    begin = 0
    place = {tuple(point): at for at, point in enumerate(points.tolist())}
    for number, series in enumerate(loaded):
        end = begin + series.values.shape[2]
        at = [place[tuple(point)] for point in series.points.tolist()]
        rows = np.searchsorted(np.sort(kernels), series.kernels)
        values[np.ix_(rows, np.array(at), np.arange(begin, end))] = series.values
        numbers[:, begin:end] = number
        if (origins := told.get(campaigns[number].pk)) is not None:
            own = origins_numbered(origins, series.values, known)
            labels[np.ix_(rows, np.array(at), np.arange(begin, end))] = own
        begin = end
    return Joined(points, values, numbers, labels, tuple(known))
