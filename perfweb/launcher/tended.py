"""Runs a Python module so that it and its forked processes end when the launcher has ended.

    python -m perfweb.launcher.tended celery -A perfweb.celery worker

The guard does this as well; this module helps if the guard has been killed. Only the standard library is
used.
"""

import os
import runpy
import signal
import sys
import threading
import time
from collections.abc import Callable

from perfweb.launcher.parent_death import signal_at_parents_death

PATIENCE = 5.0
"""Seconds that a process has to end by itself when the launcher has ended."""

INTERVAL = 0.5
"""Seconds between two checks of the parent's id."""


forking: int = 0
"""Id of the process that forked last. It is stored before the fork: this process may die right after it."""


def main() -> None:
    """Run the module that the arguments name."""
    _follow(os.getppid(), _end)
    os.register_at_fork(before=note_parent, after_in_child=follow_parent)
    module, *sys.argv[1:] = sys.argv[1:]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def note_parent() -> None:
    """Store this process's id for a child."""
    global forking  # noqa: PLW0603 -- hooks of a fork take nothing and return nothing
    forking = os.getpid()


def follow_parent() -> None:
    """Let this process end with its parent: on Linux by a signal, elsewhere by a thread that checks."""
    if not signal_at_parents_death(signal.SIGKILL, forking):
        _follow(forking, _kill)


def _follow(parent: int, end: Callable[[], None]) -> None:
    threading.Thread(target=_watch, args=[parent, end], daemon=True).start()


def _watch(parent: int, end: Callable[[], None]) -> None:
    while os.getppid() == parent:
        time.sleep(INTERVAL)
    end()


def _end() -> None:
    """Ask this process to stop, then kill it, including its children."""
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(PATIENCE)
    os.killpg(0, signal.SIGKILL)


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
