"""Stops the programs of a killed launcher; the guard itself ends afterwards.

This module is run as a script. It reads lines "+ PID SIGNAL" and "- PID" from standard input, whose other end
only the launcher holds. When the input ends, however the launcher died, every process that is still listed
gets its signal, and five seconds later its whole group is killed.
"""

import os
import signal
import sys
import time
from contextlib import suppress

PATIENCE = 5.0


def main() -> None:
    """Read lines until the launcher is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    listed: dict[int, int] = {}
    for line in sys.stdin:
        sign, pid, *rest = line.split()
        if sign == "+":
            listed[int(pid)] = int(rest[0])
        else:
            listed.pop(int(pid), None)
    stop(listed)


def stop(listed: dict[int, int]) -> None:
    """Ask each process to stop, then kill the processes that remain."""
    for pid, number in listed.items():
        with suppress(ProcessLookupError):
            os.kill(pid, number)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and any(map(_alive, listed)):
        time.sleep(0.05)
    for pid in listed:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


if __name__ == "__main__":
    main()
