"""Compute the verdict of a policy on a version: whether each condition is met, and why."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.models import Kernel, Metric
from modeling.engine import exceeds, program_ratio
from modeling.rules.policies import Condition, ExpectationBroken, LawWorsened, Slower, Subject, Worsened
from modeling.selectors.gate.facts import MetricFacts, facts_load
from modeling.selectors.gate.moved import facts_moved
from modeling.selectors.gate.subject import GateSubject
from modeling.selectors.gate.wording import (
    Ratio,
    broken_sentence,
    factor_sentence,
    growth_sentence,
    nothing_sentence,
    slower_sentence,
    unknown_sentence,
    worsened_sentence,
)
from modeling.selectors.run.expected import results_broken
from modeling.selectors.run.metrics import is_time
from modeling.storage import arrays
from modeling.verdicts import Verdict

NO_RATIO = Ratio(None, None, None)

_SUBJECT = {Verdict.LAW_WORSE: "law", Verdict.OVERHEAD_WORSE: "overhead"}

MOST_REASONS = 20
"""Limit on the kernels that a condition's reasons name, the most certain first."""

DIGITS = 3
"""Digits of a probability in sentences and sorting. More would sort equal ones by chance."""


@dataclass(frozen=True)
class Reason:
    """A reason why a condition is met, or how far it is from being met. For the total, `kernel` is None."""

    sentence: str
    metric: Metric | None = None
    kernel: Kernel | None = None
    probability: float | None = None
    change: Ratio = NO_RATIO


@dataclass(frozen=True)
class Outcome:
    """The outcome of a condition: whether it is met (None if unknown), and its number of reasons.

    A reason is a kernel, a total, or a growth that all kernels of a metric share. `reasons` lists some of
    them.
    """

    condition: str
    met: bool | None
    count: int
    reasons: tuple[Reason, ...]


@dataclass(frozen=True)
class GateVerdict:
    """The verdict on a version. While work is in progress, no condition is judged."""

    subject: GateSubject
    outcomes: tuple[Outcome, ...]

    @property
    def waiting(self) -> bool:
        """Return whether work is still in progress."""
        return bool(self.subject.waiting)

    @property
    def failed(self) -> bool:
        """Return whether a condition is met, so that the version is refused."""
        return any(outcome.met for outcome in self.outcomes)

    @property
    def undecided(self) -> bool:
        """Return whether the verdict is unknown, because work is unfinished or failed."""
        return self.waiting or (not self.failed and any(outcome.met is None for outcome in self.outcomes))

    @property
    def passed(self) -> bool:
        """Return whether all conditions were judged, and no condition is met."""
        return not self.failed and not self.undecided

    @property
    def sentences(self) -> list[str]:
        """Return why the version failed or is undecided, or how far it is from failing."""
        wanted = {"failed": True, "undecided": None, "passed": False}[self.word]
        chosen = [outcome for outcome in self.outcomes if outcome.met is wanted]
        found = [reason.sentence for outcome in chosen for reason in outcome.reasons]
        return list(dict.fromkeys(found))

    @property
    def word(self) -> str:
        """Return the verdict in one word."""
        return "failed" if self.failed else "undecided" if self.undecided else "passed"


@dataclass(frozen=True)
class _Ground:
    """A possible reason before it is written. `at` is the index of a change, or None for the total."""

    facts: MetricFacts
    at: int | None
    probability: float
    total: Ratio = NO_RATIO

    @property
    def change(self) -> Ratio:
        """Return the ratio of the kernel or of the total."""
        return self.total if self.at is None else _ratio(self.facts, self.at)

    @property
    def effect(self) -> float:
        """Return the size of the change for sorting; infinite for the total."""
        return math.inf if self.at is None else float(self.facts.effects[self.at])

    @property
    def kernel_id(self) -> int | None:
        """Return the kernel of the reason."""
        return None if self.at is None else self.facts.changes[self.at].kernel_id


