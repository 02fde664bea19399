"""A signal that Linux sends a process when its parent has died; other systems know no such thing."""

import ctypes
import os
import signal
import sys
from collections.abc import Callable

SET_SIGNAL = 1  # PR_SET_PDEATHSIG of <linux/prctl.h>
SYSTEM = ctypes.CDLL(None) if sys.platform == "linux" else None


def signal_at_parents_death(number: int, parent: int) -> bool:
    """Have the system send us the signal when the thread that forked us ends; False where it cannot.

    It lasts through `exec`, unless that changes the user, and is not inherited.
    """
    if SYSTEM is None:
        return False
    SYSTEM.prctl(SET_SIGNAL, number)
    if os.getppid() != parent:  # it died before we asked
        os.kill(os.getpid(), signal.SIGKILL)
    return True


def at_start(number: int) -> Callable[[], None]:
    """For `preexec_fn` of a child process that is to get the signal when we die."""
    parent = os.getpid()

    def prepare() -> None:
        signal_at_parents_death(number, parent)

    return prepare
