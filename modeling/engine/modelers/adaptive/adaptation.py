"""Adapt the shipped network to a task in a separate process, and keep adapted networks.

Training needs JAX and optax, which are the extra `adaptive`. If they are not installed, or if adaptation
fails, the shipped network is used as it is, and the reason is stored with the models.

The separate process keeps JAX's memory out of the caller. It may be ended at any time, and ends by itself if
its caller has ended. Its command is `python -m modeling.engine.modelers.adaptive.adaptation FOLDER`. It reads
`task.json` from the folder, writes `share.txt` while the network is adapted, and `network.npz` in the end.
"""

import json
import logging
import os
import subprocess
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
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
PRETRAINED_FAILED = "not adapted: adaptation failed, as the log of the worker says"

SECONDS = 900
"""Seconds that adaptation may take. Two free cores need 16 seconds; the limit is much longer because workers
share their machine.
"""

RATE = 0.001
"""AdaMax's initial learning rate. With half this rate, the network learns less about the task in one epoch.
With twice this rate, it forgets more of its earlier training.
"""

KEPT = 20
"""Number of networks in the folder, 7 MB each; the least recently used one is deleted first."""

IN_MEMORY = 2
"""The number of networks in the memory of a process, 15 MB each. It is 2 because portions of two campaigns
may alternate.
"""

VERSION = 1
"""This number is raised whenever the same task gives another network, so that networks adapted by earlier
versions are not used.
"""

PATIENCE = 300.0
"""Seconds before a process repeats an adaptation that failed. Otherwise each portion of a campaign would
wait for the same failure. Later its cause, such as too little memory, may be gone.
"""

PARENT = "PERFWEB_ADAPTING_FOR"
"""Environment variable with the id of the process that waits for the network."""

BETWEEN_REPORTS = 1.0
"""Seconds between two reports on the progress of an adaptation. Pages ask every two seconds."""

Watch = Callable[[float], None]
"""A callback for the progress of an adaptation. It gets the finished share, from 0 to 1, about every
second. It is not called if no network is adapted. An exception that it raises ends the adaptation.
"""


class AdaptationError(Exception):
    """The process ended without an adapted network. The message has the last lines that the process wrote."""


@dataclass
class _Settings:
    """The settings and the state of adaptation in this process.

    They are the folder of adapted networks (None: networks are kept only in this process), whether networks
    are adapted at all, the networks in memory in the order of their last use, and the times of failed
    adaptations.
    """

    folder: Path | None = None
    adapts: bool = True
    in_memory: OrderedDict[str, Network] = field(default_factory=OrderedDict)
    failed: dict[str, float] = field(default_factory=dict)


_SETTINGS = _Settings()


def keep_in(folder: Path | None) -> None:
    """Keep adapted networks in a folder, which several processes may share."""
    _SETTINGS.folder = folder
    _SETTINGS.in_memory.clear()
    _SETTINGS.failed.clear()


def adapt_here(adapts: bool) -> None:
    """Set whether this process may adapt networks if the extra is installed. Without this call, it may."""
    _SETTINGS.adapts = adapts


def extra_installed() -> bool:
    """Return whether the packages that train networks are installed."""
    return _SETTINGS.adapts and find_spec("jax") is not None and find_spec("optax") is not None


def network_for(task: Task, watch: Watch | None = None) -> tuple[Network, str]:
    """Return the network for a task, and either `ADAPTED` or the reason why the network is not adapted.

    A network that was adapted earlier to the same task is used again.
    """
    try:
        network = _known(task)
        if network is None and time.monotonic() < _SETTINGS.failed.get(task.digest, -PATIENCE) + PATIENCE:
            return pretrained(), PRETRAINED_FAILED
        if network is None and extra_installed():
            network = _adapt_apart(task, watch or _unwatched)
    except (OSError, ValueError, KeyError, AdaptationError) as error:
        LOG.warning("The network could not be adapted to a task: %s", error)
        _SETTINGS.failed[task.digest] = time.monotonic()
        return pretrained(), PRETRAINED_FAILED
    if network is None:
        return pretrained(), PRETRAINED_NO_EXTRA
    _remember(task, network)
    return network, ADAPTED


def _unwatched(_: float) -> None:
    """Ignore the progress of an adaptation."""


def _known(task: Task) -> Network | None:
    """Return the network that was adapted to the task earlier, or None if it was not kept."""
    if task.digest in _SETTINGS.in_memory:
        return _SETTINGS.in_memory[task.digest]
    file = _file(task)
    if file is not None:
        with suppress(OSError, ValueError, KeyError):
            network = load(file)
            os.utime(file)
            return network
    return None


