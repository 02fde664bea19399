"""Measure by how many percentage points estimates of the noise's width are wrong, at 5 points with 5
repetitions.

    python -m tests.benchmarks.noise_estimates [--functions 40]

The functions of one parameter are those of `tests.benchmarks.accuracy`, with uniform noise. The adaptive
modeler's estimate and the published one are compared with three estimates that use a law: the range of all
values around the law of the adaptive modeler (with the shipped network), the narrowest band around any law
with the true exponents, and the largest deviation from the true law. The last two use knowledge that no
modeler has, so they bound the accuracy that is possible. With 40 functions of each series the program takes
ten minutes on one core.
"""

import argparse
import os

THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
os.environ |= THREADS  # This must be set before NumPy is loaded.

import numpy as np  # noqa: E402 -- after the threads are set
from scipy.optimize import linprog  # noqa: E402

from modeling.engine import fit, noise  # noqa: E402
from modeling.engine.laws.terms import evaluate  # noqa: E402
from modeling.engine.modelers.adaptive.noise import noise_width  # noqa: E402
from modeling.engine.validation import FloatArray  # noqa: E402
from tests.benchmarks.accuracy import SERIES, Campaign, drawn  # noqa: E402

LEVELS = (2, 5, 10, 20, 50, 75, 100)
HALVINGS = 14
"""Number of times that the interval for the narrowest band is halved. Its final width 2 / 2^14 is a hundredth
of a percentage point.
"""


def main() -> None:
    """Measure the errors and print them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--functions", type=int, default=40, help="of each series of values")
    functions = parser.parse_args().functions
    print("noise    adaptive  published  fitted law  true exponents  true law")
    for level in LEVELS:
        rng = np.random.default_rng([7, level])
        rows = [
            np.abs(100 * _estimates(campaign, campaign.values("uniform", level / 100, rng)) - level)
            for campaign in drawn(1, functions * len(SERIES), 0)
        ]
        off = np.concatenate(rows, axis=1).mean(axis=1)
        print(f"{level:3} %   {'  '.join(f'{each:9.2f}' for each in off)}", flush=True)


def _estimates(campaign: Campaign, values: FloatArray) -> FloatArray:
    """Return the five estimated widths of K kernels, (5, K)."""
    count = values.shape[1] * values.shape[2]
    truth = campaign.functions.evaluate(campaign.points)[..., None]
    models = fit(campaign.points, values, modeler="adaptive", adapts=False)
    law = models.predict(campaign.points)[..., None]
    around = np.ptp(values / law, axis=(1, 2)) * (count + 1) / (count - 1)
    terms = evaluate(campaign.functions.exponents[:, 0], campaign.points)
    bands = [_narrowest_band(term, own) for term, own in zip(terms, values, strict=True)]
    # Three extremes determine the band around a law with two coefficients.
    narrowest = np.array(bands) / (1 - 3 / (count + 1))
    furthest = 2 * np.abs(values / truth - 1).max(axis=(1, 2)) * (count + 1) / count
    return np.stack([noise_width(values), noise(values).level, around, narrowest, furthest])


def _narrowest_band(term: FloatArray, values: FloatArray) -> float:
    """Return the smallest width of noise with which a constant and a term (P,) explain all values (P, R)."""
    high, low = values.max(axis=1), values.min(axis=1)
    columns = np.stack([np.ones_like(term), term / term.max()], axis=1) / high[:, None]
    narrow, wide = 0.0, 2.0
    for _ in range(HALVINGS):
        width = (narrow + wide) / 2
        limits = np.concatenate([np.full(len(low), -1 / (1 + width / 2)), low / high / (1 - width / 2)])
        columns_twice = np.concatenate([-columns, columns])
        scale = np.abs(columns_twice).max(axis=0)
        answer = linprog(np.zeros(2), A_ub=columns_twice / scale, b_ub=limits, method="highs")
        narrow, wide = (narrow, width) if answer.status == 0 else (width, wide)
    return wide


if __name__ == "__main__":
    main()
