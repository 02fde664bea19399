"""The measured points that a kernel's law leaves out because their values are wild (far from their
neighbours).
"""

import numpy as np

from ingest.models import Campaign
from modeling.engine import DEFAULT_MODELER, wild_ratios
from modeling.storage import arrays


def wild_of(campaign: Campaign, values: arrays.FloatArray, modeler: str) -> arrays.FloatArray:
    """Return the ratios of a kernel's wild values to the values that their neighbours suggest, (P,).

    They are NaN where the values (P, R) are not wild, and for all modelers but the default one, which alone
    leaves wild values out.
    """
    if modeler != DEFAULT_MODELER:
        return np.full(len(values), np.nan)
    ratios: arrays.FloatArray = wild_ratios(np.array(campaign.points, dtype=float), values[None])[0]
    return ratios
