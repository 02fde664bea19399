"""The laws that the default modeler finds in the demo's measurements."""

from pathlib import Path

import numpy as np

from ingest.formats import parse
from modeling.engine import fit

MEASURED = Path(__file__).parents[2] / "perfweb" / "demo" / "data" / "1.5.jsonl"


def test_deviations_are_not_explained_by_long_laws():
    """`neighbours` grows like n and deviates by some percent. Three terms with any power would follow the
    deviations, and promise 1 % far beyond the data.
    """
    campaign = parse(MEASURED)
    series = [values for (kernel, metric), values in campaign.series.items()
              if kernel.endswith("neighbours") and metric == "time"]  # fmt: skip
    models = fit(campaign.points, np.stack(series), processes=(0,))
    lower, upper = models.interval([[1024.0, 4096.0]])
    assert models.lead_exponents[0, 1].tolist() == [1.0, 0.0]
    assert upper[0, 0] / lower[0, 0] > 1.2
