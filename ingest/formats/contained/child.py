"""Reading in a child process that can hurt nobody: files are made by who knows whom.

The child has little memory and time, writes next to nothing, has no connections and no network (where the
system lets it do without), and answers through a pipe. What it answers is checked again.
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

from ingest.formats.campaign import Campaign
from ingest.formats.contained import exchange
from ingest.formats.errors import FormatError
from ingest.formats.limits import Limits

PATIENCE = 20.0
"""Times the processor time that the child may take by the clock, on a machine that has much else to do."""
SPOOLED_BYTES = 12
"""That a value takes in the file of a spool, the only one that the child may write."""
LIBRARY = ctypes.CDLL(None)
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
PR_SET_PDEATHSIG = 1
ENDINGS = {signal.SIGPROF: "time", signal.SIGXCPU: "time", signal.SIGALRM: "time", signal.SIGKILL: "memory"}


@dataclass(frozen=True)
class Share:
    """What a child may take: a processor's seconds, bytes of memory beyond ours, and bytes of a file."""

    seconds: float
    memory: int
    disk: int


def contained(
    read: Callable[[], Campaign], limits: Limits, opened: BinaryIO | None, size: int, work: int = 0
) -> Campaign:
    """What `read` returns, run in a child.

    Args:
        read: takes nothing but what it was made from.
        limits: of the child, too.
        opened: the file that it reads; None for a folder.
        size: of what it reads, in bytes; more may take more memory.
        work: bytes that it is likely to unpack, if more; more may take longer.

    Raises:
        FormatError: from `read`; or it took too much time or memory, or failed in some other way.
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
    """What a child died of."""
    cause = ENDINGS.get(signal.Signals(os.WTERMSIG(status))) if os.WIFSIGNALED(status) else None
    if cause == "time":
        found = f"a file that takes more than {seconds:.1f} s to read"
        return FormatError(found, "an undamaged file, or several smaller ones")
    if cause == "memory":
        return FormatError(
            "a file whose reader was killed by the system, as it does where memory runs out",
            "to read it when sent again; if not, several smaller ones",
        )
    return exchange.stopped()


def _too_large() -> FormatError:
    return FormatError(
        "a file that takes too much memory to read", "an undamaged file, or several smaller ones"
    )


def _answer(read: Callable[[], Campaign], opened: BinaryIO | None, sender: int, share: Share) -> NoReturn:
    """The child's life; it ends without the parent's clean-up, which is not for two."""
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
            except Exception:  # noqa: BLE001 -- the file's fault, until the log says otherwise
                exchange.send_failure(traceback.format_exc(), answer)
            else:
                exchange.send(campaign, answer)
        code = 0
    finally:
        os._exit(code)


def _confine(opened: BinaryIO | None, sender: int, share: Share) -> None:
    """Give up everything but the file, the pipe, and a share of time and memory."""
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
        LIBRARY.unshare(CLONE_NEWUSER | CLONE_NEWNET)  # some containers forbid it; then the rest must do
        LIBRARY.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # only now: a new user has it forgotten


def restrain(memory: int) -> None:
    """Within a child: let it take at most so many bytes more than it has, or less where it already may."""
    with contextlib.suppress(FileNotFoundError):
        _limit(resource.RLIMIT_AS, _memory() + memory)


def _memory() -> int:
    """Bytes of this process's addresses; raises FileNotFoundError where the system does not tell them."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _limit(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))
