import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from perfweb.launcher import processes as module
from perfweb.launcher.processes import Processes, Program
from tests.launcher.portals import eventually

LAUNCHER = """
import sys, time
from pathlib import Path
from perfweb.launcher.processes import Processes, Program
processes = Processes()
program = Program("sleeper", ["sleep", "1000"], Path(sys.argv[1]))
processes.start(program)
print(program.process.pid, processes._guard.pid, flush=True)
time.sleep(1000)
"""


def running(pid: int) -> bool:
    """Return whether a process runs. A zombie process does not count as running."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def _shell(tmp_path: Path, script: str) -> Program:
    return Program("shell", ["sh", "-c", script], tmp_path / "log")


def test_it_works(tmp_path: Path) -> None:
    processes = Processes()
    program = _shell(tmp_path, "echo said; exec sleep 1000")
    processes.start(program)
    assert program.process is not None
    eventually(lambda: program.last_words() == "said")
    assert processes.revive() == []
    processes.stop()
    assert program.process.returncode == -signal.SIGTERM


def test_dead_processes_are_restarted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BACK_OFF", 0.0)
    processes = Processes()
    program = _shell(tmp_path, "exec sleep 1000")
    processes.start(program)
    assert program.process is not None
    first = program.process
    first.kill()
    first.wait()
    assert processes.revive() == ["shell"]
    assert program.process.pid != first.pid
    assert running(program.process.pid)
    processes.stop()


def test_a_process_that_keeps_dying_is_not_restarted_at_once(tmp_path: Path) -> None:
    processes = Processes()
    program = _shell(tmp_path, "exit 1")
    processes.start(program)
    assert program.process is not None
    program.process.wait()
    assert processes.revive() == []
    processes.stop()


def test_a_process_that_ignores_signals_is_killed_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.2)
    processes = Processes()
    program = _shell(tmp_path, "trap '' TERM; sleep 1000 & echo $!; while true; do wait; done")
    processes.start(program)
    eventually(lambda: program.last_words().isdigit())
    child = int(program.last_words())
    processes.stop()
    eventually(lambda: not running(child))


ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the next `up` ends what is left")


@pytest.mark.parametrize(
    "victims",
    [
        ["launcher"],
        pytest.param(["guard", "launcher"], marks=ON_LINUX),
        pytest.param(["launcher", "guard"], marks=ON_LINUX),
    ],
)
def test_no_process_outlives_a_killed_launcher(tmp_path: Path, victims: list[str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, str(tmp_path / "log")], stdout=subprocess.PIPE, text=True
    ) as launcher:
        assert launcher.stdout is not None
        child, guard = map(int, launcher.stdout.readline().split())
        assert running(child)
        for victim in victims:
            os.kill({"launcher": launcher.pid, "guard": guard}[victim], signal.SIGKILL)
    eventually(lambda: not running(child), 10)


def test_a_killed_guard_is_restarted(tmp_path: Path) -> None:
    processes = Processes()
    program = _shell(tmp_path, "exec sleep 1000")
    processes.start(program)
    processes._guard.kill()
    processes._guard.wait()
    assert processes.revive() == ["guard"]
    assert processes.revive() == []
    assert processes._guard.stdin is not None
    assert program.process is not None
    processes._guard.stdin.close()  # Closing this pipe tells the guard that the launcher has ended.
    assert program.process.wait(10) == -signal.SIGTERM
    processes._guard.wait(10)
    processes._guard = processes._start_guard()
    processes.stop()


def test_children_of_a_dead_process_are_killed_before_its_restart(tmp_path: Path) -> None:
    """A worker's child processes must not continue next to those of the next worker."""
    processes = Processes()
    program = _shell(tmp_path, "sleep 1000 & echo $!; wait")
    processes.start(program)
    eventually(lambda: program.last_words().isdigit())
    assert program.process is not None
    program.process.kill()
    program.process.wait()
    assert processes.revive() == []  # The program was started too recently to be started again.
    eventually(lambda: not running(int(program.last_words())))
    processes.stop()
