"""Memory and time of the default modeler: `python -m tests.benchmarks.engine_memory [KERNELS ...]`.

Bars: 500 MB for 10,000 kernels × 125 points × 5 repetitions, and time in proportion to kernels. Every size
runs in a process of its own, whose largest resident memory is told, everything imported included.
"""

import multiprocessing
import resource
import sys
import time

SIZES = (1250, 2500, 5000, 10000)
BAR = 500
NOISE = 0.1


def main() -> None:
    """Measure each size."""
    sizes = [int(word) for word in sys.argv[1:]] or list(SIZES)
    for kernels in sizes:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            seconds, before, most = pool.apply(measured, (kernels,))
        print(
            f"{kernels} kernels: {seconds:.1f} s, {seconds / kernels * 1e3:.1f} ms a kernel, "
            f"at most {most:.0f} MB, {before:.0f} MB of them before modeling (bar {BAR} MB)"
        )


def measured(kernels: int) -> tuple[float, float, float]:
    """Processor time of modeling so many kernels, and memory in MB before it and at most."""
    import numpy as np  # noqa: PLC0415 -- counted in the process that is measured

    from modeling.engine import fit  # noqa: PLC0415
    from modeling.engine.synthetic import SERIES, grid, measure, random_functions  # noqa: PLC0415

    rng = np.random.default_rng(0)
    points = grid(SERIES[:3])
    values = measure(random_functions(kernels, 3, rng).evaluate(points), rng, noise=NOISE)
    before = _resident()
    begin = time.process_time()
    fit(points, values)
    return time.process_time() - begin, before, _resident()


def _resident() -> float:
    """The process's largest resident memory so far, MB."""
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


if __name__ == "__main__":
    main()
