"""Limits of a Celery worker's process, so that one task cannot exhaust the machine."""

import resource
from contextlib import suppress
from pathlib import Path

MEMORY = 1024 * 1024 * 1024
"""Limit on the memory of a worker's process in bytes. Beyond it, NumPy and Python raise a MemoryError."""

EXPENDABLE = 500
"""Added to the score by which the system ends processes when memory runs out: workers end first."""


def confine() -> None:
    """Limit the memory of this process, and let it end first if the machine's memory is exhausted.

    Only the address space can be limited, so memory that is mapped but not resident is added to the limit.
    Only the soft limit is set, because a child that reads a file sets its own. If the system cannot limit
    memory (macOS), Celery's limit for each child remains.
    """
    with suppress(OSError, ValueError):
        mapped, resident, *_ = (int(pages) for pages in Path("/proc/self/statm").read_text().split())
        unused = (mapped - resident) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        limit = MEMORY + unused if hard == resource.RLIM_INFINITY else min(MEMORY + unused, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(EXPENDABLE))
