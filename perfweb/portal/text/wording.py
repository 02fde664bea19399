"""Words for verdicts and lists: a time becomes slower, memory becomes more, a throughput becomes worse."""

import math
from collections.abc import Iterable

from ingest.models import Metric
from modeling.selectors.run.metrics import Kind, kind_of
from modeling.verdicts import Verdict
from perfweb.portal.text import formatting

SIGNS = {
    Verdict.LAW_WORSE: "▲",
    Verdict.WORSE: "△",
    Verdict.OVERHEAD_WORSE: "⊕",
    Verdict.OVERHEAD_BETTER: "⊖",
    Verdict.BETTER: "▽",
    Verdict.LAW_BETTER: "▼",
    Verdict.SAME: "●",
    Verdict.LAW: "◇",
    Verdict.OVERHEAD: "⊙",
    Verdict.UNKNOWN: "?",
}
_WORDS = {
    Verdict.LAW_WORSE: "law worse",
    Verdict.WORSE: "worse",
    Verdict.OVERHEAD_WORSE: "overhead worse",
    Verdict.OVERHEAD_BETTER: "overhead better",
    Verdict.BETTER: "better",
    Verdict.LAW_BETTER: "law better",
    Verdict.SAME: "same",
    Verdict.LAW: "other law",
    Verdict.OVERHEAD: "other overhead",
    Verdict.UNKNOWN: "not identifiable",
}
VERDICTS = {
    Verdict.LAW_WORSE: "another law, which is worse at the target: the kernel scales worse than before",
    Verdict.WORSE: "the same law, worse by about the same factor everywhere",
    Verdict.OVERHEAD_WORSE: "the same growth and leading term, but a constant amount was added, which"
    " matters less the more the kernel grows",
    Verdict.OVERHEAD_BETTER: "the same growth and leading term, but a constant amount was removed",
    Verdict.BETTER: "the same law, better by about the same factor everywhere",
    Verdict.LAW_BETTER: "another law, which is better at the target",
    Verdict.LAW: "another law; it is unknown whether it is worse or better at the target, because the"
    " interval of after / before contains 1 there",
    Verdict.OVERHEAD: "another overhead; the interval of after / before at the target contains 1",
    Verdict.SAME: "no difference beyond noise, ordinary drift and the factor that most kernels share",
    Verdict.UNKNOWN: "it is unknown whether the kernel changed: with so few kernels the machine may be the"
    " cause of the difference; or there is no common point; or the comparison of this metric failed",
}
"""The meaning of each verdict, for the help."""
_BY_A_FACTOR = {
    Kind.TIME: {Verdict.WORSE: "slower", Verdict.BETTER: "faster"},
    Kind.AMOUNT: {Verdict.WORSE: "more", Verdict.BETTER: "less"},
    Kind.LEVEL: {Verdict.WORSE: "higher", Verdict.BETTER: "lower"},
}
"""Words for metrics of which less is better. For others, “higher” would not tell good from bad."""
UNNOTICED = 0.005
"""Ratios that differ less from 1 are written as "about the same", as in `formatting.compared`."""
ABOUT_THE_SAME = "about the same"
_MORE = {Kind.TIME: ("slower", "faster"), Kind.AMOUNT: ("more", "less"), Kind.LEVEL: ("higher", "lower")}
_VERBS = {Kind.TIME: ("take", "takes"), Kind.AMOUNT: ("need", "needs"), Kind.LEVEL: ("reach", "reaches")}


def verb(metric: Metric) -> str:
    """Return the verb for a program and a metric: take (time), need (memory), reach (a rate)."""
    return _VERBS[kind_of(metric)][0]


def verb_third(metric: Metric) -> str:
    """Return the verb in the third person: takes, needs, reaches."""
    return _VERBS[kind_of(metric)][1]


def verdict_words(verdict: Verdict, metric: Metric | None = None) -> str:
    """Return the words for a verdict on a change of a metric; without a metric, words that suit all."""
    if metric is None or not metric.lower_is_better:
        return _WORDS[verdict]
    return _BY_A_FACTOR[kind_of(metric)].get(verdict, _WORDS[verdict])


def change_words(ratio: float | None, metric: Metric) -> str:
    """Return a ratio in words: 2.3× slower, 26,000× faster, 12 % less; empty if the ratio is not known.

    A time that was 2.3 times as long before is written as 2.3× faster.
    """
    if ratio is None or ratio <= 0 or not math.isfinite(ratio):
        return ""
    if abs(ratio - 1) < UNNOTICED:
        return ABOUT_THE_SAME
    more, less = _MORE[kind_of(metric)] if metric.lower_is_better else _MORE[Kind.LEVEL]
    if ratio >= 2 or ratio <= 0.5:
        return f"{formatting.ratio(max(ratio, 1 / ratio))} {more if ratio > 1 else less}"
    return f"{formatting.percent(abs(ratio - 1))} {more if ratio >= 1 else less}"


def change_interval(ratio: float | None, lower: float | None, upper: float | None) -> str:
    """Return the interval of a ratio in the form that `change_words` gives the ratio: 264 – 442×, 52 – 61 %.

    If it contains 1, it is written as ratios, because its ends have different words.
    """
    if ratio is None or lower is None or upper is None or lower <= 0 or lower < 1 < upper:
        return formatting.ratios(lower, upper)
    if ratio >= 2:
        return formatting.ratios(lower, upper)
    if ratio <= 0.5:
        return formatting.ratios(1 / upper, 1 / lower)
    return formatting.percents(*sorted((abs(lower - 1), abs(upper - 1))))


def worse_word(metric: Metric) -> str:
    """Return the word for a metric that becomes worse: slower, more, higher; worse if more is better."""
    return verdict_words(Verdict.WORSE, metric)


def better_word(metric: Metric) -> str:
    """Return the word for a metric that becomes better: faster, less, lower; better if more is better."""
    return verdict_words(Verdict.BETTER, metric)


def listed(words: Iterable[str], conjunction: str = "and") -> str:
    """Return words as part of a sentence: "a", "a and b", "a, b and c"."""
    *others, last = words
    return f" {conjunction} ".join(filter(None, [", ".join(others), last]))


def setting_name(name: str) -> str:
    """Return the name of an entry of a campaign's metadata as words: `measured_at` is “measured at”.

    Names with capitals, such as `OMP_NUM_THREADS`, are names of variables and stay as they are.
    """
    return name.replace("_", " ").strip() or name if name.islower() else name
