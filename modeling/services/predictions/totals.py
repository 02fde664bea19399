"""The total of the kernels that make up a program, with its interval from joint draws."""

from collections.abc import Sequence

from modeling.engine.deviations.correlation import SharedDeviation
from modeling.engine.deviations.joint import Joint, numbers
from modeling.models import ModelRun
from modeling.storage import arrays


def joint_total(
    run: ModelRun, metric_id: int, paths: Sequence[str], said: arrays.FloatArray
) -> tuple[float, float, float]:
    """Return the total of kernels with its 95 % interval, NaN where it is not known.

    Args:
        paths: of the K kernels; each kernel's draws are seeded by its path, so that totals can be reproduced.
        said: (3, K), prediction, lower and upper end of each kernel's interval.
    """
    shared = SharedDeviation.from_json(run.shared.get(str(metric_id)))
    predicted, lower, upper = said
    total = Joint(numbers(list(paths)), predicted, lower, upper, shared).total
    return total[0], total[1], total[2]
