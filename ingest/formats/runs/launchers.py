"""Finds the number of processes in commands that start a parallel program: `mpirun -np 16 ./app`."""

import re

PROCESSES = "processes"
"""Name of the parameter of processes that only a command tells."""
_LAUNCHERS = ("mpirun", "mpiexec", "srun", "aprun", "flux run", "jsrun")
_COUNT = re.compile(r"(?:^|\s)(?:-np|-n|--ntasks[= ])\s*(\d{1,9})\b")


def processes_launched(text: str) -> float | None:
    """Return the number of processes that a command starts, or None for any other line."""
    found = _COUNT.search(text) if any(name in text for name in _LAUNCHERS) else None
    return float(found[1]) if found else None
