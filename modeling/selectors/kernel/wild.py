"""The measured points that a kernel's law leaves out, because they are far from their neighbours (wild)."""

import numpy as np

from ingest.models import Campaign
from modeling.engine import DEFAULT_MODELER, wild_ratios
from modeling.storage import arrays


def wild_of(campaign: Campaign, values: arrays.FloatArray, modeler: str) -> arrays.FloatArray:
    """Return each wild value divided by what its neighbours suggest; NaN for other values and modelers."""
    if modeler != DEFAULT_MODELER:
        return np.full(len(values), np.nan)
    ratios: arrays.FloatArray = wild_ratios(np.array(campaign.points, dtype=float), values[None])[0]
    return ratios
