"""The families of noise in plain words."""

KINDS = {
    "uniform": ("even", "runs lie evenly between two bounds around the law"),
    "normal": ("normal", "runs lie as often below the law as above, most of them near it"),
    "log-normal": ("log-normal", "runs deviate by factors, so large values stray farther than small ones"),
    "one-sided": (
        "one-sided",
        "runs only ever lie above what they take undisturbed; the law is of the median run",
    ),
    "heavy-tailed": ("heavy-tailed", "most runs lie near the law, a few far off, which do not decide"),
    "deviating": (
        "deviating points",
        "whole points stray from every law that was weighed, by more than their runs differ",
    ),
}
"""Family → its name for people, and its meaning."""
