"""Python programs of the portal end with the launcher, together with all processes that they forked.

They end even if the launcher was killed.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from perfweb.launcher.portal import ROOT
from tests.launcher.portals import eventually
from tests.launcher.test_processes import running

STARTED = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = os.fork()
if child:
    print(os.getpid(), child, *sys.argv[1:], flush=True)
time.sleep(1000)
"""

TENDED = """
from perfweb.launcher import parent_death, tended
tended.PATIENCE = 0.5
{}
tended.main()
"""
WITHOUT_THE_SYSTEM = "parent_death.SYSTEM = None"

LAUNCHER = "import subprocess, sys; subprocess.Popen(sys.argv[1:], start_new_session=True).wait()"


@pytest.fixture(params=["", WITHOUT_THE_SYSTEM], ids=["Linux", "elsewhere"])
def launcher(request: pytest.FixtureRequest, tmp_path: Path) -> "subprocess.Popen[str]":
    if not request.param and sys.platform != "linux":
        pytest.skip("on Linux only")
    (tmp_path / "started.py").write_text(STARTED)
    command = [sys.executable, "-c", TENDED.format(request.param), "started", "an argument"]
    return subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, *command],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": f"{tmp_path}:{ROOT}"},
    )


@pytest.mark.parametrize("victims", [["launcher"], ["program"], ["program", "launcher"]])
def test_it_works(launcher: "subprocess.Popen[str]", victims: list[str]) -> None:
    with launcher:
        assert launcher.stdout is not None
        program, child, *said = launcher.stdout.readline().split()
        assert said == ["an", "argument"]
        for victim in victims:
            number = launcher.pid if victim == "launcher" else int(program)
            os.kill(number, signal.SIGKILL)
    for number in map(int, (program, child)):
        eventually(lambda number=number: not running(number), 10)
