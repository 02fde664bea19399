"""Scaling models of whole campaigns, as arrays: plain NumPy and SciPy, nothing of the portal.

>>> models = fit(points, values)            # points (P, m), values (K, P, R), NaN = missing
>>> models.expressions(("p", "n"))          # one formula per kernel
"""

from modeling.engine.comparison import Changes, compare, compare_common
from modeling.engine.evidence.pooling import Common
from modeling.engine.fitting import DEFAULT_MODELER, MODELERS, fit, holdout_error, portion_kernels
from modeling.engine.models import Models
from modeling.engine.portions import leading_kernels
from modeling.engine.repetitions import Noise, noise

ENGINE_VERSION = "2.7"
"""Raised whenever the same data may give another model, so that stored runs tell what made them."""

__all__ = [
    "DEFAULT_MODELER",
    "ENGINE_VERSION",
    "MODELERS",
    "Changes",
    "Common",
    "Models",
    "Noise",
    "compare",
    "compare_common",
    "fit",
    "holdout_error",
    "leading_kernels",
    "noise",
    "portion_kernels",
]
