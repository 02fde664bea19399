"""Adapts the shipped network to a task, in a separate process, and keeps adapted networks.

Training needs JAX and optax, which are the extra `adaptive`. If they are not installed, or if adaptation
fails, the shipped network is used as it is, and the reason is stored with the models.

The separate process keeps JAX's memory out of the caller, can be ended at any time, and ends by itself when
its caller is gone: `python -m modeling.engine.modelers.adaptive.adaptation TASK NETWORK`.
"""

import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

import numpy as np

from modeling.engine.modelers.adaptive.examples import Examples
from modeling.engine.modelers.adaptive.network import FILE, Network, load, pretrained
from modeling.engine.modelers.adaptive.task import Task, task_examples

LOG = logging.getLogger(__name__)

ADAPTED = "adapted"
PRETRAINED_NO_EXTRA = "not adapted: the extra is not installed"
PRETRAINED_FAILED = "not adapted: adaptation failed"

SECONDS = 900
"""Seconds that adaptation may take: many times the 16 that it takes on two free cores, because workers share
their machine."""

RATE = 0.001
"""AdaMax's initial learning rate. With half of it, the network learns less of the task in one epoch; with
twice of it, it forgets more of its earlier training."""

KEPT = 20
"""Number of networks in the folder, 7 MB each; the least recently used one is deleted first."""

IN_MEMORY = 2
"""Number of networks in the memory of a process, 15 MB each: portions of two campaigns may alternate."""

VERSION = 1
"""Raised whenever the same task gives another network, so that networks adapted earlier are not found any
more."""

PARENT = "PERFWEB_ADAPTING_FOR"
"""Environment variable with the number of the process that wants the network."""


@dataclass
class _Settings:
    """The folder where adapted networks are kept (without one, they end with the process), and whether
    networks are adapted at all."""

    folder: Path | None = None
    adapts: bool = True


_SETTINGS = _Settings()


def keep_in(folder: Path | None) -> None:
    """Keep adapted networks in a folder, which all processes that name the same one share."""
    _SETTINGS.folder = folder
    _adapted.cache_clear()


def adapt_here(adapts: bool) -> None:
    """Whether this process may adapt networks, if the extra is installed; it may unless set otherwise."""
    _SETTINGS.adapts = adapts


def extra_installed() -> bool:
    """Whether networks can be trained here."""
    return _SETTINGS.adapts and find_spec("jax") is not None and find_spec("optax") is not None


def network_for(task: Task) -> tuple[Network, str]:
    """The network for a task, and either `ADAPTED` or the reason why it is not adapted.

    Networks that were adapted earlier are found by their task.
    """
    try:
        return _adapted(task, _SETTINGS.folder, extra_installed())
    except (OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
        LOG.warning("The network could not be adapted to a task: %s", error)
        return pretrained(), PRETRAINED_FAILED


@lru_cache(IN_MEMORY)
def _adapted(task: Task, folder: Path | None, able: bool) -> tuple[Network, str]:
    file = folder / f"{task.digest}-{VERSION}.npz" if folder else None
    if file is not None:
        with suppress(OSError, ValueError, KeyError):
            network = load(file)
            os.utime(file)
            return network, ADAPTED
    if not able:
        return pretrained(), PRETRAINED_NO_EXTRA
    return _adapt_apart(task, file), ADAPTED


def _adapt_apart(task: Task, file: Path | None) -> Network:
    """Adapt in another process, and keep the network in `file`."""
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=UNDER_WAY, dir=file.parent if file else None) as folder:
        asked, made = Path(folder) / "task.json", Path(folder) / "network.npz"
        asked.write_text(json.dumps(task.to_json()))
        subprocess.run(
            [sys.executable, "-m", MODULE, str(asked), str(made)],
            check=True,
            timeout=SECONDS,
            capture_output=True,
            env=os.environ | {PARENT: str(os.getpid())},
            cwd=ROOT,
        )
        network = load(made)
        if file is not None:
            made.replace(file)
            _forget_oldest(file.parent)
    return network


MODULE = "modeling.engine.modelers.adaptive.adaptation"
ROOT = Path(__file__).resolve().parents[4]
"""Where Python finds the package in the other process."""


UNDER_WAY = "adapting-"
"""Prefix of the names of the temporary folders in which networks are adapted."""


def _forget_oldest(folder: Path) -> None:
    """Delete networks beyond `KEPT`, and folders that killed workers left behind; other processes may do the
    same at the same time."""
    for file in sorted(folder.glob("*.npz"), key=_last_use)[:-KEPT]:
        file.unlink(missing_ok=True)
    for left in folder.glob(f"{UNDER_WAY}*"):
        if _last_use(left) < time.time() - 2 * SECONDS:
            rmtree(left, ignore_errors=True)


def _last_use(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def adapt(task: Task, *, seed: int = 0) -> Network:
    """Train the shipped network for one epoch with examples of a task; needs the extra."""
    from modeling.engine.modelers.adaptive.training import BATCH, train  # noqa: PLC0415 -- needs the extra

    rng = np.random.default_rng(seed)
    examples = task_examples(task, rng)
    steps = len(examples.classes) // BATCH
    return train(load(FILE), _batches(examples, steps, BATCH), steps=steps, rate=RATE).network


def _batches(examples: Examples, steps: int, size: int) -> Iterator[Examples]:
    """Yield each example once; end this process when nobody waits for it any more."""
    parent = int(os.environ.get(PARENT, "0"))
    for number in range(steps):
        if parent and os.getppid() != parent:
            sys.exit("Nobody waits for the network any more.")
        rows = slice(number * size, (number + 1) * size)
        yield Examples(examples.inputs[rows], examples.classes[rows])


def main() -> None:
    """Adapt the network to the task in a file, and write it to another."""
    _lift_limit()
    asked, made = map(Path, sys.argv[1:])
    stored = json.loads(asked.read_text())
    task = Task(**stored | {"points": tuple(map(tuple, stored["points"]))})
    begin = time.perf_counter()
    adapt(task).save(made)
    LOG.info("Adapted in %.1f s.", time.perf_counter() - begin)


def _lift_limit() -> None:
    """Allow the address space that JAX reserves, which a worker's process must not take; little of it is
    used."""
    with suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 -- not on every system

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


if __name__ == "__main__":
    main()