def _remember(task: Task, network: Network) -> None:
    networks = _SETTINGS.in_memory
    networks[task.digest] = network
    networks.move_to_end(task.digest)
    while len(networks) > IN_MEMORY:
        networks.popitem(last=False)


def _file(task: Task) -> Path | None:
    return _SETTINGS.folder / f"{task.digest}-{VERSION}.npz" if _SETTINGS.folder else None


def _adapt_apart(task: Task, watch: Watch) -> Network:
    """Adapt the network in another process, and store it in the folder, if there is one."""
    file = _file(task)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=UNDER_WAY, dir=file.parent if file else None) as name:
        folder = Path(name)
        (folder / TASK_FILE).write_text(json.dumps(task.to_json()))
        watch(0.0)
        _run(folder, watch)
        network = load(folder / NETWORK_FILE)
        if file is not None:
            (folder / NETWORK_FILE).replace(file)
            _forget_oldest(file.parent)
    watch(1.0)
    return network


def _run(folder: Path, watch: Watch) -> None:
    """Run the process that adapts a network, and report its progress.

    The process has always ended when this function returns or raises.

    Raises:
        AdaptationError: it failed, was killed, or took too long.
    """
    words = folder / "errors.txt"
    with words.open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", MODULE, str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            env=os.environ | {PARENT: str(os.getpid())},
            cwd=ROOT,
        )
    try:
        _await(process, folder / SHARE_FILE, watch)
    finally:
        process.kill()
        process.wait()
    if process.returncode:
        last = words.read_text(errors="replace").strip().rpartition("\n")[2]
        raise AdaptationError(f"its process ended with {process.returncode}: {last}")


def _await(process: "subprocess.Popen[bytes]", share: Path, watch: Watch) -> None:
    """Report the progress that the process writes to a file, until the process ends.

    Raises:
        AdaptationError: it takes more than `SECONDS`.
    """
    latest = time.monotonic() + SECONDS
    while time.monotonic() < latest:
        with suppress(subprocess.TimeoutExpired):
            process.wait(BETWEEN_REPORTS)
            return
        watch(_share(share))
    raise AdaptationError(f"it took more than {SECONDS} seconds")


def _share(file: Path) -> float:
    """Read the finished share from a file; 0 if there is no file yet."""
    try:
        return float(file.read_text())
    except OSError:
        return 0.0


TASK_FILE, SHARE_FILE, NETWORK_FILE = "task.json", "share.txt", "network.npz"
"""The files by which both processes communicate: the task, the finished share, and the adapted network."""

MODULE = "modeling.engine.modelers.adaptive.adaptation"
ROOT = Path(__file__).resolve().parents[4]
"""The folder from which the other process imports the package."""


UNDER_WAY = "adapting-"
"""Prefix of the names of the temporary folders in which networks are adapted."""


def _forget_oldest(folder: Path) -> None:
    """Delete networks beyond `KEPT`, and folders of killed workers. Other processes may do so
    at the same time.
    """
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


def adapt(task: Task, *, seed: int = 0, watch: Watch | None = None) -> Network:
    """Train the shipped network for one epoch with examples of a task. This needs the extra `adaptive`."""
    from modeling.engine.modelers.adaptive.training import BATCH, train  # noqa: PLC0415 -- needs the extra

    rng = np.random.default_rng(seed)
    examples = task_examples(task, rng)
    steps = len(examples.classes) // BATCH
    batches = _batches(examples, steps, BATCH, watch or _unwatched)
    return train(load(FILE), batches, steps=steps, rate=RATE).network


def _batches(examples: Examples, steps: int, size: int, watch: Watch) -> Iterator[Examples]:
    """Yield each example once, in batches, and report the share of the examples that have been used."""
    for number in range(steps):
        watch(number / steps)
        rows = slice(number * size, (number + 1) * size)
        yield Examples(examples.inputs[rows], examples.classes[rows])


def main() -> None:
    """Adapt the network to the task in a folder, and write the network and the progress to the same
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
        new.replace(folder / SHARE_FILE)  # so readers never see a half-written file

    stored = json.loads((folder / TASK_FILE).read_text())
    task = Task(**stored | {"points": tuple(map(tuple, stored["points"]))})
    adapt(task, watch=report).save(folder / NETWORK_FILE)


def _lift_limit() -> None:
    """Lift the limit on the address space, because JAX reserves much more of it than it uses. A worker's
    own process must keep the limit.
    """
    with suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 -- not on every system

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


if __name__ == "__main__":
    main()
