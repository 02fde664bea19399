"""Work on many kernels so that failing kernels do not affect the other kernels."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Result = TypeVar("Result")
Kernels = NDArray[np.int64]

LONGEST_REASON = 200
"""Limit on the characters of an error's message that are kept."""


@dataclass(frozen=True)
class Failure:
    """A kernel's index, the reason of its failure in words, and the traceback for the log."""

    kernel: int
    reason: str
    trace: str


def bisected(
    kernels: Kernels, work: Callable[[Kernels], Result], escaping: tuple[type[Exception], ...] = ()
) -> tuple[list[tuple[Kernels, Result]], list[Failure]]:
    """Work on kernels, given by their indices, in as few groups as possible.

    A group that fails is halved, down to single kernels. Exceptions in `escaping` end the whole work.
    """
    if not len(kernels):
        return [], []
    try:
        return [(kernels, work(kernels))], []
    except escaping:
        raise
    except Exception as error:  # noqa: BLE001 -- any failure must affect only the kernels that cause it
        if len(kernels) == 1:
            trace = "".join(traceback.format_exception(error))
            return [], [Failure(int(kernels[0]), reason_of(error), trace)]
    # Outside of the handler, the arrays in the error's frames can be freed.
    halves = [bisected(half, work, escaping) for half in np.array_split(kernels, 2)]
    return [group for done, _ in halves for group in done], [each for _, lost in halves for each in lost]


def reason_of(error: Exception) -> str:
    """Return the reason of an error in words that fit the end of a sentence."""
    text = " ".join(str(error).split())[:LONGEST_REASON]
    name = "not enough memory" if isinstance(error, MemoryError) else f"an unexpected {type(error).__name__}"
    return f"{name} ({text})" if text else name
