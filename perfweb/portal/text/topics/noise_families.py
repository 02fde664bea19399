"""The families of noise in plain words."""

KINDS = {
    "uniform": ("even", "runs lie evenly between two bounds around the law"),
    "normal": ("normal", "runs lie as often below the law as above, most of them near it"),
    "log-normal": ("log-normal", "runs deviate by factors, so they lie farther above the law than below it"),
    "one-sided": (
        "one-sided",
        "disturbances only ever make values larger; the law is that of the median run",
    ),
    "heavy-tailed": (
        "heavy-tailed",
        "most runs lie near the law; a few lie far away and have little influence",
    ),
    "deviating": (
        "deviating points",
        "points lie farther from every possible law than their repetitions differ from each other",
    ),
}
"""Family → its name for people, and its meaning."""
