"""Child processes that die with the launcher and are started again when they die before it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from perfweb.launcher import guard

PATIENCE = 8.0
"""Seconds a process has to stop by itself."""

BACK_OFF = 5.0
"""Seconds between two starts of a process that keeps dying."""


@dataclass
class Program:
    """How to start and stop one process."""

    name: str
    command: Sequence[str]
    log: Path
    environment: Mapping[str, str] | None = None
    stop_signal: int = signal.SIGTERM
    pass_fds: Sequence[int] = ()
    prepare: Callable[[], None] = lambda: None  # before every start
    process: "subprocess.Popen[bytes] | None" = field(default=None, init=False)
    started: float = field(default=0.0, init=False)

    def start(self) -> "subprocess.Popen[bytes]":
        """Start it in a session of its own, so that Ctrl-C reaches the launcher alone."""
        self.prepare()
        self.started = time.monotonic()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.environment,
                pass_fds=self.pass_fds,
                start_new_session=True,
            )
        return self.process

    def last_words(self) -> str:
        """The end of its log, for an error message."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-15:])


class Processes:
    """All processes of one launcher, in the order in which they were started."""

    def __init__(self, lock: IO[str] | None = None) -> None:
        """`lock`: a file that the guard keeps open until all that it has to stop has stopped."""
        self.programs: list[Program] = []
        self._guard = subprocess.Popen(
            [sys.executable, "-I", "-S", guard.__file__],
            stdin=subprocess.PIPE,
            text=True,
            start_new_session=True,
            pass_fds=[lock.fileno()] if lock else [],
        )

    def start(self, program: Program) -> None:
        """Start a program and watch it from now on."""
        self._tell(program)
        self.programs.append(program)

    def _tell(self, program: Program) -> None:
        process = program.start()
        self._write(f"+ {process.pid} {program.stop_signal}\n")

    def _write(self, line: str) -> None:
        assert self._guard.stdin is not None  # noqa: S101 -- it was opened with a pipe
        with suppress(BrokenPipeError):  # it was killed; what it guarded runs on
            self._guard.stdin.write(line)
            self._guard.stdin.flush()

    def revive(self) -> list[str]:
        """Start again whatever has died; return the names."""
        revived = []
        for program in self.programs:
            process = program.process
            if process is None or process.poll() is None:
                continue
            if time.monotonic() - program.started < BACK_OFF:
                continue
            self._write(f"- {process.pid}\n")
            with suppress(ProcessLookupError):  # what it left of its group
                os.killpg(process.pid, signal.SIGKILL)
            self._tell(program)
            revived.append(program.name)
        return revived

    def stop(self) -> None:
        """Stop all, the last started first; then the guard has nothing left to do."""
        for program in reversed(self.programs):
            _stop(program)
            if program.process is not None:
                self._write(f"- {program.process.pid}\n")
        self.programs.clear()
        self._guard.communicate()


def _stop(program: Program) -> None:
    process = program.process
    if process is None:
        return
    if process.poll() is None:
        process.send_signal(program.stop_signal)
        with suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
