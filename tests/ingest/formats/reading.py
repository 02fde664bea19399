"""Helper functions for the tests of several formats."""

import numpy as np
from hypothesis import strategies as st

from ingest.formats import Campaign

VALUES = st.just(0.0) | st.floats(1e-60, 1e60)
"""Values of all magnitudes that formats can read."""


def as_written(campaign: Campaign) -> dict[tuple[str, str], dict[float, list[float]]]:
    """Return, for each kernel and metric, the repetitions at each value of the only parameter.

    Missing repetitions are left out.
    """
    (coordinates,) = campaign.points.T
    return {
        key: {
            float(p): row[~np.isnan(row)].tolist()
            for p, row in zip(coordinates, table, strict=True)
            if not np.isnan(row).all()
        }
        for key, table in campaign.series.items()
    }


def changed(document, key, **fields):
    """Return a JSON document with some fields of the first entry of a list changed."""
    first, *rest = document[key]
    return document | {key: [first | fields, *rest]}