@dataclass(frozen=True)
class _Judged:
    """A condition with its reasons, the most certain first.

    Attributes:
        count: number of all reasons.
        nearest: the most probable reason, met or not; None for conditions on laws and overheads.
        shared: growths and factors that most kernels share. A shared growth meets a condition on laws. Other
            conditions only mention growths and factors, because the kernels' ratios exclude them.
    """

    condition: Worsened | Slower
    grounds: tuple[_Ground, ...]
    count: int
    nearest: _Ground | None
    unknown: tuple[Reason, ...]
    shared: tuple[Reason, ...]

    @property
    def named(self) -> list[int]:
        """Return the ids of the kernels that the reasons name."""
        grounds = [*self.grounds, *([self.nearest] if self.nearest else [])]
        return [ground.kernel_id for ground in grounds if ground.kernel_id is not None]

    def outcome(self, kernels: Mapping[int, Kernel] | None) -> Outcome:
        """Return the outcome, with reasons as sentences unless `kernels` is None."""
        if kernels is None:
            return Outcome(self.condition.text, self.count > 0, self.count, ())
        if self.count:
            reasons = tuple(_reason(self.condition, ground, kernels) for ground in self.grounds)
            return Outcome(self.condition.text, True, self.count, (*self.shared, *reasons))
        if self.nearest:
            otherwise = _reason(self.condition, self.nearest, kernels)
        elif isinstance(self.condition, Worsened):
            otherwise = Reason(f"No {_SUBJECT[_worst(self.condition)]} got worse.")
        else:
            otherwise = Reason(nothing_sentence(self.condition))
        return Outcome(self.condition.text, False, 0, (otherwise, *self.shared, *self.unknown))


def gate_judge(
    subject: GateSubject,
    policy: Iterable[Condition],
    metrics: Sequence[Metric],
    target: Mapping[str, float] | None = None,
    *,
    worded: bool = True,
) -> GateVerdict:
    """Judge a version by a policy, at the given or default target. Reasons are written only if `worded`."""
    if subject.waiting:
        return GateVerdict(subject, ())
    facts = facts_load(subject, metrics)
    if target is not None:
        facts = [facts_moved(each, subject, target) for each in facts]
    judged = [_judged(condition, subject, facts) for condition in policy]
    wanted = {kernel for each in judged if isinstance(each, _Judged) for kernel in each.named}
    kernels = Kernel.objects.in_bulk(wanted) if worded else None
    outcomes = [each.outcome(kernels) if isinstance(each, _Judged) else each for each in judged]
    return GateVerdict(subject, tuple(outcomes))


def _judged(condition: Condition, subject: GateSubject, facts: Sequence[MetricFacts]) -> _Judged | Outcome:
    if subject.failed:
        return Outcome(condition.text, None, 0, tuple(Reason(why) for why in subject.failed))
    if isinstance(condition, ExpectationBroken):
        return _broken(condition, subject)
    if subject.before is None:
        first = f"{subject.after.label} is the first version on {subject.machine.name}: nothing to compare."
        return Outcome(condition.text, False, 0, (Reason(first),))
    return _worsened(condition, facts) if isinstance(condition, Worsened) else _slower(condition, facts)


def _broken(condition: ExpectationBroken, subject: GateSubject) -> Outcome:
    found = list(results_broken(subject.run.pk)) if subject.run else []
    if not found:
        return Outcome(condition.text, False, 0, (Reason("No expectation is broken."),))
    reasons = [
        Reason(broken_sentence(row), row.expectation.metric, row.kernel, 1 - (row.probability or 0.0))
        for row in found[:MOST_REASONS]
    ]
    return Outcome(condition.text, True, len(found), tuple(reasons))


def _worsened(condition: Worsened, facts: Sequence[MetricFacts]) -> _Judged:
    worst = _worst(condition)
    grounds = [
        _Ground(each, at, each.changes[at].probability)
        for each in facts
        for at, verdict in enumerate(each.verdicts)
        if verdict is worst
    ]
    return _ordered(condition, grounds, None, facts)


def _worst(condition: Worsened) -> Verdict:
    """Return the verdict that meets the condition."""
    return Verdict.LAW_WORSE if isinstance(condition, LawWorsened) else Verdict.OVERHEAD_WORSE


