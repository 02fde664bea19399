"""Reads a file in a confined child process, because anybody may have made the file.

The child has little memory and time, no open connections and, if the system allows it, no network. It may
write hardly anything. The parent process checks its answer.
"""

import contextlib
import ctypes
import gc
import math
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.contained import exchange
from ingest.formats.errors import FormatError
from ingest.formats.limits import Limits

PATIENCE = 20.0
"""Limit on the wall-clock time of the child, in multiples of its limit on processor time, because the machine
may be busy.
"""
SPOOLED_BYTES = 12
"""Bytes of a value in the file of a spool, the only file that the child may write."""
LIBRARY = ctypes.CDLL(None)
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
PR_SET_PDEATHSIG = 1
ENDINGS = {signal.SIGPROF: "time", signal.SIGXCPU: "time", signal.SIGALRM: "time", signal.SIGKILL: "memory"}


@dataclass(frozen=True)
class Share:
    """What a child may use: processor seconds, bytes of memory beyond the parent's, and bytes of a file."""

    seconds: float
    memory: int
    disk: int


def contained(
    read: Callable[[], Campaign], limits: Limits, opened: BinaryIO | None, size: int, work: int = 0
) -> Campaign:
    """Run `read` in a child process and return its result.

    Args:
        opened: the file to read; None for a folder.
        size: bytes to read, which raise the limit on memory.
        work: bytes to unpack, if more than `size`, which raise the limit on time.

    Raises:
        FormatError: `read` raised it; or the child needed too much time or memory, or failed in another way.
    """
    receiver, sender = os.pipe()
    seconds = limits.child_seconds + max(size, work) / limits.child_rate
    memory = min(limits.child_memory + limits.child_memory_ratio * size, limits.child_memory_most)
    child = os.fork()
    if not child:
        _answer(read, opened, sender, Share(seconds, memory, SPOOLED_BYTES * limits.values))
    os.close(sender)
    try:
        with open(receiver, "rb") as answer, contextlib.suppress(EOFError):
            return exchange.receive(answer, limits)
    except MemoryError:
        raise _too_large() from None
    finally:
        _, status = os.waitpid(child, 0)
    raise _why(status, seconds)


def _why(status: int, seconds: float) -> FormatError:
    """Explain why a child was killed."""
    cause = ENDINGS.get(signal.Signals(os.WTERMSIG(status))) if os.WIFSIGNALED(status) else None
    if cause == "time":
        found = f"a file that takes more than {seconds:.1f} s to read"
        return FormatError(found, "an undamaged file, or several smaller ones")
    if cause == "memory":
        return FormatError(
            "a file whose reader was killed by the system, probably because memory ran out",
            "the same file sent again; if that fails too, several smaller files",
        )
    return exchange.stopped()


def _too_large() -> FormatError:
    return FormatError(
        "a file that takes too much memory to read", "an undamaged file, or several smaller ones"
    )


def _answer(read: Callable[[], Campaign], opened: BinaryIO | None, sender: int, share: Share) -> NoReturn:
    """Run the child from its beginning to its end, without the parent's clean-up."""
    code = 1
    try:
        gc.disable()
        _confine(opened, sender, share)
        with open(sender, "wb") as answer:
            try:
                campaign = read()
            except FormatError as error:
                exchange.send_error(error, answer)
            except MemoryError:
                exchange.send_error(_too_large(), answer)
            except Exception:  # noqa: BLE001 -- any failure may be caused by the file
                exchange.send_failure(traceback.format_exc(), answer)
            else:
                exchange.send(campaign, answer)
        code = 0
    finally:
        os._exit(code)


def _confine(opened: BinaryIO | None, sender: int, share: Share) -> None:
    """Close everything except the file and the pipe, and set the limits on time and memory."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGPIPE, *ENDINGS.keys() - {signal.SIGKILL}):
        signal.signal(number, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, share.seconds)
    signal.setitimer(signal.ITIMER_REAL, share.seconds * PATIENCE)
    _limit(resource.RLIMIT_CPU, math.ceil(share.seconds) + 1)
    _limit(resource.RLIMIT_FSIZE, share.disk)
    _limit(resource.RLIMIT_CORE, 0)
    with contextlib.suppress(FileNotFoundError):  # on Linux only
        _limit(resource.RLIMIT_AS, _memory() + share.memory)
    kept = sorted({sender, opened.fileno() if opened else sender})
    for before, after in zip([-1, *kept], [*kept, 1 << 16], strict=True):
        os.closerange(before + 1, after)
    if sys.platform == "linux":
        # some containers forbid this step; then the other limits must suffice
        LIBRARY.unshare(CLONE_NEWUSER | CLONE_NEWNET)
        # this setting comes last, because the kernel resets it when the user changes
        LIBRARY.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def restrain(memory: int) -> None:
    """Let the calling child use at most `memory` further bytes, within its present limit."""
    with contextlib.suppress(FileNotFoundError):
        _limit(resource.RLIMIT_AS, _memory() + memory)


def _memory() -> int:
    """Return the size of this process's address space in bytes.

    Raises:
        FileNotFoundError: the system does not show it.
    """
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _limit(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))
