"""Measure the costs of the adaptive modeler: adapting its network, modeling with it, pre-training, and the
size of the weights.

    python -m tests.benchmarks.adaptive_costs [--parameters 1 2 3] [--kernels 1000]

Adapting needs the extra `adaptive`, and takes half a minute of processor time for each number of parameters.
The output has processor seconds, because other work on the machine disturbs the wall-clock time. An
adaptation uses two cores, so it takes half as long if two cores are free. The memory is the peak of the
process that adapts. Modeling with an adapted network is measured three times, and the shortest time counts.
In the paper, an adaptation takes 62 to 86 s.
"""

import argparse
import json
import os
import resource
import tempfile
import time
from pathlib import Path

THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
os.environ |= THREADS  # This must be set before NumPy is loaded.

import numpy as np  # noqa: E402 -- after the threads are set

from modeling.engine import fit  # noqa: E402
from modeling.engine.laws.synthetic import SERIES, grid, measure, random_functions  # noqa: E402
from modeling.engine.modelers.adaptive.adaptation import extra_installed, keep_in  # noqa: E402
from modeling.engine.modelers.adaptive.network import FILE, RECORD  # noqa: E402

NOISE = 0.5
MEGABYTE = 1e6
MOST_ADAPTING, MOST_MEMORY, MOST_MODELING, MOST_TRAINING = 60, 600, 2, 2400
"""Limits: processor seconds of an adaptation on two cores, its megabytes, seconds for 1,000 kernels on one
core, and processor seconds of pre-training on two cores.
"""


def main() -> None:
    """Measure all costs and print them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parameters", type=int, nargs="*", default=[1, 2, 3])
    parser.add_argument("--kernels", type=int, default=1000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        keep_in(Path(folder))
        for parameters in arguments.parameters:
            _campaign(parameters, arguments.kernels)
    record = json.loads(RECORD.read_text())
    print(
        f"pre-training: {record['processor_seconds']} processor seconds (at most {MOST_TRAINING}), "
        f"{record['seconds']} s; weights: {FILE.stat().st_size / MEGABYTE:.1f} MB"
    )


def _campaign(parameters: int, kernels: int) -> None:
    rng = np.random.default_rng(parameters)
    points = grid(SERIES[:parameters])
    truth = random_functions(kernels, parameters, rng).evaluate(points)
    values = measure(truth, rng, noise=NOISE)
    if extra_installed():
        before = _children_seconds()
        fit(points, values[:10], modeler="adaptive")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / MEGABYTE
        print(
            f"m={parameters}: adapting {_children_seconds() - before:.1f} processor seconds (at most "
            f"{MOST_ADAPTING}), {peak:.0f} MB (at most {MOST_MEMORY})",
            flush=True,
        )
    common = fit(points, values[:10], modeler="adaptive").common
    seconds = []
    for _ in range(3):
        begin = time.process_time()
        models = fit(points, values, modeler="adaptive", common=common)
        seconds.append(time.process_time() - begin)
    assert models.method is not None
    networks = sum(method.startswith("network") for method in models.method.tolist())
    print(
        f"m={parameters}: {kernels} kernels, {networks} by the network, in {min(seconds):.2f} s "
        f"(at most {MOST_MODELING})",
        flush=True,
    )


def _children_seconds() -> float:
    used = os.times()
    return used.children_user + used.children_system


if __name__ == "__main__":
    main()
