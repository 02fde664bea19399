"""Runs a Python module, such as Celery, that ends when the launcher has; so does every process that it forks.

    python -m perfweb.launcher.tended celery -A perfweb.celery worker

A guard ends the programs of a killed launcher. This is for when the guard has been killed, too. Standard
library only.
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
"""Seconds to end in good order when the launcher is gone."""

INTERVAL = 0.5
"""Seconds between two looks at who the parent is."""


forking: int = 0
"""The process that forked last, as it knew before: a child may come too late to ask who it was."""


def main() -> None:
    """Run the module that the arguments name."""
    _follow(os.getppid(), _end)
    os.register_at_fork(before=note_parent, after_in_child=follow_parent)
    module, *sys.argv[1:] = sys.argv[1:]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def note_parent() -> None:
    """Keep for a child who its parent is."""
    global forking  # noqa: PLW0603 -- hooks of a fork take nothing and return nothing
    forking = os.getpid()


def follow_parent() -> None:
    """End with the parent: Linux sees to it; elsewhere a thread looks."""
    if not signal_at_parents_death(signal.SIGKILL, forking):
        _follow(forking, _kill)


def _follow(parent: int, end: Callable[[], None]) -> None:
    """Call `end` in a thread once the parent is gone."""
    threading.Thread(target=_watch, args=[parent, end], daemon=True).start()


def _watch(parent: int, end: Callable[[], None]) -> None:
    while os.getppid() == parent:
        time.sleep(INTERVAL)
    end()


def _end() -> None:
    """Ask ourselves to stop, then insist, for our children too."""
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(PATIENCE)
    os.killpg(0, signal.SIGKILL)


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
