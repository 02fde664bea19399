"""Pre-train the network that the package ships: `python -m modeling.engine.modelers.adaptive.train --seed 0`.

This needs the extra `adaptive`. It writes `weights.npz`, and a record of the training in `weights.json`, next
to this module. The same seed gives the same examples, but rounding differs between processors.
"""

import argparse
import json
import logging
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from modeling.engine.modelers.adaptive.examples import Examples, generic_examples
from modeling.engine.modelers.adaptive.network import FILE, WIDTHS, initial
from modeling.engine.modelers.adaptive.training import BATCH, train

LOG = logging.getLogger(__name__)

EPOCH = 86_000
"""The number of examples in an epoch, as in the paper. Here every epoch has new examples."""

DATA = (
    "c_0 + c_1 x^i log2^j(x), exponents of E43 uniform, coefficients U[0.001, 1000], noise U[0, 100 %], "
    "median of 1 to 5 repetitions, 5 to 11 values, linear, small linear, small exponential or uniform"
)

SEED, EPOCHS = 0, 40
"""The seed and the number of epochs with which the shipped weights were made."""

RATE = 0.002
WARM_UP = 200
"""AdaMax's learning rate, and the number of steps until it is reached. With twice the rate, training
sometimes diverges. With half this rate, it takes more epochs to converge.
"""


def main() -> None:
    """Train the network, save it, and record how it was trained."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--epochs", type=int, default=EPOCHS, help=f"of {EPOCH} new examples each")
    parser.add_argument("--output", type=Path, default=FILE, help="where the weights are written")
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    steps = arguments.epochs * EPOCH // BATCH
    begin, begin_cpu = time.perf_counter(), time.process_time()
    trained = train(
        initial(rng), _batches(steps, rng, begin), steps=steps, rate=RATE, warm_up=min(WARM_UP, steps // 2)
    )
    trained.network.save(arguments.output)
    record = {
        "seed": arguments.seed,
        "data": DATA,
        "layers": WIDTHS,
        "examples": steps * BATCH,
        "epochs": arguments.epochs,
        "loss": round(trained.loss, 4),
        "accuracy": round(trained.accuracy, 4),
        "seconds": round(time.perf_counter() - begin),
        "processor_seconds": round(time.process_time() - begin_cpu),
    }
    arguments.output.with_suffix(".json").write_text(json.dumps(record, indent=1) + "\n")
    LOG.info("%s", json.dumps(record, indent=1))


def _batches(steps: int, rng: np.random.Generator, begin: float) -> Iterator[Examples]:
    """Yield new examples for every step, and log the progress every thousand steps."""
    ahead = 16
    for number in range(0, steps, ahead):
        some = generic_examples(ahead * BATCH, rng)
        for part in range(min(ahead, steps - number)):
            rows = slice(part * BATCH, (part + 1) * BATCH)
            yield Examples(some.inputs[rows], some.classes[rows])
        if number % 1000 < ahead:
            LOG.info("step %s of %s, %.0f s", number, steps, time.perf_counter() - begin)


if __name__ == "__main__":
    main()
