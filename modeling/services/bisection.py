"""Work on many kernels that some of them make fail: only these are lost."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Result = TypeVar("Result")
Kernels = NDArray[np.int64]

LONGEST_REASON = 200
"""Characters of an error's own words that are kept."""


@dataclass(frozen=True)
class Failure:
    """A kernel, by its number, that cannot be worked on: the reason in words, and for the log where."""

    kernel: int
    reason: str
    trace: str


def bisected(
    kernels: Kernels, work: Callable[[Kernels], Result], escaping: tuple[type[Exception], ...] = ()
) -> tuple[list[tuple[Kernels, Result]], list[Failure]]:
    """Work on kernels, given by their numbers, in as few groups as can be.

    A group in which something is raised is halved until single kernels are left to fail; only what is
    `escaping` ends it all. Returns each group with what the work returned, and the failures.
    """
    if not len(kernels):
        return [], []
    try:
        return [(kernels, work(kernels))], []
    except escaping:
        raise
    except Exception as error:  # noqa: BLE001 -- whatever it is, it must cost the kernels that cause it alone
        if len(kernels) == 1:
            trace = "".join(traceback.format_exception(error))
            return [], [Failure(int(kernels[0]), reason_of(error), trace)]
    # Outside of the handler: the arrays that the error's frames hold are free again.
    halves = [bisected(half, work, escaping) for half in np.array_split(kernels, 2)]
    return [group for done, _ in halves for group in done], [each for _, lost in halves for each in lost]


def reason_of(error: Exception) -> str:
    """What went wrong, as the end of a sentence."""
    text = " ".join(str(error).split())[:LONGEST_REASON]
    name = "not enough memory" if isinstance(error, MemoryError) else f"an unexpected {type(error).__name__}"
    return f"{name} ({text})" if text else name
