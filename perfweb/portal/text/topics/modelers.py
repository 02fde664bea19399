"""The result of a comparison of modelers, in sentences."""

from modeling.engine import NETWORK_LAW, REGRESSION_LAW
from modeling.selectors.compared.modelers import FORECAST, HELD_OUT, Compared, ModelersCompared
from perfweb.portal.text import formatting
from perfweb.portal.text.wording import listed

WHAT = {
    FORECAST: "forecasts of later measurements",
    HELD_OUT: "predictions of the largest measured values, which were held out,",
    "cross-validated": "predictions of left-out points",
}


def sentence(comparison: ModelersCompared) -> str:
    """Return which modeler was closest most often; empty if fewer than two can be compared."""
    kind, kernels = comparison.judged_by, comparison.kernels[comparison.judged_by]
    finished = [each for each in comparison.runs if kind in each.best]
    if len(finished) < 2 or not kernels:
        return ""
    most = max(each.best[kind] for each in finished)
    winners = sorted(
        (each for each in finished if each.best[kind] == most), key=lambda each: each.median[kind]
    )
    first, error = winners[0].run.modeler, formatting.percent(winners[0].median[kind])
    what, count = WHAT[kind], f"{most:,} of {kernels:,} kernels"
    if len(winners) == 1:
        return (
            f"{first.capitalize()} would have been right most often: its {what} are the closest for {count}, "
            f"with a median error of {error}."
        )
    names = listed([each.run.modeler for each in winners])
    return (
        f"{names.capitalize()} would have been right equally often: the {what} of each are the closest for "
        f"{count}. Among them {first} has the smallest median error, {error}."
    )


METHODS = {
    NETWORK_LAW: "law of the network",
    REGRESSION_LAW: "law of the regression, which predicts left-out points better than the network's",
}
"""Methods of the adaptive modeler → words on pages; methods with a stored reason are not listed."""


def method_words(method: str) -> str:
    """Return by which method a law was found, in words."""
    return METHODS.get(method, method)


def origins(comparison: ModelersCompared) -> list[tuple[str, str, list[tuple[str, int]]]]:
    """Return modelers that choose among methods, with a sentence on their network, and kernels by method."""
    return [
        (
            each.run.modeler,
            adapted(each),
            [(method_words(method), count) for method, count in each.methods.items()],
        )
        for each in comparison.runs
        if each.methods
    ]


def adapted(each: Compared) -> str:
    """Return a sentence on the adaptation of a run's network; empty if none was adapted to the campaign."""
    if each.run.adapted_seconds is not None:
        return (
            f"Adapting the network took {formatting.duration(each.run.adapted_seconds)}. It is kept, and "
            "used again for campaigns with the same points, repetitions and noise."
        )
    if NETWORK_LAW in each.methods:
        return (
            "The network had been adapted to the same points, repetitions and noise before, and was used "
            "again at once."
        )
    return ""
