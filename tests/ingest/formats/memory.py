"""Measures the peak memory of this process and its children, and the processor time of the children."""

import gc
import re
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def most() -> int:
    """Return the peak memory of this process in KiB, since it began to run its program.

    `ru_maxrss` is not used, because it would include the memory of a larger parent process.
    """
    found = re.search(r"VmHWM:\s*([0-9]+) kB", Path("/proc/self/status").read_text())
    assert found
    return int(found[1])


def most_of_children() -> int:
    """Return the peak memory of the largest child that has ended, in KiB.

    It includes the memory that the child shares with this process.
    """
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


def seconds_of_children() -> float:
    """Return the processor time that child processes have taken so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def at_most_seconds(limit: float) -> Iterator[None]:
    """Fail if the body of the context takes more processor time than this.

    The objects of earlier tests are excluded from garbage collection meanwhile. Otherwise the time would grow
    with their number. In production a reader runs in a child process, where garbage is not collected.
    """
    gc.freeze()
    try:
        begun = time.process_time()
        yield
        taken = time.process_time() - begun
    finally:
        gc.unfreeze()
    assert taken < limit
