"""Sentences that explain a gate's verdict."""

from collections.abc import Sequence
from typing import NamedTuple

from ingest.models import Metric
from modeling.models import ExpectationResult
from modeling.rules.policies import Slower
from modeling.selectors.gate.subject import Growth, SharedFactor

NEARLY = 0.001
"""Probabilities nearer to 0 or 1 than this are written as "less than" or "more than"."""


LARGE = 100.0
"""Ratios of at least this size are written without decimals."""


class Ratio(NamedTuple):
    """After / before at the target, with its 95 % interval; None if unknown."""

    ratio: float | None
    lower: float | None
    upper: float | None


UNCHANGED = Ratio(1.0, 1.0, 1.0)


def percent(value: float) -> str:
    """Return a probability or a share as text: 3 %, less than 0.1 %."""
    if value < NEARLY:
        return f"less than {100 * NEARLY:g} %" if value else "0 %"
    if value > 1 - NEARLY:
        return f"more than {100 * (1 - NEARLY):g} %"
    return f"{100 * value:.3g} %"


def times(value: float | None) -> str:
    """Return a ratio as text: 1.08×, 1,024×."""
    if value is None:
        return "?"
    return f"{value:,.0f}×" if value >= LARGE else f"{value:.3g}×"


def slower_sentence(name: str, change: Ratio, share: float, probability: float) -> str:
    """Return a sentence with the probability of having become worse by more than a share."""
    if change == UNCHANGED:
        return f"{name} is not known to have changed."
    known = change.lower is not None and change.upper is not None
    interval = f" (95 %: {times(change.lower)} – {times(change.upper)})" if known else ""
    amount = f"is {times(change.ratio)} what it was{interval}" if change.ratio else "has another law"
    return (
        f"{name} {amount}; it is worse by more than {100 * share:.10g} % with a probability of "
        f"{percent(probability)}."
    )


def nothing_sentence(condition: Slower) -> str:
    """Return a sentence that says that no change is known."""
    return f"No change is known that could make {condition.subject.value} worse."


def worsened_sentence(name: str, subject: str, ratio: Ratio, probability: float) -> str:
    """Return a sentence: a kernel is worse because of another law or overhead."""
    at_target = f", and at the target is {times(ratio.ratio)} what it was" if ratio.ratio else ""
    return f"{name} has another {subject}{at_target} (probability {percent(probability)})."


def growth_sentence(metric: Metric, growth: Growth) -> str:
    """Return a sentence on the growth that all kernels share."""
    powers = " and ".join(
        f"{'grows' if power['exponent'] > 0 else 'falls'} like {power['parameter']}^{power['exponent']:.2g} "
        f"(exponent, 95 %: {power['lower']:.2g} to {power['upper']:.2g})"
        for power in growth
    )
    return (
        f"{metric.name}: after / before of all kernels together {powers}, which no slower machine explains; "
        "the ratios of kernels and totals leave it out."
    )


def factor_sentence(metric: Metric, shared: SharedFactor) -> str:
    """Return a sentence with the factor that most kernels share."""
    return (
        f"{metric.name}: most kernels share a factor of {times(shared.ratio)} (95 %: {times(shared.lower)} – "
        f"{times(shared.upper)}), due to the machine, compiler flags or code that they share. The ratios of "
        "kernels and totals leave it out."
    )


def broken_sentence(row: ExpectationResult) -> str:
    """Return a sentence: a kernel breaks an expectation."""
    expected, probability = row.expectation, percent(row.probability or 0.0)
    return (
        f"{row.kernel.path} ({expected.metric.name}) breaks {expected.text}, which holds with a probability "
        f"of {probability}."
    )


def unknown_sentence(count: int, metric: Metric, measured: Sequence[float]) -> str:
    """Return a sentence on the number of kernels with unknown change, and on their measured ratios."""
    kernels = "1 kernel" if count == 1 else f"{count:,} kernels"
    sentence = f"{metric.name}: it cannot be told whether {kernels} changed"
    if not measured:
        return f"{sentence}."
    ratios = " to ".join(dict.fromkeys([times(min(measured)), times(max(measured))]))
    some = "" if len(measured) == count else f" of {len(measured):,} of them"
    return f"{sentence}; after / before{some} is {ratios}, perhaps because of the machine."
