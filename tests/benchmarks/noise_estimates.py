"""By how many points of percent estimates of the noise's width are off, at 5 points of 5 repetitions.

    python -m tests.benchmarks.noise_estimates [--functions 40]

Functions of one parameter are those of `tests.benchmarks.accuracy`, under uniform noise. Next to the adaptive
modeler's estimate and the published one stand those that a law would allow: the range of all values over the
law of the adaptive modeler (with the network as shipped), the narrowest band around any law with the true
exponents, and the largest deviation from the true law. The last two know what nobody knows, and bound what
could be reached. With 40 functions of each series it takes ten minutes of one core.
"""

import argparse
import os

THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
os.environ |= THREADS  # before NumPy is loaded

import numpy as np  # noqa: E402 -- after the threads are set
from scipy.optimize import linprog  # noqa: E402

from modeling.engine import fit, noise  # noqa: E402
from modeling.engine.laws.terms import evaluate  # noqa: E402
from modeling.engine.modelers.adaptive.noise import noise_width  # noqa: E402
from modeling.engine.validation import FloatArray  # noqa: E402
from tests.benchmarks.accuracy import SERIES, Campaign, drawn  # noqa: E402

LEVELS = (2, 5, 10, 20, 50, 75, 100)
HALVINGS = 14
"""Of the interval in which the narrowest band is searched: 2 / 2^14 is a hundredth of a point."""


def main() -> None:
    """Measure and print."""
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
    """Estimated widths of K kernels, (5, K)."""
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
    """The least width of noise under which a constant and a term (P,) allow all values (P, R)."""
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
