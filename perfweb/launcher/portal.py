"""Starts the whole portal under one launcher: servers, workers, web server."""

import os
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from perfweb.launcher import servers
from perfweb.launcher.folder import DataFolder, FolderError
from perfweb.launcher.hold import Hold
from perfweb.launcher.processes import Processes, Program

ROOT = Path(__file__).resolve().parent.parent.parent
HOST = "127.0.0.1"
TENDED = [sys.executable, "-m", "perfweb.launcher.tended"]


def listen(port: int) -> socket.socket:
    """Open the port before anything else is started, 0 for a free one; raise FolderError if it is taken."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or "no such port"
        raise FolderError(
            f"Port {port} cannot be used ({reason}). "
            "Choose another with --port N, or take a free one with --port 0."
        ) from error
    listener.listen(128)
    return listener


def web(folder: DataFolder, listener: socket.socket) -> Program:
    """Return the web server; its socket is open already, so the port stays open while it restarts."""
    command = [*TENDED, "gunicorn", "perfweb.wsgi", "--bind", f"fd://{listener.fileno()}"]
    command += ["--worker-class", "gthread", "--workers", "2", "--threads", "8", "--preload"]
    command += ["--timeout", "120", "--graceful-timeout", "3", "--no-control-socket"]
    return Program(
        "web server",
        command,
        folder.logs / "web.log",
        environment=_environment(),
        pass_fds=[listener.fileno()],
    )


def worker(folder: DataFolder) -> Program:
    """Return Celery's worker, for all tasks but those that adapt networks."""
    return _worker("worker", folder.logs / "worker.log", ["--exclude-queues", "adaptive"])


def adapter(folder: DataFolder) -> Program:
    """Return another worker that only adapts networks, so that nothing else waits for these tasks."""
    options = ["--queues", "adaptive", "--concurrency", "1", "--hostname", "adaptive@%h"]
    return _worker("adapter", folder.logs / "adapter.log", options)


def _worker(name: str, log: Path, options: list[str]) -> Program:
    command = [*TENDED, "celery", "--skip-checks", "-A", "perfweb.celery", "worker"]
    command += ["--loglevel", "WARNING", *options]
    command += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    return Program(name, command, log, environment=_environment())


def clock(folder: DataFolder) -> Program:
    """Return Celery's clock, which triggers the sweepers; a clock inside the worker could end unnoticed."""
    command = [*TENDED, "celery", "--skip-checks", "-A", "perfweb.workers.clock", "beat"]
    # This scheduler keeps nothing on the disk.
    command += ["--loglevel", "WARNING", "--scheduler", "celery.beat.Scheduler"]
    return Program("clock", command, folder.logs / "clock.log", environment=_environment())


def _environment() -> dict[str, str]:
    """Return the processes' environment, in which the code can be imported and libraries use one core."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    limits = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return os.environ | limits | {"PYTHONPATH": os.pathsep.join(paths)}


def run(
    folder: DataFolder,
    listener: socket.socket,
    hold: Hold,
    *,
    migrate: Callable[[], None],
    announce: Callable[[str], None],
    say: Callable[[str], None],
) -> None:
    """Start everything, announce the address once a page answers, and keep it running until stopped.

    Raises:
        FolderError: something did not start; whatever else had started is stopped.
    """
    _catch_signals()
    address = f"http://{HOST}:{listener.getsockname()[1]}"
    os.environ.setdefault("PERFWEB_URL", address)  # links in mails and webhooks lead to it
    processes = Processes(hold)
    try:
        waits = servers.start(folder, processes)
        pages = web(folder, listener)
        processes.start(pages)  # it imports the code while the servers come up
        for wait in waits:
            wait()
        migrate()
        _wait_for_page(address, pages)
        processes.start(worker(folder))
        processes.start(adapter(folder))
        processes.start(clock(folder))
        announce(address)
        while True:
            time.sleep(0.5)
            for name in processes.revive():
                say(f"The {name} had died and was started again; see {folder.logs}.")
    except KeyboardInterrupt:
        say("Stopping …")
    finally:
        _ignore_signals()
        processes.stop()


def _catch_signals() -> None:
    """Handle other signals that end programs like Ctrl-C, which a shell may have set to be ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if (
        signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN
    ):  # with nohup, the user wants this signal to be ignored
        signal.signal(signal.SIGHUP, signal.default_int_handler)


def _ignore_signals() -> None:
    """Ignore further signals, because a second Ctrl-C must not leave some of the processes running."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def _wait_for_page(address: str, pages: Program, seconds: float = 60.0) -> None:
    """Wait until the first page is served; raise FolderError if the web server died, failed or was silent."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and pages.process is not None and pages.process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5):  # noqa: S310 -- our own address
                return
        except urllib.error.HTTPError:
            break
        except OSError:
            time.sleep(0.02)
    raise FolderError(f"The web server did not answer:\n{pages.last_words()}")
