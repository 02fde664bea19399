"""What a process of a Celery worker may take, so that one task cannot take the machine."""

import resource
from contextlib import suppress
from pathlib import Path

MEMORY = 1024 * 1024 * 1024
"""Bytes that it may hold; NumPy and Python raise a MemoryError where more is asked for."""

EXPENDABLE = 500
"""Added to how readily the system ends it, before any other process, when a machine's memory runs out."""


def confine() -> None:
    """Bound the memory of this process, and offer it first should the machine's be exhausted.

    The address space can be bounded, what is resident cannot; what is mapped now and not resident will
    hardly become so. Only the soft limit is set: a child that reads a file sets one of its own. Where the
    system does not tell or bound (macOS), Celery's limit for each child remains.
    """
    with suppress(OSError, ValueError):
        mapped, resident, *_ = (int(pages) for pages in Path("/proc/self/statm").read_text().split())
        unused = (mapped - resident) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        limit = MEMORY + unused if hard == resource.RLIM_INFINITY else min(MEMORY + unused, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(EXPENDABLE))
