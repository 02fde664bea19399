"""Measure the memory and time of the default modeler.

    python -m tests.benchmarks.engine_memory [WORD ...]

Campaigns of many sizes are modelled (`fit` and `holdout_error`), each in a separate process on one core. The
output has the processor time and the peak resident memory, which includes all imports, next to their limits.
If words are given, only campaigns are measured whose name contains one of them.
"""

import multiprocessing
import resource
import sys
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NOISE = 0.1
DEVIATION = 0.05
AT_ONCE = 100


@dataclass(frozen=True)
class Case:
    """A campaign's size, and the limits in seconds and MB for modeling it.

    `along` is the number of values of each parameter. `held` is the smallest and largest number of points at
    which a kernel was measured; None means all points.
    """

    name: str
    kernels: int
    along: tuple[int, ...]
    repetitions: int
    seconds: float
    most: float
    held: tuple[int, int] | None = None


CASES = (
    *(Case(f"dense {count}", count, (5, 5, 5), 5, 0.03 * count, 500) for count in (1250, 2500, 5000, 10000)),
    Case("one kernel, 10,000 values", 1, (10_000,), 5, 20, 700),
    Case("one kernel, 10,000 values measured once", 1, (10_000,), 1, 20, 700),
    Case("one kernel, 100 x 100 points", 1, (100, 100), 5, 20, 700),
    Case("one kernel, 100 x 100 points measured once", 1, (100, 100), 1, 20, 700),
    Case("one kernel, 10,000 repetitions", 1, (1,), 10_000, 20, 700),
    Case("long, 1,000 values", 2000, (1000,), 5, 260, 700),
    Case("long, 40 x 25 points", 2000, (40, 25), 5, 260, 700),
    Case("one point", 10_000, (1,), 5, 150, 700),
    Case("sparse, one of 1,000 values", 10_000, (1000,), 1, 300, 700, (1, 1)),
    Case("sparse, one of 40 x 25 points", 10_000, (40, 25), 1, 300, 700, (1, 1)),
    Case("sparse, 3 to 8 of 1,000 values", 2000, (1000,), 5, 300, 700, (3, 8)),
    Case("sparse, 3 to 8 of 40 x 25 points", 2000, (40, 25), 5, 300, 700, (3, 8)),
)


def main() -> None:
    """Measure all campaigns, or only those that are named."""
    words = sys.argv[1:]
    for case in CASES:
        if words and not any(word in case.name for word in words):
            continue
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            seconds, before, most = pool.apply(measured, (case,))
        kept = "kept" if seconds <= case.seconds and most <= case.most else "MISSED"
        print(
            f"{case.name}: {case.kernels} kernels in {seconds:.1f} s (bar {case.seconds:.0f} s), "
            f"{seconds / case.kernels * 1e3:.1f} ms a kernel, at most {most:.0f} MB, {before:.0f} MB of them "
            f"before modeling (bar {case.most:.0f} MB): {kept}",
            flush=True,
        )


def measured(case: Case) -> tuple[float, float, float]:
    """Return the processor time of modeling a campaign, the memory in MB before it, and the peak memory."""
    from modeling.engine import fit, holdout_error  # noqa: PLC0415 -- counted in the process that is measured

    points, values = campaign(case)
    before = _resident()
    begin = time.process_time()
    fit(points, values)
    holdout_error(points, values)
    return time.process_time() - begin, before, _resident()


def campaign(case: Case) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return points (P, m), and values (K, P, R) with noise that deviate from laws. Missing
    values are NaN.
    """
    from modeling.engine.laws.synthetic import grid, measure, random_functions  # noqa: PLC0415 -- as above

    rng = np.random.default_rng(0)
    points = grid([np.arange(1.0, count + 1).tolist() for count in case.along])
    if case.name.startswith("dense"):
        points = 2.0**points
    values = np.empty((case.kernels, len(points), case.repetitions))
    # The values are made in parts, so that the peak memory is that of modeling.
    for begin in range(0, case.kernels, AT_ONCE):
        count = min(AT_ONCE, case.kernels - begin)
        truth = random_functions(count, len(case.along), rng).evaluate(points)
        if not case.name.startswith("dense"):
            truth *= np.exp(DEVIATION * rng.normal(size=truth.shape))
        values[begin : begin + count] = measure(truth, rng, noise=NOISE, repetitions=case.repetitions)
    if case.held is not None:
        for kernel in values:
            some = rng.choice(len(points), rng.integers(case.held[0], case.held[1] + 1), replace=False)
            kernel[np.setdiff1d(np.arange(len(points)), some)] = np.nan
    return points, values


def _resident() -> float:
    """Return the peak resident memory of this process so far, in MB."""
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


if __name__ == "__main__":
    main()
