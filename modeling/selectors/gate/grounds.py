"""Possible reasons why a condition is met, and the judged condition that they belong to."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ingest.models import Kernel
from modeling.rules.policies import LawWorsened, Slower, Worsened
from modeling.selectors.gate.facts import MetricFacts
from modeling.selectors.gate.verdict import NO_RATIO, Outcome, Reason
from modeling.selectors.gate.wording import Ratio, nothing_sentence, slower_sentence, worsened_sentence
from modeling.verdicts import Verdict

_SUBJECT = {Verdict.LAW_WORSE: "law", Verdict.OVERHEAD_WORSE: "overhead"}


@dataclass(frozen=True)
class Ground:
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
class JudgedCondition:
    """A condition with its reasons, the most certain first.

    Attributes:
        count: number of all reasons.
        nearest: the most probable reason, met or not; None for conditions on laws and overheads.
        shared: growths and factors that most kernels share. A shared growth meets a condition on laws. Other
            conditions only mention growths and factors, because the kernels' ratios exclude them.
    """

    condition: Worsened | Slower
    grounds: tuple[Ground, ...]
    count: int
    nearest: Ground | None
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
            otherwise = Reason(f"No {_SUBJECT[verdict_meeting(self.condition)]} got worse.")
        else:
            otherwise = Reason(nothing_sentence(self.condition))
        return Outcome(self.condition.text, False, 0, (otherwise, *self.shared, *self.unknown))


def verdict_meeting(condition: Worsened) -> Verdict:
    """Return the verdict that meets the condition."""
    return Verdict.LAW_WORSE if isinstance(condition, LawWorsened) else Verdict.OVERHEAD_WORSE


def _reason(condition: Worsened | Slower, ground: Ground, kernels: Mapping[int, Kernel]) -> Reason:
    metric = ground.facts.metric
    kernel = kernels[ground.kernel_id] if ground.kernel_id is not None else None
    name = f"{kernel.path if kernel else 'The total'} ({metric.name})"
    if isinstance(condition, Worsened):
        sentence = worsened_sentence(
            name, _SUBJECT[verdict_meeting(condition)], ground.change, ground.probability
        )
    else:
        sentence = slower_sentence(name, ground.change, condition.share, ground.probability)
    return Reason(sentence, metric, kernel, ground.probability, ground.change)


def _ratio(facts: MetricFacts, at: int) -> Ratio:
    ratios = facts.ratios
    return Ratio(*(_known(float(column[at])) for column in (ratios.ratio, ratios.lower, ratios.upper)))


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
