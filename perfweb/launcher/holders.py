"""Finds the processes that have a file open."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PROCESSES = Path("/proc")


def holders(path: Path) -> list[int]:
    """Return ids of the other processes that have the path open, as far as the system shows them."""
    found = _from_system(path) if (PROCESSES / "self" / "fd").is_dir() else _from_lsof(path)
    return sorted({*found} - {os.getpid()})


def _from_system(path: Path) -> Iterator[int]:
    """Yield the ids of the processes that have a file open, from /proc on Linux."""
    wanted = path.stat()
    for opened in PROCESSES.glob("[0-9]*/fd/*"):
        with suppress(OSError):  # the process has ended meanwhile, or belongs to another user
            if os.path.samestat(opened.stat(), wanted):
                yield int(opened.parts[2])


def _from_lsof(path: Path) -> Iterator[int]:
    """Yield the ids of the processes that have a file open, from lsof, which macOS has."""
    if program := shutil.which("lsof", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/bin"):
        done = subprocess.run([program, "-t", "--", path], capture_output=True, text=True, check=False)
        yield from map(int, done.stdout.split())


def command_of(pid: int) -> str:
    """Return the command of a process, for a message; empty if it is not known."""
    with suppress(OSError):
        return (PROCESSES / str(pid) / "cmdline").read_text(errors="replace").replace("\0", " ").strip()
    with suppress(OSError):
        command = ["ps", "-wwo", "command=", "-p", str(pid)]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return ""
