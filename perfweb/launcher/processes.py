"""Child processes that end with the launcher, and are restarted if they die while it runs."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from perfweb.launcher import guard
from perfweb.launcher.hold import Hold
from perfweb.launcher.parent_death import at_start

PATIENCE = 8.0
"""Seconds that a process has to stop by itself."""

BACK_OFF = 5.0
"""Seconds between two starts of a process that keeps dying."""


@dataclass
class Program:
    """The command that starts a process, and how it is stopped."""

    name: str
    command: Sequence[str]
    log: Path
    environment: Mapping[str, str] | None = None
    stop_signal: int = signal.SIGTERM
    pass_fds: Sequence[int] = ()
    # called before every start, with the inherited descriptors
    prepare: Callable[[Sequence[int]], None] = lambda _: None
    process: "subprocess.Popen[bytes] | None" = field(default=None, init=False)
    started: float = field(default=0.0, init=False)

    def start(self, inherited: Sequence[int] = ()) -> "subprocess.Popen[bytes]":
        """Start the program in a session of its own, so that Ctrl-C reaches only the launcher."""
        self.prepare(inherited)
        self.started = time.monotonic()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.environment,
                pass_fds=[*self.pass_fds, *inherited],
                start_new_session=True,
                preexec_fn=at_start(self.stop_signal),  # noqa: PLW1509 -- one call into the system
            )
        return self.process

    def last_words(self) -> str:
        """Return the end of the program's log, for an error message."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-15:])


class Processes:
    """All processes of one launcher, in the order in which they were started."""

    def __init__(self, hold: Hold | None = None) -> None:
        """Start no process yet; the data folder in `hold` stays locked until all processes have stopped."""
        self.programs: list[Program] = []
        self._hold = hold
        self._guard = self._start_guard()

    def _start_guard(self) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-I", "-S", guard.__file__],
            stdin=subprocess.PIPE,
            text=True,
            start_new_session=True,
            pass_fds=[self._hold.lock] if self._hold else [],
        )

    def start(self, program: Program) -> None:
        """Start a program and watch it from now on."""
        self._begin(program)
        self.programs.append(program)

    def _begin(self, program: Program) -> None:
        program.start([self._hold.sockets] if self._hold else [])
        self._list(program)

    def _list(self, program: Program) -> None:
        if program.process is not None:
            self._write(f"+ {program.process.pid} {program.stop_signal}\n")

    def _write(self, line: str) -> None:
        assert self._guard.stdin is not None  # noqa: S101 -- it was opened with a pipe
        with suppress(BrokenPipeError):  # the guard was killed; the next one gets the whole list
            self._guard.stdin.write(line)
            self._guard.stdin.flush()

    def revive(self) -> list[str]:
        """Restart the processes that have died; return their names."""
        revived = ["guard"] if self._revive_guard() else []
        for program in self.programs:
            if program.process is not None and program.process.poll() is not None:
                self._clear(program)
            if program.process is None and time.monotonic() - program.started >= BACK_OFF:
                self._begin(program)
                revived.append(program.name)
        return revived

    def _revive_guard(self) -> bool:
        if self._guard.poll() is None:
            return False
        self._close_guard()
        self._guard = self._start_guard()
        for program in self.programs:
            self._list(program)
        return True

    def _close_guard(self) -> None:
        with suppress(BrokenPipeError):
            self._guard.communicate()

    def _clear(self, program: Program) -> None:
        """Kill the remains of a dead program's group, so that they do not work beside the new process."""
        if program.process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(program.process.pid, signal.SIGKILL)
            self._write(f"- {program.process.pid}\n")
            program.process = None

    def stop(self) -> None:
        """Stop all, the last started first; then the guard has nothing left to do."""
        for program in reversed(self.programs):
            if program.process is not None:
                _stop(program.process, program.stop_signal)
                self._write(f"- {program.process.pid}\n")
        self.programs.clear()
        self._close_guard()


def _stop(process: "subprocess.Popen[bytes]", number: int) -> None:
    if process.poll() is None:
        process.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
