"""A limit on how long work may take."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn


class TimeLimitError(Exception):
    """The work took too long."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Break off what takes longer; only in a process's main thread, which is where tasks run.

    A single long call of NumPy is broken off when it returns.

    Raises:
        TimeLimitError: inside of the block.
    """

    def end(*_: object) -> NoReturn:
        raise TimeLimitError

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
