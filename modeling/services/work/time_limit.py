"""Limit the time that work may take."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn


class TimeLimitError(Exception):
    """Work takes too long."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Interrupt the block after this time. This works only in a process's main thread, where tasks run.

    A call of NumPy is interrupted only when it returns.

    Raises:
        TimeLimitError: in the block, when the time is over.
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