def _slower(condition: Slower, facts: Sequence[MetricFacts]) -> _Judged:
    times = [each for each in facts if is_time(each.metric)]
    chosen = times if condition.times_only and times else facts
    found = [ground for each in chosen for ground in _grounds(condition, each)]
    nearest = max(found, key=lambda ground: ground.probability, default=None)
    grounds = [ground for ground in found if ground.probability > condition.probability]
    return _ordered(condition, grounds, nearest, chosen)


def _factors(condition: Worsened | Slower, facts: Sequence[MetricFacts]) -> list[Reason]:
    """Return the shared factors that exceed the condition's change, or whose inverse does."""
    if isinstance(condition, Worsened):
        return []
    known = [(each.metric, each.shared) for each in facts if each.shared and not each.growth]
    return [
        Reason(factor_sentence(metric, shared), metric)
        for metric, shared in known
        if abs(math.log(shared.ratio)) > math.log1p(condition.share)
    ]


def _ordered(
    condition: Worsened | Slower,
    grounds: list[_Ground],
    nearest: _Ground | None,
    facts: Sequence[MetricFacts],
) -> _Judged:
    """Return the judged condition with its reasons, sorted by certainty and then by effect."""
    grounds.sort(key=lambda ground: (-round(ground.probability, DIGITS), -ground.effect))
    unknown = [
        Reason(unknown_sentence(each.unknown, each.metric, each.measured), each.metric)
        for each in facts
        if each.unknown
    ]
    grown = [each for each in facts if each.grown]
    shared = [
        *(Reason(growth_sentence(each.metric, each.growth), each.metric) for each in grown),
        *_factors(condition, facts),
    ]
    count = len(grounds) + (len(grown) if isinstance(condition, LawWorsened) else 0)
    return _Judged(condition, tuple(grounds[:MOST_REASONS]), count, nearest, tuple(unknown), tuple(shared))


def _grounds(condition: Slower, facts: MetricFacts) -> list[_Ground]:
    """Return possible reasons: the total or kernels, with the probability of each to be worse.

    Of reasons that do not meet the condition, only the most probable is returned.
    """
    found: list[_Ground] = []
    if condition.subject is not Subject.KERNEL and facts.shares is not None:
        found.append(_total(condition, facts, facts.shares))
    if condition.subject is not Subject.TOTAL and facts.changes:
        probabilities = np.nan_to_num(exceeds(facts.worse_ratios, 1 + condition.share), nan=-1.0)
        places = {
            int(probabilities.argmax()),
            *np.flatnonzero(probabilities > condition.probability).tolist(),
        }
        found += [
            _Ground(facts, at, float(probabilities[at])) for at in sorted(places) if probabilities[at] >= 0
        ]
    return found


def _total(condition: Slower, facts: MetricFacts, shares: arrays.FloatArray) -> _Ground:
    draws = program_ratio(facts.ratios, shares, facts.added)
    worse = draws if facts.metric.lower_is_better else 1 / np.maximum(draws, np.finfo(float).tiny)
    probability = float((worse > 1 + condition.share).mean())
    return _Ground(facts, None, probability, Ratio(*np.quantile(draws, [0.5, 0.025, 0.975]).tolist()))


def _reason(condition: Worsened | Slower, ground: _Ground, kernels: Mapping[int, Kernel]) -> Reason:
    metric = ground.facts.metric
    kernel = kernels[ground.kernel_id] if ground.kernel_id is not None else None
    name = f"{kernel.path if kernel else 'The total'} ({metric.name})"
    if isinstance(condition, Worsened):
        sentence = worsened_sentence(name, _SUBJECT[_worst(condition)], ground.change, ground.probability)
    else:
        sentence = slower_sentence(name, ground.change, condition.share, ground.probability)
    return Reason(sentence, metric, kernel, ground.probability, ground.change)


def _ratio(facts: MetricFacts, at: int) -> Ratio:
    ratios = facts.ratios
    return Ratio(*(_known(float(column[at])) for column in (ratios.ratio, ratios.lower, ratios.upper)))


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
