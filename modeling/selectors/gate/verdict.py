"""What a policy says of a version: each of its conditions met or not, and why."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.models import Kernel, Metric
from modeling.engine import exceeds, program_ratio
from modeling.rules.policies import Condition, ExpectationBroken, LawWorsened, Slower, Subject
from modeling.selectors.gate.facts import MetricFacts, facts_load
from modeling.selectors.gate.moved import facts_moved
from modeling.selectors.gate.subject import GateSubject
from modeling.selectors.gate.wording import (
    Ratio,
    broken_sentence,
    law_sentence,
    nothing_sentence,
    slower_sentence,
    unknown_sentence,
)
from modeling.selectors.run.expected import results_broken
from modeling.selectors.run.metrics import is_time
from modeling.storage import arrays
from modeling.verdicts import Verdict

NO_RATIO = Ratio(None, None, None)

MOST_REASONS = 20
"""Kernels that a condition names, the surest first; the count is of all."""


@dataclass(frozen=True)
class Reason:
    """Why a condition is met, or how far it is from that; of a total there is no kernel."""

    sentence: str
    metric: Metric | None = None
    kernel: Kernel | None = None
    probability: float | None = None
    change: Ratio = NO_RATIO


@dataclass(frozen=True)
class Outcome:
    """A condition of the policy: whether it is met, None where that cannot be told, for how many kernels."""

    condition: str
    met: bool | None
    count: int
    reasons: tuple[Reason, ...]


@dataclass(frozen=True)
class GateVerdict:
    """The verdict on a version. While `waiting` it is not decided, and nothing was judged."""

    subject: GateSubject
    outcomes: tuple[Outcome, ...]

    @property
    def waiting(self) -> bool:
        """Whether something is still being worked on."""
        return bool(self.subject.waiting)

    @property
    def failed(self) -> bool:
        """Whether a condition is met, so that the version is refused."""
        return any(outcome.met for outcome in self.outcomes)

    @property
    def undecided(self) -> bool:
        """Whether the outcome is not known, yet or at all."""
        return self.waiting or (not self.failed and any(outcome.met is None for outcome in self.outcomes))

    @property
    def passed(self) -> bool:
        """Whether all conditions were judged, and none is met."""
        return not self.failed and not self.undecided

    @property
    def sentences(self) -> list[str]:
        """What the verdict rests on: why it failed or is not decided, else how far it is from failing."""
        wanted = {"failed": True, "undecided": None, "passed": False}[self.word]
        chosen = [outcome for outcome in self.outcomes if outcome.met is wanted]
        found = [reason.sentence for outcome in chosen for reason in outcome.reasons]
        return list(dict.fromkeys(found))

    @property
    def word(self) -> str:
        """The verdict in a word."""
        return "failed" if self.failed else "undecided" if self.undecided else "passed"


def gate_judge(
    subject: GateSubject,
    policy: Iterable[Condition],
    metrics: Sequence[Metric],
    target: Mapping[str, float] | None = None,
) -> GateVerdict:
    """Judge a version by a policy, at a target or at the default one."""
    if subject.waiting:
        return GateVerdict(subject, ())
    facts = facts_load(subject, metrics)
    if target is not None:
        facts = [facts_moved(each, subject, target) for each in facts]
    return GateVerdict(subject, tuple(_outcome(condition, subject, facts) for condition in policy))


def _outcome(condition: Condition, subject: GateSubject, facts: Sequence[MetricFacts]) -> Outcome:
    if subject.failed:
        return Outcome(condition.text, None, 0, tuple(Reason(why) for why in subject.failed))
    if isinstance(condition, ExpectationBroken):
        return _broken(condition, subject)
    if subject.before is None:
        first = f"{subject.after.label} is the first version on {subject.machine.name}: nothing to compare."
        return Outcome(condition.text, False, 0, (Reason(first),))
    return _law(condition, facts) if isinstance(condition, LawWorsened) else _slower(condition, facts)


def _broken(condition: ExpectationBroken, subject: GateSubject) -> Outcome:
    found = list(results_broken(subject.run.pk)) if subject.run else []
    reasons = [
        Reason(broken_sentence(row), row.expectation.metric, row.kernel, 1 - (row.probability or 0.0))
        for row in found
    ]
    return _told(condition, reasons, Reason("No expectation is broken."))


def _law(condition: LawWorsened, facts: Sequence[MetricFacts]) -> Outcome:
    reasons = []
    for each in facts:
        for at, change in enumerate(each.changes):
            if each.verdict(at) == Verdict.LAW_WORSE:
                sentence = law_sentence(change, each.metric, _ratio(each, at))
                reasons.append(_reason(each, at, sentence, change.probability))
    return _told(condition, reasons, Reason("No law got worse."), facts)


def _slower(condition: Slower, facts: Sequence[MetricFacts]) -> Outcome:
    times = [each for each in facts if is_time(each.metric)]
    chosen = times if condition.times_only and times else facts
    reasons, near = [], []
    for each in chosen:
        found = _judged(condition, each)
        reasons += [reason for reason in found if (reason.probability or 0.0) > condition.probability]
        near += found
    nearest = max(near, key=lambda reason: reason.probability or 0.0, default=None)
    otherwise = nearest or Reason(nothing_sentence(condition))
    return _told(condition, reasons, otherwise, chosen)


def _judged(condition: Slower, facts: MetricFacts) -> list[Reason]:
    """The total and the kernels that the condition is about, with the probability that they are worse."""
    found: list[Reason] = []
    if condition.subject is not Subject.KERNEL and facts.shares is not None:
        found.append(_total(condition, facts, facts.shares))
    if condition.subject is not Subject.TOTAL:
        probabilities = exceeds(facts.worse_ratios, 1 + condition.share)
        for at in np.flatnonzero(~np.isnan(probabilities)).tolist():
            probability = float(probabilities[at])
            name = f"{facts.changes[at].kernel.path} in {facts.metric.name}"
            sentence = slower_sentence(name, _ratio(facts, at), condition.share, probability)
            found.append(_reason(facts, at, sentence, probability))
    return found


def _total(condition: Slower, facts: MetricFacts, shares: arrays.FloatArray) -> Reason:
    draws = program_ratio(facts.ratios, shares, facts.added)
    worse = draws if facts.metric.lower_is_better else 1 / np.maximum(draws, np.finfo(float).tiny)
    probability = float((worse > 1 + condition.share).mean())
    change = Ratio(*np.quantile(draws, [0.5, 0.025, 0.975]).tolist())
    name = f"The total in {facts.metric.name}"
    sentence = slower_sentence(name, change, condition.share, probability)
    return Reason(sentence, facts.metric, None, probability, change)


def _reason(facts: MetricFacts, at: int, sentence: str, probability: float) -> Reason:
    return Reason(sentence, facts.metric, facts.changes[at].kernel, probability, _ratio(facts, at))


def _ratio(facts: MetricFacts, at: int) -> Ratio:
    ratios = facts.ratios
    return Ratio(*(_known(float(column[at])) for column in (ratios.ratio, ratios.lower, ratios.upper)))


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _told(
    condition: Condition, reasons: list[Reason], otherwise: Reason, facts: Sequence[MetricFacts] = ()
) -> Outcome:
    """The outcome with what is not known, where that is why the condition is not met."""
    if reasons:
        reasons.sort(key=lambda reason: (-(reason.probability or 0.0), reason.kernel is not None))
        return Outcome(condition.text, True, len(reasons), tuple(reasons[:MOST_REASONS]))
    notes = [
        Reason(unknown_sentence(each.unknown, each.metric), each.metric) for each in facts if each.unknown
    ]
    return Outcome(condition.text, False, 0, (otherwise, *notes))
