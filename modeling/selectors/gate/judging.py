"""Judge a version by the conditions of a policy."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ingest.models import Kernel, Metric
from modeling.engine import exceeds, program_ratio
from modeling.rules.policies import Condition, ExpectationBroken, LawWorsened, Slower, Subject, Worsened
from modeling.selectors.gate.facts import MetricFacts, facts_load
from modeling.selectors.gate.grounds import Ground, JudgedCondition, verdict_meeting
from modeling.selectors.gate.moved import facts_moved
from modeling.selectors.gate.subject import GateSubject
from modeling.selectors.gate.verdict import GateVerdict, Outcome, Reason
from modeling.selectors.gate.wording import (
    Ratio,
    broken_sentence,
    factor_sentence,
    growth_sentence,
    unknown_sentence,
)
from modeling.selectors.run.expected import results_broken
from modeling.selectors.run.metrics import is_time
from modeling.storage import arrays

MOST_REASONS = 20
"""Limit on the kernels that a condition's reasons name, the most certain first."""

DIGITS = 3
"""Digits of a probability in sentences and sorting. More would sort equal ones by chance."""


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
    wanted = {kernel for each in judged if isinstance(each, JudgedCondition) for kernel in each.named}
    kernels = Kernel.objects.in_bulk(wanted) if worded else None
    outcomes = [each.outcome(kernels) if isinstance(each, JudgedCondition) else each for each in judged]
    return GateVerdict(subject, tuple(outcomes))


def _judged(
    condition: Condition, subject: GateSubject, facts: Sequence[MetricFacts]
) -> JudgedCondition | Outcome:
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


def _worsened(condition: Worsened, facts: Sequence[MetricFacts]) -> JudgedCondition:
    worst = verdict_meeting(condition)
    grounds = [
        Ground(each, at, each.changes[at].probability)
        for each in facts
        for at, verdict in enumerate(each.verdicts)
        if verdict is worst
    ]
    return _ordered(condition, grounds, None, facts)


def _slower(condition: Slower, facts: Sequence[MetricFacts]) -> JudgedCondition:
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
    grounds: list[Ground],
    nearest: Ground | None,
    facts: Sequence[MetricFacts],
) -> JudgedCondition:
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
    return JudgedCondition(
        condition, tuple(grounds[:MOST_REASONS]), count, nearest, tuple(unknown), tuple(shared)
    )


def _grounds(condition: Slower, facts: MetricFacts) -> list[Ground]:
    """Return possible reasons: the total or kernels, with the probability of each to be worse.

    Of reasons that do not meet the condition, only the most probable is returned.
    """
    found: list[Ground] = []
    if condition.subject is not Subject.KERNEL and facts.shares is not None:
        found.append(_total(condition, facts, facts.shares))
    if condition.subject is not Subject.TOTAL and facts.changes:
        probabilities = np.nan_to_num(exceeds(facts.worse_ratios, 1 + condition.share), nan=-1.0)
        places = {
            int(probabilities.argmax()),
            *np.flatnonzero(probabilities > condition.probability).tolist(),
        }
        found += [
            Ground(facts, at, float(probabilities[at])) for at in sorted(places) if probabilities[at] >= 0
        ]
    return found


def _total(condition: Slower, facts: MetricFacts, shares: arrays.FloatArray) -> Ground:
    draws = program_ratio(facts.ratios, shares, facts.added)
    worse = draws if facts.metric.lower_is_better else 1 / np.maximum(draws, np.finfo(float).tiny)
    probability = float((worse > 1 + condition.share).mean())
    return Ground(facts, None, probability, Ratio(*np.quantile(draws, [0.5, 0.025, 0.975]).tolist()))
