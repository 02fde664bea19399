"""The terms of the pages, each explained in one sentence; the help lists them, and pages link to them."""

from typing import NamedTuple


class Word(NamedTuple):
    """A term with its meaning, and the anchor of the help's chapter that explains it (empty: none)."""

    word: str
    meaning: str
    chapter: str = ""


GLOSSARY: dict[str, Word] = {
    "campaign": Word(
        "campaign",
        "All measurements of one version of an application on one machine: kernels, metrics, points, "
        "repetitions.",
        "upload",
    ),
    "kernel": Word(
        "kernel",
        "A call path of the application, such as main → solve → halo. The same path is the same kernel in "
        "every version.",
    ),
    "metric": Word("metric", "A quantity that was measured: time, bytes, visits.", "metrics"),
    "parameter": Word(
        "parameter", "A quantity that was varied between runs: processes p, problem size n.", "metrics"
    ),
    "point": Word("point", "A configuration that was measured: one value of each parameter.", "points"),
    "repetition": Word(
        "repetition", "One of several measurements at the same point; they differ by noise.", "rounds"
    ),
    "measured": Word("measured", "The median of the repetitions at the largest point."),
    "law": Word(
        "law",
        "A formula for a kernel's metric: a constant plus terms c · p^i · log2(p)^j of the parameters. The "
        "unit after it belongs to the whole formula.",
        "laws",
    ),
    "term": Word(
        "term", "One summand of a law: a coefficient times powers and logarithms of parameters.", "laws"
    ),
    "lead-exponent": Word(
        "lead exponent",
        "The exponent of the term that contributes most far outside of the measured range; it says how a "
        "kernel grows.",
        "laws",
    ),
    "rival": Word(
        "rival law", "Another law that the measurements also allow, with its probability.", "evidence"
    ),
    "modeler": Word(
        "modeler",
        "A method that finds laws: evidence (the default), regression, refinement, adaptive.",
        "regression",
    ),
    "target": Word(
        "target",
        "The configuration for which predictions are made, such as p = 65,536; often too large to measure.",
        "targets",
    ),
    "predicted": Word(
        "predicted",
        "The value that is expected at the target: the law, corrected by how nearby measured points deviate "
        "from it.",
        "deviations",
    ),
    "deviation": Word(
        "deviation",
        "A distance between measured points and their law that is larger than noise explains.",
        "deviations",
    ),
    "interval": Word(
        "95 % interval",
        "The range that contains the median of a kernel's repetitions at the target with a probability of "
        "95 %.",
        "intervals",
    ),
    "share": Word(
        "share",
        "The part of the program's total at the target that a kernel takes, with its callees if its values "
        "include them.",
        "efficiency",
    ),
    "own": Word(
        "own share",
        "The part of the program's total at the target that a kernel takes without its callees; all own "
        "shares add up to 100 %.",
        "efficiency",
    ),
    "total": Word(
        "total",
        "The value of the whole program: the sum over its kernels, each part counted once.",
        "efficiency",
    ),
    "trust": Word(
        "trust",
        "A grade of a prediction: reliable, usable, a guess, or cannot be told. It depends on the width of "
        "the interval, the distance of the target, and whether the law fits.",
        "trust",
    ),
    "misfit": Word(
        "does not fit",
        "The law misses the points to which it was fitted by more than 20 % on average.",
        "trust",
    ),
    "extrapolation": Word(
        "extrapolation",
        "The factor by which the target lies outside the measured range of a parameter.",
        "intervals",
    ),
    "forecasts": Word(
        "forecasts scored",
        "Predictions of earlier models at points that were measured later, and how far off they were.",
        "errors",
    ),
    "heldout": Word(
        "held-out error",
        "The relative error at the largest point when the law was fitted to all other points.",
        "errors",
    ),
    "cv_error": Word(
        "cross-validated error",
        "The mean error (SMAPE) over the points; each point is predicted by the same formula fitted to all "
        "other points.",
        "errors",
    ),
    "smape": Word(
        "SMAPE",
        "The mean over the points of |value − law| divided by the mean of the two: 0 % is exact, 200 % is "
        "the largest possible error.",
        "errors",
    ),
    "relative-error": Word("relative error", "The mean of |value − law| / value over the points.", "errors"),
    "r-squared": Word(
        "R²", "The part of the values' variation that the law explains; 1 is all of it.", "errors"
    ),
    "points-used": Word(
        "points used",
        "The number of the campaign's points at which this kernel was measured, without single values that "
        "lie far off the values beside them.",
    ),
    "degrees-of-freedom": Word(
        "degrees of freedom",
        "The number of points minus the number of coefficients of the law. With 0, the law passes through "
        "all points, and its errors say nothing.",
    ),
    "stability": Word(
        "stability",
        "The share of a kernel's points that can be left out, one at a time, without changing its law.",
        "stability",
    ),
    "noise": Word(
        "noise", "The range of the relative deviations of repetitions from the mean of their point.", "noise"
    ),
    "verdict": Word(
        "verdict",
        "How a kernel changed between two versions: its law, a constant factor or an overhead, worse or "
        "better, or no change beyond noise.",
        "verdicts",
    ),
    "overhead": Word(
        "overhead",
        "A constant part of a kernel's values. A change of the overhead is visible at small values and fades "
        "where the kernel grows.",
        "verdicts",
    ),
    "shift": Word(
        "shift",
        "The factor by which most kernels of a comparison changed together, such as by a slower machine.",
        "verdicts",
    ),
    "efficiency": Word(
        "efficiency",
        "Strong scaling (the same problem on more processes): speed-up divided by the factor of processes. "
        "Weak scaling (a problem that grows with the processes): time on the fewest processes divided by "
        "time.",
        "efficiency",
    ),
    "segment": Word("segment", "A part of the measured range that has its own law.", "segments"),
}
"""Terms by anchor: `help/glossary/#word-<anchor>`."""

WORD = "word-"
"""Beginning of the anchors of the glossary's terms."""


def anchor(word: str) -> str:
    """Return the anchor of a term in the glossary; raise KeyError if the glossary does not have the term."""
    GLOSSARY[word]
    return f"{WORD}{word}"


def meaning(word: str) -> str:
    """Return the meaning of a term for a tooltip, or an empty text if the glossary does not have the term."""
    return GLOSSARY[word].meaning if word in GLOSSARY else ""
