"""Adapt the shipped network to a task: `python -m modeling.engine.modelers.adaptive.process FOLDER`. The
module `apart` starts this program, which needs the extra `adaptive`. It reads the task from the folder, and
writes the finished share and the network to the same folder.
"""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np

from modeling.engine.modelers.adaptive.apart import NETWORK_FILE, PARENT, SHARE_FILE, TASK_FILE, Watch
from modeling.engine.modelers.adaptive.examples import Examples
from modeling.engine.modelers.adaptive.network import FILE, Network, load
from modeling.engine.modelers.adaptive.task import Task, task_examples
from modeling.engine.modelers.adaptive.training import BATCH, train

RATE = 0.001
"""AdaMax's initial learning rate. With half this rate, the network learns less about the task in one epoch.
With twice this rate, it forgets more of its earlier training.
"""


def main() -> None:
    """Adapt the network to the task in a folder, and write the progress and the network to the same
    folder.
    """
    _lift_limit()
    folder = Path(sys.argv[1])
    parent = int(os.environ.get(PARENT, "0"))

    def report(share: float) -> None:
        if parent and os.getppid() != parent:
            sys.exit("Nobody waits for the network any more.")
        new = folder / "new.txt"
        new.write_text(f"{share:.3f}")
        new.replace(folder / SHARE_FILE)  # readers never see a half-written file

    stored = json.loads((folder / TASK_FILE).read_text())
    task = Task(**stored | {"points": tuple(map(tuple, stored["points"]))})
    adapted(task, report).save(folder / NETWORK_FILE)


def adapted(task: Task, watch: Watch) -> Network:
    """Train the shipped network for one epoch with examples of a task."""
    rng = np.random.default_rng(0)
    examples = task_examples(task, rng)
    steps = len(examples.classes) // BATCH
    batches = _batches(examples, steps, watch)
    return train(load(FILE), batches, steps=steps, rate=RATE).network


def _batches(examples: Examples, steps: int, watch: Watch) -> Iterator[Examples]:
    """Yield each example once, in batches, and report the share of the examples that have been used."""
    for number in range(steps):
        watch(number / steps)
        rows = slice(number * BATCH, (number + 1) * BATCH)
        yield Examples(examples.inputs[rows], examples.classes[rows])


def _lift_limit() -> None:
    """Lift this program's limit on the address space, because JAX reserves much more of it than it uses."""
    with suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 -- not on every system

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


if __name__ == "__main__":
    main()
