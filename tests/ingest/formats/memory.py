"""How much memory this process has had at most, and how much time its children."""

import re
import resource
from pathlib import Path


def most() -> int:
    """KiB since its program began; `ru_maxrss` would be that of a larger parent, which hides everything."""
    found = re.search(r"VmHWM:\s*([0-9]+) kB", Path("/proc/self/status").read_text())
    assert found
    return int(found[1])


def seconds_of_children() -> float:
    """Processor time that child processes have taken so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
