"""`manage.py up` with real processes. Each test starts a portal as a user would."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import redis

from perfweb.launcher.folder import DataFolder
from perfweb.launcher.holders import command_of, holders
from perfweb.launcher.postgres import Postgres
from perfweb.launcher.valkey import Valkey
from tests.launcher.portals import Portal, eventually, manage, status


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of a data folder in which sockets cannot be placed.

    The path is too long for them, has a blank, and other users cannot read it.
    """
    top = tmp_path_factory.mktemp("private")
    top.chmod(0o700)
    return top / "a folder with a long name" / ("deep-" * 20) / "data"


@pytest.fixture(scope="module")
def portal(data: Path) -> Iterator[Portal]:
    with Portal(data) as portal:
        yield portal


@pytest.fixture(scope="module")
def address(portal: Portal) -> str:
    return portal.address()


def test_it_works(portal: Portal, address: str) -> None:
    assert status(address) == 200
    assert status(f"{address}/livez") == 200
    assert status(f"{address}/readyz") == 200
    assert portal.expect(r"Sign in as admin with the password (\S+)")


def test_files_are_private(address: str, data: Path) -> None:
    folder = DataFolder(data)
    for path in (folder.path, folder.sockets, folder.postgres, folder.secret):
        assert path.stat().st_mode & 0o077 == 0, path


def test_a_second_instance_is_refused(address: str, data: Path) -> None:
    done = manage("up", "--data", str(data), "--port", "0")
    assert done.returncode == 1
    assert "Another portal (process" in done.stderr
    assert status(address) == 200


def test_a_used_port_is_refused(address: str, tmp_path: Path) -> None:
    port = address.rpartition(":")[2]
    done = manage("up", "--data", str(tmp_path / "other"), "--port", port)
    assert done.returncode == 1
    assert f"Port {port} cannot be used" in done.stderr
    assert "--port 0" in done.stderr
    assert not (tmp_path / "other").exists()


def test_commands_use_running_servers(address: str, data: Path) -> None:
    done = manage("create_user", "ada", "--project", "solvers", "--data", str(data))
    assert done.returncode == 0, done.stderr
    assert "ada can sign in with the password" in done.stdout
    assert status(f"{address}/readyz") == 200


def test_killed_servers_are_restarted(portal: Portal, address: str, data: Path) -> None:
    folder = DataFolder(data)
    with redis.Redis.from_url(folder.redis_url) as client:
        broker = client.info("server")["process_id"]
    # The stopped launcher does not restart the servers while the test looks at the pages.
    portal.process.send_signal(signal.SIGSTOP)
    try:
        os.kill(int((folder.postgres / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
        os.kill(broker, signal.SIGKILL)
        eventually(lambda: status(f"{address}/readyz") == 503)
        _check_answers_without_a_database(address)
    finally:
        portal.process.send_signal(signal.SIGCONT)
    portal.expect("PostgreSQL had died")
    portal.expect("Valkey had died")
    eventually(lambda: status(f"{address}/readyz") == 200)


def _check_answers_without_a_database(address: str) -> None:
    token = {"Authorization": f"Bearer pfw_{'0' * 8}_{'0' * 40}"}
    for method, path in (("GET", "api/v1/applications/"), ("POST", "api/v1/applications/a/uploads/")):
        body = b"--x--" if method == "POST" else None
        headers = token | {"Content-Type": "multipart/form-data; boundary=x"}
        answer, text = _asked(Request(f"{address}/{path}", body, headers, method=method))
        assert answer.status == 503
        assert int(answer.headers["Retry-After"]) > 0
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert json.loads(text)["type"] == "urn:perfweb:problem:database_away"
    answer, text = _asked(Request(f"{address}/sign-in/"))
    assert answer.status == 503
    assert int(answer.headers["Retry-After"]) > 0
    assert "<h1>The portal&#x27;s database is not reachable</h1>" in text
    (style,) = re.findall(r'href="(/static/css/base[^"]*)"', text)
    assert status(f"{address}{style}") == 200


def _asked(request: Request) -> tuple[HTTPError, str]:
    with pytest.raises(HTTPError) as refused:
        urlopen(request, timeout=10)
    with refused.value as answer:
        return answer, answer.read().decode()


def test_workers_know_where_people_find_the_portal(portal: Portal, address: str, data: Path) -> None:
    # Links in mails and webhooks start with this address.
    eventually(lambda: len(_workers(data)) > 0)
    shown = subprocess.run(
        ["ps", "eww", "-o", "command=", "-p", str(_workers(data)[0])],
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"PERFWEB_URL={address}" in shown.stdout.split()


def _workers(data: Path) -> list[int]:
    """Return the processes of the portal's workers and clock."""
    return [
        pid
        for pid in holders(DataFolder(data).sockets)
        if "perfweb.launcher.tended celery" in command_of(pid)
    ]


def test_killed_workers_and_clocks_are_restarted(portal: Portal, address: str, data: Path) -> None:
    # Two worker processes with two children and one child, and the clock.
    eventually(lambda: len(_workers(data)) == 6)
    for pid in _workers(data):
        os.kill(pid, signal.SIGKILL)
    names = "worker|adapter|clock"
    # The order in which the launcher notices them does not matter.
    came_back = {portal.expect(f"({names}) had died") for _ in range(3)}
    assert came_back == set(names.split("|"))


def test_no_process_outlives_a_killed_launcher_and_guard(portal: Portal, address: str, data: Path) -> None:
    for pid in holders(DataFolder(data).path / "lock"):
        assert pid == portal.process.pid or "guard.py" in command_of(pid)
        os.kill(pid, signal.SIGKILL)
    portal.process.wait()
    # The second portal starts while servers of the first one are still stopping.
    with Portal(data) as second:
        again = second.address()
        assert status(again) == 200
        assert status(address) == 0
        # The database still contains the users ada and admin.
        assert "with your name and password" in second.expect("Sign in .*")
        assert second.stop(signal.SIGINT) == 0
    assert status(again) == 0
    folder = DataFolder(data)
    assert not Postgres(folder).answers()
    assert not Valkey(folder).answers()
    assert not folder.sockets.exists()


def test_commands_start_servers_of_their_own(tmp_path: Path) -> None:
    data = tmp_path / "data"
    done = manage("create_user", "ada", "--data", str(data))
    assert done.returncode == 0, done.stderr
    assert not Postgres(DataFolder(data)).answers()
    again = manage("create_user", "ada", "--data", str(data))
    assert again.returncode == 1, again.stderr  # the servers of the second command have the first one's user
    assert not Postgres(DataFolder(data)).answers()
