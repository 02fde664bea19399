"""Learn from earlier campaigns how much unchanged kernels usually differ between two campaigns (drift)."""

import numpy as np
from numpy.typing import NDArray

from ingest.models import Campaign
from modeling.engine import UsualDrift, usual_drift
from modeling.models import Alert, Comparison
from modeling.selectors.versions.aliases import aliases_of, compared_as
from modeling.selectors.versions.earlier import drift_campaigns
from modeling.storage import arrays

KERNELS = 500
"""Limit on the kernels from which drift is learned."""


def earlier_drift(comparison: Comparison, metric_id: int, kernels: NDArray[np.int64]) -> UsualDrift | None:
    """Return the usual drift between earlier campaigns on the comparison's machine; None if it is not known.

    Campaigns of the same version differ only by drift. Between two versions, a kernel is known to differ only
    by drift if a user marked its alert as noise.

    Args:
        kernels: (kernels,) ids under which kernels are compared.
    """
    campaigns = drift_campaigns(comparison)
    if len(campaigns) < 2:
        return None
    some = kernels[np.linspace(0, len(kernels) - 1, min(len(kernels), KERNELS)).astype(int)]
    both = {tuple(point) for point in comparison.before.points}
    points = [tuple(point) for point in comparison.after.points if tuple(point) in both]
    aliases = aliases_of(comparison.application_id)
    values = [_values(campaign, metric_id, some, points, aliases) for campaign in campaigns]
    return usual_drift(values, _unchanged(campaigns, metric_id, some, aliases))


def _values(
    campaign: Campaign,
    metric_id: int,
    kernels: NDArray[np.int64],
    points: list[tuple[float, ...]],
    aliases: dict[int, int],
) -> arrays.FloatArray:
    """Return values (kernels, points, repetitions), NaN where the campaign has none."""
    own, _ = arrays.series_sizes(campaign, metric_id)
    _, rows, places = np.intersect1d(compared_as(own, aliases), kernels, return_indices=True)
    series = arrays.series_load(campaign, metric_id, own[rows].tolist())
    places = places[np.argsort(own[rows])]  # series are in the order of the campaign's own ids
    at = {tuple(point): place for place, point in enumerate(series.points.tolist())}
    values = np.full((len(kernels), len(points), max(series.values.shape[2], 1)), np.nan)
    for place, point in enumerate(points):
        if point in at and len(places):
            values[places, place] = series.values[:, at[point]]
    return values


def _unchanged(
    campaigns: list[Campaign], metric_id: int, kernels: NDArray[np.int64], aliases: dict[int, int]
) -> NDArray[np.bool_]:
    """Return whether each kernel is unchanged between neighbouring campaigns, (campaigns − 1, kernels)."""
    versions = np.array([campaign.version_id for campaign in campaigns])
    unchanged = np.repeat((versions[1:] == versions[:-1])[:, None], len(kernels), axis=1)
    noise = Alert.objects.filter(
        version__in=versions[1:].tolist(), machine=campaigns[-1].machine_id, metric=metric_id,
        state=Alert.State.NOISE, cause=Alert.Cause.CHANGE,
    ).values_list("version_id", "kernel_id")  # fmt: skip
    for version, kernel in noise:
        unchanged[np.ix_(versions[1:] == version, kernels == aliases.get(kernel, kernel))] = True
    return unchanged
