"""The trust in predictions at a target, and the values of formulas there."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from modeling.engine import Models
from modeling.engine.questions.trust import GRADES, Trust, judge
from modeling.storage import arrays

APART = 0.02
"""Pages mention the formula's value if it differs from the prediction by more than this share."""

Certainty = list[float] | None
"""The field `lead_certainty` of a stored model."""


@dataclass(frozen=True)
class Judged:
    """One kernel at a target. `law` is the value of its formula; None if it has no law.

    `grade` is the trust in its prediction. `trust` has the grades of all kernels, at `number` this one's.
    """

    law: float | None
    grade: str
    trust: Trust
    number: int

    def apart(self, predicted: float | None) -> float | None:
        """Return the formula's value if it differs noticeably from the prediction, otherwise None."""
        if self.law is None or predicted is None or abs(self.law - predicted) <= APART * abs(predicted):
            return None
        return self.law


def judged(
    models: Models,
    certainty: Sequence[Certainty],
    target: arrays.FloatArray,
    estimates: tuple[arrays.FloatArray, arrays.FloatArray, arrays.FloatArray],
) -> list[Judged]:
    """Judge the predictions of models at a target; `estimates` are predictions with their intervals."""
    trust = judge(models, target, _certainties(certainty, len(target)), estimates)
    with np.errstate(over="ignore", invalid="ignore"):
        laws = models.law(target[None])[:, 0]
    return [
        Judged(law if np.isfinite(law) else None, GRADES[grade], trust, number)
        for number, (law, grade) in enumerate(zip(laws.tolist(), trust.grade.tolist(), strict=True))
    ]


def _certainties(found: Sequence[Certainty], parameters: int) -> arrays.FloatArray | None:
    """Return the certainties as (kernels, parameters), NaN without a posterior; None if no model has one."""
    if not any(found):
        return None
    nothing = [np.nan] * parameters
    return np.array([each or nothing for each in found], float)
