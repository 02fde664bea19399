"""How much memory this process and its children have had at most, and how much time the children."""

import gc
import re
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def most() -> int:
    """KiB since the process began its program; `ru_maxrss` would include the memory of a larger parent from
    which it was forked."""
    found = re.search(r"VmHWM:\s*([0-9]+) kB", Path("/proc/self/status").read_text())
    assert found
    return int(found[1])


def most_of_children() -> int:
    """KiB of the largest child that has ended, with what it shares with this process."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


def seconds_of_children() -> float:
    """Processor time that child processes have taken so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def at_most_seconds(limit: float) -> Iterator[None]:
    """Fail if the body takes more processor time than this.

    A reader runs in a child whose garbage is not collected; here, collecting it would walk all that the tests
    before have left, which takes longer the more they are.
    """
    gc.freeze()
    try:
        begun = time.process_time()
        yield
        taken = time.process_time() - begun
    finally:
        gc.unfreeze()
    assert taken < limit
