"""Compute the sum of kernels that make up a program, with its interval from joint draws."""

from collections.abc import Sequence

import numpy as np

from modeling.engine.deviations.correlation import SharedDeviation
from modeling.engine.deviations.joint import Joint, numbers
from modeling.engine.laws.growth import NOT_IDENTIFIABLE
from modeling.models import ModelRun
from modeling.storage import arrays


def joint_total(
    run: ModelRun, metric_id: int, kernels: Sequence[tuple[str, str]], said: arrays.FloatArray
) -> tuple[float, float, float]:
    """Return the total of kernels with its 95 % interval, NaN where it is not known.

    Args:
        kernels: call path and class of growth of each kernel. The path seeds the kernel's draws, so that
            totals can be reproduced.
        said: (3, kernels) predictions, and the lower and upper ends of their intervals.
    """
    shared = SharedDeviation.from_json(run.shared.get(str(metric_id)))
    predicted, lower, upper = said
    unknown = np.array([growth == NOT_IDENTIFIABLE for _, growth in kernels], bool)
    joint = Joint(numbers([path for path, _ in kernels]), predicted, lower, upper, shared)
    total = joint.with_constant(unknown).total
    return total[0], total[1], total[2]
