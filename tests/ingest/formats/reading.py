"""Helpers of the tests of several formats."""

import numpy as np
from hypothesis import strategies as st

from ingest.formats import Campaign

VALUES = st.just(0.0) | st.floats(1e-60, 1e60)
"""Values of all sizes that formats read."""


def as_written(campaign: Campaign) -> dict[tuple[str, str], dict[float, list[float]]]:
    """Kernel and metric → value of the only parameter → repetitions, missing ones left out."""
    (coordinates,) = campaign.points.T
    return {
        key: {
            float(p): row[~np.isnan(row)].tolist()
            for p, row in zip(coordinates, table, strict=True)
            if not np.isnan(row).all()
        }
        for key, table in campaign.series.items()
    }
