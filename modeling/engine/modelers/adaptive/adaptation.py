"""Find the network for a task: the shipped one, or one that is adapted to the task with the extra `adaptive`.
If the extra is not installed, or if adaptation fails, the shipped network is used. The models contain the
reason.
"""

import logging
import os
import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

from modeling.engine.modelers.adaptive.apart import (
    NETWORK_FILE,
    SECONDS,
    AdaptationError,
    Watch,
    adapted_apart,
)
from modeling.engine.modelers.adaptive.network import Network, load, pretrained
from modeling.engine.modelers.adaptive.task import Task

LOG = logging.getLogger(__name__)

ADAPTED = "adapted"
PRETRAINED_NO_EXTRA = "not adapted: the extra is not installed"
PRETRAINED_FAILED = "not adapted: adaptation failed, as the log of the worker says"

KEPT = 20
"""Default limit on the number of adapted networks in the folder, 7 MB each."""

IN_MEMORY = 2
"""The number of networks in memory, 15 MB each: two, because portions of two campaigns may alternate."""

VERSION = 1
"""This number is raised whenever the same task gives another network."""

PATIENCE = 300.0
"""Seconds before an adaptation that failed is tried again."""

UNDER_WAY = "adapting-"
"""Prefix of the names of the temporary folders in which networks are adapted."""


@dataclass
class _Settings:
    """The settings and the state of adaptation in this program. Without a `folder`, adapted networks are kept
    in memory only. `in_memory` has the networks by task, in the order of their last use. `failed` has the
    times of failed adaptations by task.
    """

    folder: Path | None = None
    at_most: int = KEPT
    adapts: bool = True
    in_memory: OrderedDict[str, Network] = field(default_factory=OrderedDict)
    failed: dict[str, float] = field(default_factory=dict)


_SETTINGS = _Settings()


def keep_in(folder: Path | None, at_most: int = KEPT) -> None:
    """Keep at most `at_most` adapted networks in a folder, which several programs may share. With None, keep
    networks in memory only.
    """
    _SETTINGS.folder, _SETTINGS.at_most = folder, at_most
    _SETTINGS.in_memory.clear()
    _SETTINGS.failed.clear()


def adapt_here(adapts: bool) -> None:
    """Set whether this program may adapt networks if the extra is installed. Without this call, it may."""
    _SETTINGS.adapts = adapts


def extra_installed() -> bool:
    """Return whether networks can be adapted: the extra is installed, and `adapt_here` does not forbid it."""
    return _SETTINGS.adapts and find_spec("jax") is not None and find_spec("optax") is not None


def network_for(task: Task, watch: Watch | None = None) -> tuple[Network, str]:
    """Return the network for a task, and either `ADAPTED` or the reason why the network is not adapted.
    `watch` is called with the progress.
    """
    try:
        network = _known(task)
        if network is None and time.monotonic() < _SETTINGS.failed.get(task.digest, -PATIENCE) + PATIENCE:
            return pretrained(), PRETRAINED_FAILED
        if network is None and extra_installed():
            network = _adapt(task, watch or _unwatched)
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


def _adapt(task: Task, watch: Watch) -> Network:
    """Adapt the network to a task, and store it in the folder, if there is one."""
    file = _file(task)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=UNDER_WAY, dir=file.parent if file else None) as name:
        network = adapted_apart(task, Path(name), watch)
        if file is not None:
            (Path(name) / NETWORK_FILE).replace(file)
            _forget_oldest(file.parent)
    watch(1.0)
    return network


def _forget_oldest(folder: Path) -> None:
    """Delete the oldest networks beyond the limit, and folders that killed workers left."""
    for file in sorted(folder.glob("*.npz"), key=_last_use)[: -_SETTINGS.at_most]:
        file.unlink(missing_ok=True)
    for left in folder.glob(f"{UNDER_WAY}*"):
        if _last_use(left) < time.time() - 2 * SECONDS:
            rmtree(left, ignore_errors=True)


def _last_use(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0
