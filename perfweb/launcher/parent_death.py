"""A signal that Linux sends a process when its parent has died; other systems have no such signal."""

import ctypes
import os
import signal
import sys
from collections.abc import Callable

SET_SIGNAL = 1  # PR_SET_PDEATHSIG of <linux/prctl.h>
SYSTEM = ctypes.CDLL(None) if sys.platform == "linux" else None


def signal_at_parents_death(number: int, parent: int) -> bool:
    """Request the signal for the end of the thread that forked this process; False: not on this system.

    The request remains valid after `exec`, unless `exec` changes the user. Child processes do not inherit it.
    """
    if SYSTEM is None:
        return False
    SYSTEM.prctl(SET_SIGNAL, number)
    if os.getppid() != parent:  # the parent died before the request
        os.kill(os.getpid(), signal.SIGKILL)
    return True


def at_start(number: int) -> Callable[[], None]:
    """Return a `preexec_fn` for a child process that gets the signal when this process dies."""
    parent = os.getpid()

    def prepare() -> None:
        signal_at_parents_death(number, parent)

    return prepare
