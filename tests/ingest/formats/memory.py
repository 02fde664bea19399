"""How much memory this process and its children have had at most, and how much time the children."""

import re
import resource
from pathlib import Path


def most() -> int:
    """KiB since its program began; `ru_maxrss` would be that of a larger parent, which hides everything."""
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
