"""The configuration that a campaign's models are asked about."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ingest.models import Campaign, Target


def target_values(campaign: Campaign) -> dict[str, float]:
    """The values of the application's default target, or the largest point where it has none."""
    target = Target.objects.filter(application=campaign.version.application).first()
    if target:
        return dict(target.values)
    return dict(zip(campaign.parameters, np.max(campaign.points, axis=0).tolist(), strict=True))


def target_point(values: Mapping[str, float], campaign: Campaign) -> NDArray[np.float64]:
    """A target as a point of the campaign, (m,); what it leaves open is as large as was measured."""
    most = np.max(campaign.points, axis=0)
    return np.array(
        [values.get(name, high) for name, high in zip(campaign.parameters, most, strict=True)], float
    )
