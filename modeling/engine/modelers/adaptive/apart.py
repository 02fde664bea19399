"""Adapt the network to a task in a separate process of the program `process.py`, and wait for it. The
separate process keeps JAX's memory out of the caller, and may be killed at any time. It ends if its caller
has ended. Caller and process communicate by files in a folder.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from modeling.engine.modelers.adaptive.network import Network, load
from modeling.engine.modelers.adaptive.task import Task

TASK_FILE, SHARE_FILE, NETWORK_FILE = "task.json", "share.txt", "network.npz"
"""The files in the folder: the task, the finished share, and the adapted network."""

PARENT = "PERFWEB_ADAPTING_FOR"
"""Environment variable with the id of the process that waits for the network."""

SECONDS = 900
"""Seconds that adaptation may take. Two free cores need 16 seconds, but workers share their machine."""

BETWEEN_REPORTS = 1.0
"""Seconds between two reports on the progress of an adaptation."""

MODULE = "modeling.engine.modelers.adaptive.process"
ROOT = Path(__file__).resolve().parents[4]
"""The folder from which the other process imports the package."""

Watch = Callable[[float], None]
"""It is called about every second with the finished share of an adaptation, from 0 to 1. If it raises an
exception, the adaptation ends.
"""


class AdaptationError(Exception):
    """The separate process ended without an adapted network. The message says why."""


def adapted_apart(task: Task, folder: Path, watch: Watch) -> Network:
    """Adapt the network in a separate process, which writes it to `NETWORK_FILE` in an empty folder. The
    process has ended when this function returns or raises.

    Raises:
        AdaptationError: the process failed, was killed, or took too long.
        OSError, ValueError, KeyError: the process wrote no network, or one with other layers.
    """
    (folder / TASK_FILE).write_text(json.dumps(task.to_json()))
    watch(0.0)
    _run(folder, watch)
    return load(folder / NETWORK_FILE)


def _run(folder: Path, watch: Watch) -> None:
    """Run the process that adapts the network, and report its progress."""
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
    if process.returncode < 0:
        raise AdaptationError(f"its process was killed by signal {-process.returncode}")
    if process.returncode:
        last = words.read_text(errors="replace").strip().rpartition("\n")[2]
        raise AdaptationError(f"its process ended with exit code {process.returncode}: {last}")


def _await(process: "subprocess.Popen[bytes]", share: Path, watch: Watch) -> None:
    """Report the progress that the process writes to a file, until the process ends or takes too long."""
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
