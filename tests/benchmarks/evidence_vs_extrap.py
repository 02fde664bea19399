"""Compare the speed of the evidence modeler with Extra-P's, on campaigns that follow laws and on ones that
deviate.

    python -m tests.benchmarks.evidence_vs_extrap --extrap /path/to/extrap/bin/python [CASE ...]

Cases are "1 plain" to "3 deviating". The number is that of parameters. In "deviating" cases, points deviate
from their laws by ± 5 % in addition to noise of 2 %. Extra-P models some of the same kernels immediately
afterwards, because the processor may be slower at another time. Both use one core. Rates are per second of
processor time in user mode.
"""

import argparse
import os
import resource

from tests.benchmarks.regression_vs_extrap import THREADS, WANTED, Campaign, by_extrap

os.environ |= THREADS  # This must be set before NumPy is loaded.

import numpy as np

from modeling.engine import fit
from modeling.engine.laws.synthetic import SERIES, grid, measure, random_functions

KERNELS = {1: 20_000, 2: 4_000, 3: 500}
BY_EXTRAP = {1: 300, 2: 150, 3: 50}
"""Number of parameters → number of kernels that our modeler models, and number that Extra-P models."""

NOISE = 0.02
DEVIATION = 0.05
CASES = tuple(f"{parameters} {kind}" for parameters in KERNELS for kind in ("plain", "deviating"))


def main() -> None:
    """Print both rates and their ratio for each case."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--extrap", default=os.environ.get("EXTRAP_PYTHON"), help="Extra-P's Python")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("cases", nargs="*", default=CASES)
    arguments = parser.parse_args()
    if not arguments.extrap:
        parser.error("name the Python that has Extra-P by --extrap or EXTRAP_PYTHON")
    for case in arguments.cases:
        parameters, kind = case.split()
        compared(arguments.extrap, int(parameters), kind, np.random.default_rng(arguments.seed))


def compared(python: str, parameters: int, kind: str, rng: np.random.Generator) -> None:
    """Measure and print both rates on one campaign."""
    points, values = campaign(parameters, rng, deviation=DEVIATION if kind == "deviating" else 0.0)
    fit(points, values[:10])
    begin = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    fit(points, values)
    ours = len(values) / (resource.getrusage(resource.RUSAGE_SELF).ru_utime - begin)
    some = values[: BY_EXTRAP[parameters]]
    theirs = len(some) / by_extrap(python, [(points, some)])["seconds"]
    print(
        f"m={parameters}, {kind}, {len(points)} points x 5, {len(values)} kernels: {ours:,.0f} models/s, "
        f"Extra-P {theirs:,.0f}, ratio {ours / theirs:,.0f} (wanted {WANTED['evidence'][parameters]})",
        flush=True,
    )


def campaign(parameters: int, rng: np.random.Generator, *, deviation: float) -> Campaign:
    """Return the points of a full grid, and repeated values of random laws.

    Each point deviates from its law by a random factor.
    """
    points = grid(SERIES[:parameters])
    truth = random_functions(KERNELS[parameters], parameters, rng).evaluate(points)
    truth *= rng.uniform(1 - deviation, 1 + deviation, truth.shape)
    return points, measure(truth, rng, noise=NOISE)


if __name__ == "__main__":
    main()
