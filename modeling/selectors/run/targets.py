"""The configuration at which a campaign's models predict by default."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ingest.models import Campaign, Target


def target_values(campaign: Campaign) -> dict[str, float]:
    """Return the application's default target; without one, the largest measured values."""
    target = Target.objects.filter(application=campaign.version.application).first()
    if target:
        return dict(target.values)
    return dict(zip(campaign.parameters, np.max(campaign.points, axis=0).tolist(), strict=True))


def target_named(values: Mapping[str, float], campaign: Campaign) -> dict[str, float]:
    """Return the values of the campaign's parameters at a target."""
    return dict(zip(campaign.parameters, target_point(values, campaign).tolist(), strict=True))


def target_point(values: Mapping[str, float], campaign: Campaign) -> NDArray[np.float64]:
    """Return a target as a point. Missing parameters have their largest measured value."""
    most = np.max(campaign.points, axis=0)
    return np.array(
        [values.get(name, high) for name, high in zip(campaign.parameters, most, strict=True)], float
    )
