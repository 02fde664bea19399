"""The result of a comparison of modelers, in a sentence."""

from modeling.selectors.compared.modelers import FORECAST, HELD_OUT, Comparison
from perfweb.portal.text import formatting

WHAT = {
    FORECAST: "of the later measurements that scored their forecasts",
    HELD_OUT: "of the largest measured values, held out,",
    "cross-validated": "of the measured values, each predicted from the others,",
}


def sentence(comparison: Comparison) -> str:
    """Return which modeler was closest most often; empty if fewer than two can be compared."""
    kind, kernels = comparison.judged_by, comparison.kernels[comparison.judged_by]
    finished = [each for each in comparison.runs if kind in each.best]
    if len(finished) < 2 or not kernels:
        return ""
    winner = max(finished, key=lambda each: each.best[kind])
    name, count = winner.run.modeler.capitalize(), f"{winner.best[kind]:,} of {kernels:,} kernels"
    error = formatting.percent(winner.median[kind])
    return (
        f"{name} would have been right most often: {WHAT[kind]} it comes closest for {count}, with a median "
        f"error of {error}."
    )
