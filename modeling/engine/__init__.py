"""Scaling models of whole campaigns, as arrays.

The package needs NumPy and SciPy only. The adaptive modeler also needs JAX and Optax to train networks.

>>> models = fit(points, values)            # points (P, m), values (K, P, R), NaN = missing
>>> models.expressions(("p", "n"))          # one formula per kernel

These letters give the shapes of arrays in all packages:

    K  kernels; k if only some of the kernels    T  terms of a law, T + 1 with the constant
    P  measured points                           n  coefficients of a law, the constant first
    Q  points that a caller asks for             H  laws (hypotheses) of each kernel, best first
    R  repetitions                               B  laws of all kernels in one array
    m  parameters                                S  draws from a posterior
    X  values of one parameter                   N  other things, which the docstring names

These letters have one meaning in each package:

    changes              C  points that two campaigns have in common, r  directions in which a law may change,
                         J  classes of scatter
    deviations           U  Gaussian processes from which draws take their deviations, M  other points
    modelers.evidence    F  families of noise, L  lines of points, D  sets of directions,
                         V  directions in which a Gaussian process moves points
    modelers.segmented   G  segments, C  cells of values, D  sizes of deviations, L  laws of a range
"""

from modeling.engine.changes.comparison import Changes, compare, compare_common
from modeling.engine.changes.exceedance import Ratios, exceeds, program_ratio, ratio_of_draws
from modeling.engine.changes.pooled import PooledLaw, pooled_law
from modeling.engine.changes.usual_drift import UsualDrift, usual_drift
from modeling.engine.design.deduced.inferred import inferred_terms
from modeling.engine.design.deduced.minimal import full_factorial, plan_minimal
from modeling.engine.design.deduced.profiled import ADDED as PROFILE_ADDED
from modeling.engine.design.deduced.profiled import CONTRADICTED as PROFILE_CONTRADICTED
from modeling.engine.design.deduced.profiled import FOLLOWED as PROFILE_FOLLOWED
from modeling.engine.design.deduced.profiled import PRODUCT as PROFILE_PRODUCT
from modeling.engine.design.deduced.profiled import fit_profiled
from modeling.engine.design.deduced.program import Program, fit_program
from modeling.engine.design.following import plan_next
from modeling.engine.design.goals import GOALS as PLAN_GOALS
from modeling.engine.design.limits import Limits
from modeling.engine.design.plans import NoiseSource, Plan, PlanError
from modeling.engine.fitting import (
    ADAPTIVE_MODELER,
    DEFAULT_MODELER,
    MODELERS,
    fit,
    holdout_error,
    portion_kernels,
)
from modeling.engine.laws.growth import TOWARDS_LIMIT
from modeling.engine.laws.identifiers import identifiers as python_identifiers
from modeling.engine.laws.latex import in_text as latex_text
from modeling.engine.laws.synthetic import grid as synthetic_grid
from modeling.engine.laws.synthetic import measure as synthetic_measurements
from modeling.engine.measured.relations import EXACT, Relations, relations
from modeling.engine.measured.repetitions import Noise, noise
from modeling.engine.measured.warm_up import WarmUp, warm_up
from modeling.engine.measured.wild_points import wild_points, wild_ratios
from modeling.engine.modelers.adaptive.adaptation import extra_installed as networks_adaptable
from modeling.engine.modelers.adaptive.adaptation import keep_in as keep_networks_in
from modeling.engine.modelers.adaptive.modeler import NETWORK as NETWORK_LAW
from modeling.engine.modelers.adaptive.modeler import REGRESSION as REGRESSION_LAW
from modeling.engine.modelers.evidence.hypotheses.classes import points_for_more
from modeling.engine.portions import leading_kernels
from modeling.engine.questions.calibration import (
    FEWEST_SCORES,
    Calibration,
    Scores,
    by_distance,
    calibrate,
    group_begins,
)
from modeling.engine.questions.estimates import INTERVAL_LEVEL, Estimate
from modeling.engine.questions.expected import below_probability, growth_probability
from modeling.engine.questions.identifiability import (
    KNOWN_GROWTH,
    WIDEST_FACTOR,
    Doubt,
    UnknownGrowth,
    WideInterval,
    doubts,
)
from modeling.engine.questions.scaling import HALF_EFFICIENCY, Isoefficiency, Scaling, isoefficiency
from modeling.engine.questions.scaling import scaling as process_scaling
from modeling.engine.questions.trust import GRADES, GUESS, UNKNOWN
from modeling.engine.results.common import Common
from modeling.engine.results.models import FAILED, FEW_VALUES, MISFIT, SEGMENTED, TOO_FEW_VALUES, Models
from modeling.engine.results.posterior import SHAPES as NOISE_SHAPES
from modeling.engine.results.posterior import run_factors as noise_factors
from modeling.engine.validation import FloatArray, IntArray

ENGINE_VERSION = "2.26"
"""The engine's version, which is stored with each model. Any change that may alter a model raises it."""

__all__ = [
    "ADAPTIVE_MODELER",
    "DEFAULT_MODELER",
    "ENGINE_VERSION",
    "EXACT",
    "FAILED",
    "FEWEST_SCORES",
    "FEW_VALUES",
    "GRADES",
    "GUESS",
    "HALF_EFFICIENCY",
    "INTERVAL_LEVEL",
    "KNOWN_GROWTH",
    "MISFIT",
    "MODELERS",
    "NETWORK_LAW",
    "NOISE_SHAPES",
    "PLAN_GOALS",
    "PROFILE_ADDED",
    "PROFILE_CONTRADICTED",
    "PROFILE_FOLLOWED",
    "PROFILE_PRODUCT",
    "REGRESSION_LAW",
    "SEGMENTED",
    "TOO_FEW_VALUES",
    "TOWARDS_LIMIT",
    "UNKNOWN",
    "WIDEST_FACTOR",
    "Calibration",
    "Changes",
    "Common",
    "Doubt",
    "Estimate",
    "FloatArray",
    "IntArray",
    "Isoefficiency",
    "Limits",
    "Models",
    "Noise",
    "NoiseSource",
    "Plan",
    "PlanError",
    "PooledLaw",
    "Program",
    "Ratios",
    "Relations",
    "Scaling",
    "Scores",
    "UnknownGrowth",
    "UsualDrift",
    "WarmUp",
    "WideInterval",
    "below_probability",
    "by_distance",
    "calibrate",
    "compare",
    "compare_common",
    "doubts",
    "exceeds",
    "fit",
    "fit_profiled",
    "fit_program",
    "full_factorial",
    "group_begins",
    "growth_probability",
    "holdout_error",
    "inferred_terms",
    "isoefficiency",
    "keep_networks_in",
    "latex_text",
    "leading_kernels",
    "networks_adaptable",
    "noise",
    "noise_factors",
    "plan_minimal",
    "plan_next",
    "points_for_more",
    "pooled_law",
    "portion_kernels",
    "process_scaling",
    "program_ratio",
    "python_identifiers",
    "ratio_of_draws",
    "relations",
    "synthetic_grid",
    "synthetic_measurements",
    "usual_drift",
    "warm_up",
    "wild_points",
    "wild_ratios",
]
