"""Runs a portal as users do: with `manage.py up` in a separate process."""

import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

from perfweb.launcher.portal import ROOT

COMMAND = [sys.executable, str(ROOT / "manage.py")]


def environment() -> dict[str, str]:
    """Return the tests' environment without the variables that name their servers and data folder."""
    ours = {"DATABASE_URL", "REDIS_URL", "PERFWEB_DATA", "PERFWEB_URL"}
    return {name: value for name, value in os.environ.items() if name not in ours}


def manage(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a command of manage.py, and wait until it ends."""
    return subprocess.run(
        [*COMMAND, *arguments], env=environment(), capture_output=True, text=True, timeout=60, check=False
    )


def made_token(data: Path) -> str:
    """Make a project with a user and return a token for them. The portal must be running on the
    data folder.
    """
    manage("create_user", "bench", "--project", "bench", "--data", str(data))
    scopes = ["--scope", "upload", "--scope", "read"]
    done = manage("create_token", "bench", "--user", "bench", *scopes, "--data", str(data))
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


class Portal:
    """Runs `manage.py up` on a data folder, and lets tests wait for the lines that it prints."""

    def __init__(self, data: Path, *options: str) -> None:
        self.data = data
        self.process = subprocess.Popen(
            [*COMMAND, "up", "--data", str(data), "--port", "0", *options],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.printed = ""
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self.process.stdout.close()

    def expect(self, pattern: str, seconds: float = 60) -> str:
        """Wait until a printed line matches the pattern. Return the matched group, or the whole match."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                line = self._lines.get(timeout=0.2)
            except queue.Empty:
                if self.process.poll() is not None:
                    break
                continue
            self.printed += line
            if match := re.search(pattern, line):
                return match[match.lastindex or 0]
        raise AssertionError(f"No line matched {pattern!r} in:\n{self.printed}")

    def address(self) -> str:
        """Wait until the portal prints its address, and return it."""
        return self.expect(r"^\s*(http://\S+)\s*$")

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, wait for the end, and return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(40)

    def __enter__(self) -> "Portal":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.stop()


def status(url: str) -> int:
    """Return the HTTP status of a page, or 0 if nothing answers."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def eventually(condition: object, seconds: float = 30) -> None:
    """Wait until calling the condition returns something true."""
    assert callable(condition)
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s"
        time.sleep(0.05)
