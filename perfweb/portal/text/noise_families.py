"""The families of noise in plain words."""

KINDS = {
    "uniform": ("even", "runs lie evenly between two bounds around the law"),
    "normal": ("normal", "runs lie as often below the law as above, most of them near it"),
    "log-normal": ("log-normal", "runs deviate by factors, so large values stray farther than small ones"),
    "one-sided": (
        "one-sided",
        "disturbances only ever make runs take more; the law is that of the median run",
    ),
    "heavy-tailed": (
        "heavy-tailed",
        "most runs lie near the law and a few far off, which have little influence",
    ),
    "deviating": (
        "deviating points",
        "points lie farther from every law that was weighed than their runs differ",
    ),
}
"""Family → its name for people, and its meaning."""
