"""The client that jobs run is tested with a server that answers as each test needs."""

import ast
import io
import json
import os
import platform
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from datetime import datetime
from email.parser import BytesParser
from email.policy import default
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from perfweb.client import perfweb

SOURCE = Path(perfweb.__file__)


class Server:
    """A server that answers uploads according to a plan.

    Each entry of the plan is a status, a status with headers, a text that does not come from a portal, or
    None, which closes the connection. If `deaf` is set, the server answers before it has read the body.
    """

    def __init__(self) -> None:
        self.plan: list[Any] = []
        self.states = ["done"]
        self.stored: dict[str, dict[str, Any]] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.error: dict[str, str] | None = None
        self.deaf = False
        self.notes: list[str] = []

    def body(self, key: str) -> dict[str, Any]:
        state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        return {
            "id": 7, "application": "hydro", "state": state, "page": "http://portal/uploads/7/",
            "filename": "run.jsonl", "error": self.error, "diagnosis": {"points": 5}, "notes": self.notes,
        }  # fmt: skip


def handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = b"" if server.deaf else self.rfile.read(int(self.headers["Content-Length"]))
            self.close_connection = server.deaf
            server.requests.append((self.path, dict(self.headers)))
            step = server.plan.pop(0) if server.plan else 202
            status, headers = step if isinstance(step, tuple) else (step, {})
            key = self.headers["Idempotency-Key"]
            if isinstance(status, str):
                self.answer(202, status, headers)
                return
            if status is None or status == 202:
                server.stored[key] = fields(self.headers["Content-Type"], body)
            if status is None:
                self.close_connection = True
                return
            detail = {"detail": "the portal says why"}
            self.answer(status, server.body(key) if status == 202 else detail, headers)

        def do_GET(self) -> None:
            server.requests.append((self.path, dict(self.headers)))
            self.answer(200, server.body(""), {})

        def answer(self, status: int, body: object, headers: dict[str, str]) -> None:
            data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


def fields(content_type: str, body: bytes) -> dict[str, Any]:
    message = BytesParser(policy=default).parsebytes(f"Content-Type: {content_type}\r\n\r\n".encode() + body)
    return {
        part.get_param("name", header="content-disposition"): part.get_payload(decode=True)
        for part in message.iter_parts()
    }


@pytest.fixture
def server(monkeypatch, tmp_path) -> Iterator[Server]:
    found = Server()
    http = ThreadingHTTPServer(("127.0.0.1", 0), handler(found))
    thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    for name in [name for name in os.environ if name.startswith(("PERFWEB_", "SLURM_", "CI_", "GITHUB_"))]:
        if name != "PERFWEB_DATA":
            monkeypatch.delenv(name)
    monkeypatch.setenv("PERFWEB_URL", f"http://127.0.0.1:{http.server_port}")
    monkeypatch.setenv("PERFWEB_TOKEN", "pfw_secret")
    monkeypatch.setenv("PERFWEB_SPOOL", str(tmp_path / "spool"))
    yield found
    http.shutdown()
    thread.join()
    http.server_close()


@pytest.fixture
def pauses(monkeypatch) -> list[float]:
    """Record how long the client would have slept, and return the list of these times."""
    found: list[float] = []
    monkeypatch.setattr(perfweb.time, "sleep", found.append)
    return found


@pytest.fixture
def run(tmp_path, pauses) -> Callable[..., int]:
    def call(*arguments: str, content: bytes = b'{"params": {"p": 4}, "value": 1}\n') -> int:
        file = tmp_path / "run.jsonl"
        file.write_bytes(content)
        common = ["--application", "hydro", "--version", "1.0", "--no-git"]
        return perfweb.main(["upload", str(file), *common, *arguments])

    return call


def spooled(tmp_path: Path) -> list[Path]:
    return perfweb.Spool(tmp_path / "spool").entries()


OPTIONS = ("--option", "scaling=strong", "--option", "metrics=time")
METRICS = ("--unit", "fom=zones/s", "--better", "fom=higher", "--better", "x=lower")


def test_it_works(server, run, tmp_path, capsys):
    content = b'{"params": {"p": 4}, "value": 1}\n\r\n--x--\x00'
    assert (
        run("--campaign", "night", *OPTIONS, *METRICS, "--metadata", "compiler=gcc 14", content=content) == 0
    )
    ((path, headers),) = server.requests
    assert path == "/api/v1/applications/hydro/uploads/"
    assert headers["Authorization"] == "Bearer pfw_secret"
    (form,) = server.stored.values()
    assert form["file"] == content
    assert (form["version"], form["campaign"]) == (b"1.0", b"night")
    assert form["options"] == b"scaling=strong; metrics=time"
    told = {"fom": {"unit": "zones/s", "lower_is_better": False}, "x": {"lower_is_better": True}}
    assert json.loads(form["metrics"]) == told
    assert json.loads(form["metadata"])["compiler"] == "gcc 14"
    assert "http://portal/uploads/7/" in capsys.readouterr().err
    assert not spooled(tmp_path)


def test_a_file_name_that_is_not_utf_8_is_sent(server, pauses, tmp_path):
    file = Path(os.fsdecode(os.fsencode(tmp_path) + b"/gr\xf6\xdfe.jsonl"))
    file.write_bytes(b"{}")
    version = os.fsdecode(b"1.0-\xfc")
    options = ["--application", "hydro", "--version", version, "--no-git"]
    assert perfweb.main(["upload", str(file), *options]) == 0
    (form,) = server.stored.values()
    assert form["version"] == b"1.0-\xfc"


@pytest.mark.parametrize("trouble", [None, 500, 502, 503, 504, 429, 408])
def test_the_client_tries_again_with_the_same_key(server, run, tmp_path, pauses, trouble):
    server.plan = [trouble, trouble, trouble]
    assert run() == 0
    assert len(server.requests) == 4
    assert len({headers["Idempotency-Key"] for _, headers in server.requests}) == 1
    assert len(server.stored) == 1
    assert len(pauses) == 3
    assert pauses[0] <= 0.5 < pauses[2] <= 2


@pytest.mark.parametrize("answer", [429, 503])
def test_the_client_waits_as_long_as_the_portal_asks(server, run, pauses, answer):
    server.plan = [(answer, {"Retry-After": "17"})]
    assert run() == 0
    assert 17 <= pauses[0] <= 18


def test_jobs_wait_for_different_random_times(server, run, pauses):
    server.plan = [503, 202, 503]
    run()
    run()
    assert pauses[0] != pauses[1]


def test_an_undelivered_file_stays_and_is_sent_later(server, run, tmp_path, monkeypatch):
    address = os.environ["PERFWEB_URL"]
    monkeypatch.setenv("PERFWEB_URL", "http://127.0.0.1:9")
    assert run("--patience", "0") == 5
    assert len(spooled(tmp_path)) == 1
    (tmp_path / "run.jsonl").unlink()
    monkeypatch.setenv("PERFWEB_URL", address)
    assert perfweb.main(["flush"]) == 0
    assert len(server.stored) == 1
    assert not spooled(tmp_path)
    assert perfweb.main(["flush"]) == 0
    assert len(server.requests) == 1


def test_offline_needs_no_portal_and_no_token(server, run, tmp_path, monkeypatch):
    monkeypatch.delenv("PERFWEB_TOKEN")
    assert run("--offline") == 0
    assert not server.requests
    assert len(spooled(tmp_path)) == 1
    assert oct((tmp_path / "spool").stat().st_mode)[-3:] == "700"
    assert "pfw_secret" not in "".join(path.read_text() for path in (tmp_path / "spool").rglob("*/*"))


def test_without_a_token_the_file_is_kept(server, run, tmp_path, monkeypatch):
    monkeypatch.delenv("PERFWEB_TOKEN")
    assert run() == 4
    assert len(spooled(tmp_path)) == 1


@pytest.mark.parametrize("case", [(401, 4, 1), (403, 4, 1), (422, 3, 0), (413, 3, 0)])
def test_a_refusal_is_printed_and_not_repeated(server, run, tmp_path, case):
    status, code, left = case
    server.plan = [status]
    assert run() == code
    assert len(server.requests) == 1
    assert len(spooled(tmp_path)) == left
    assert len(list((tmp_path / "spool").glob("refused/*/file"))) == 1 - left


@pytest.mark.parametrize(("status", "code"), [(401, 4), (413, 3)])
def test_the_answer_of_a_portal_that_hangs_up_early_is_read(server, run, capsys, status, code):
    server.deaf, server.plan = True, [status]
    assert run(content=bytes(20_000_000)) == code
    assert f"HTTP {status}: the portal says why" in capsys.readouterr().err
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "answer", ["{}", "[]", "null", '{"id": 7}', "<html>Welcome</html>", '{"id": 7, "sta']
)
def test_only_an_answer_of_the_portal_removes_a_file_from_the_spool(server, run, tmp_path, answer):
    server.plan = [answer] * 2
    assert run("--patience", "0") == 5
    assert len(spooled(tmp_path)) == 1
    assert perfweb.main(["flush"]) == 0
    assert not spooled(tmp_path)


def test_an_entry_that_another_job_sends_is_skipped(server, run, tmp_path, monkeypatch):
    run("--offline")
    server.plan = [503]
    (entry,) = spooled(tmp_path)
    monkeypatch.setattr(perfweb.time, "sleep", lambda _: perfweb.Spool(tmp_path / "spool").remove(entry))
    assert perfweb.main(["flush"]) == 0
    assert len(server.requests) == 1
    assert not list((tmp_path / "spool").iterdir())


@pytest.mark.parametrize("damage", ["", "[]", '{"path": "/"}'])
def test_a_damaged_entry_does_not_delay_others(server, run, tmp_path, damage):
    run("--offline")
    (spooled(tmp_path)[0] / "upload.json").write_text(damage)
    run("--offline")
    assert perfweb.main(["flush"]) == 3
    assert len(server.stored) == 1
    assert not spooled(tmp_path)
    assert len(list((tmp_path / "spool").glob("refused/*/file"))) == 1


def test_remains_of_killed_jobs_are_deleted_after_a_while(server, run, tmp_path):
    run("--offline")
    (entry,) = spooled(tmp_path)
    old, new = (entry.with_name(f".{begun:020d}{entry.name[20:]}") for begun in (1, 2))
    for half in (old, new):
        half.mkdir()
    os.utime(old, (0, 0))
    assert perfweb.main(["flush"]) == 0
    assert list((tmp_path / "spool").iterdir()) == [new]


def test_a_token_may_end_in_a_line_feed_only(server, run, monkeypatch):
    monkeypatch.setenv("PERFWEB_TOKEN", "pfw_secret\r\n")
    assert run() == 0
    monkeypatch.setenv("PERFWEB_TOKEN", "pfw_secret …")
    assert run() == 4


def test_the_portals_messages_are_printed(server, run, capsys):
    server.plan = [422]
    run()
    assert "run.jsonl: HTTP 422: the portal says why" in capsys.readouterr().err


def test_the_address_derived_from_a_name_is_printed(server, run, capsys):
    server.notes = ["The application “My Solver” is stored as my-solver."]
    assert run("--application", "My Solver") == perfweb.DELIVERED
    assert server.requests[0][0] == "/api/v1/applications/My%20Solver/uploads/"
    assert "is stored as my-solver." in capsys.readouterr().err


def test_a_refused_file_does_not_delay_others(server, run, tmp_path):
    for _ in range(3):
        run("--offline")
    server.plan = [202, 422, 202]
    assert perfweb.main(["flush"]) == 3
    assert len(server.stored) == 2
    assert not spooled(tmp_path)


def test_a_token_is_never_sent_to_a_redirect(server, run, tmp_path, capsys):
    server.plan = [(302, {"Location": f"{os.environ['PERFWEB_URL']}/elsewhere"})]
    assert run() == 3
    assert len(server.requests) == 1


def test_the_client_can_wait_for_models(server, run, capsys):
    server.states = ["received", "parsing", "modeling", "done"]
    assert run("--wait", "100") == 0
    assert [path for path, _ in server.requests[1:]] == ["/api/v1/uploads/7/"] * 3
    assert "run.jsonl: modelled" in capsys.readouterr().err


def test_an_unreadable_file_is_a_failure_only_if_the_client_waits(server, run, capsys):
    server.states, server.error = ["failed"], {"message": "line 3: found x"}
    assert run() == 0
    assert run("--wait", "5") == 6
    assert "line 3: found x" in capsys.readouterr().err


def test_waiting_ends(server, run):
    server.states = ["modeling"]
    assert run("--wait", "0.001") == 7


def test_a_dry_run_prints_the_content_of_the_file(server, run, capsys):
    server.states = ["read"]
    assert run("--dry-run") == 0
    assert server.requests[0][0].endswith("/uploads/?dry_run=true")
    assert '"points": 5' in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["upload", "no such file", "--application", "a"],
        ["upload", __file__, "--application", "a", "--no-git"],
        ["upload", __file__, "--application", "a", "--version", "1", "--better", "fom=more"],
    ],
)
def test_wrong_usage(server, arguments):
    assert perfweb.main(arguments) == 2
    assert not server.requests


def test_the_address_of_the_portal_is_required(server, run, monkeypatch):
    monkeypatch.delenv("PERFWEB_URL")
    assert run() == 2
    assert run("--url", "file:///etc/passwd") == 2


def test_commit_and_branch_are_sent(server, tmp_path, monkeypatch, pauses):
    repository = tmp_path / "source"
    repository.mkdir()
    (repository / "a.jsonl").write_text("1")
    git = ["git", "-C", str(repository), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for command in (["init", "-qb", "trunk"], ["add", "."], ["commit", "-qm", "One"]):
        subprocess.run([*git, *command], check=True)
    (repository / "a.jsonl").write_text("2")
    perfweb.main(
        ["upload", str(repository / "a.jsonl"), "--application", "hydro", "--source", str(repository)]
    )
    (form,) = server.stored.values()
    assert len(form["commit"]) == 40
    assert form["commit"].startswith(form["version"])
    assert form["branch"] == b"trunk"
    assert form["date"].startswith(b"20")
    assert json.loads(form["metadata"])["uncommitted_changes"] == "yes"


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        (
            {"SLURM_JOB_ID": "4711", "SLURM_NTASKS": "64", "SLURM_CLUSTER_NAME": "lichtenberg"},
            {"scheduler": "slurm", "slurm_job_id": "4711", "slurm_ntasks": "64"},
        ),
        ({"PBS_JOBID": "9.srv", "PBS_QUEUE": "big"}, {"scheduler": "pbs", "pbs_queue": "big"}),
        ({"LSB_JOBID": "3", "LSB_DJOB_NUMPROC": "8"}, {"scheduler": "lsf", "lsb_djob_numproc": "8"}),
        ({"LOADEDMODULES": "gcc/14:openmpi"}, {"loadedmodules": "gcc/14:openmpi"}),
    ],
)
def test_facts_about_the_job_are_sent(server, run, monkeypatch, variables, expected):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    run()
    (form,) = server.stored.values()
    assert expected.items() <= json.loads(form["metadata"]).items()
    if "SLURM_CLUSTER_NAME" in variables:
        assert form["machine"] == b"lichtenberg"


def test_the_machines_name_does_not_depend_on_the_node(monkeypatch):
    monkeypatch.delenv("SLURM_CLUSTER_NAME", raising=False)
    monkeypatch.delenv("PERFWEB_MACHINE", raising=False)
    names = set()
    for node in ("nid001234", "nid009.cluster.example", "nid-17"):
        monkeypatch.setattr(perfweb.platform, "node", lambda node=node: node)
        names.add(perfweb.machine())
    assert names == {"nid"}


def test_an_incomplete_entry_is_ignored(server, run, tmp_path, monkeypatch, capsys):
    def full(*_: object) -> None:
        raise OSError("No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(perfweb.shutil, "copyfile", full)
        assert run("--offline") == 2
    assert "not kept in the spool, and not sent: No space left" in capsys.readouterr().err
    assert not list((tmp_path / "spool").iterdir())


def test_an_unusable_spool_is_reported(server, run, tmp_path, capsys):
    (tmp_path / "file").touch()
    assert run("--spool", str(tmp_path / "file" / "spool")) == 2
    assert "--spool or PERFWEB_SPOOL" in capsys.readouterr().err


def test_the_client_runs_on_python_3_8_without_packages():
    tree = ast.parse(SOURCE.read_text(), feature_version=(3, 8))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
    }
    assert imported <= sys.stdlib_module_names
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(SOURCE), "--help"], capture_output=True, text=True, check=True
    )
    assert "exit codes:" in done.stdout


def test_chosen_modelers_are_sent(server, run):
    assert run("--modelers", "evidence,adaptive") == 0
    assert [form["modelers"] for form in server.stored.values()] == [b"evidence,adaptive"]


def sent_points(server):
    return [form.get("point", b"").decode() for form in server.stored.values()]


@pytest.fixture
def runs(tmp_path):
    """Return a function that uploads two files that do not contain their point."""
    for p in ("4", "8,5"):
        (tmp_path / f"p{p}").mkdir()
        (tmp_path / f"p{p}" / "out.txt").write_text("1")
    files = sorted(map(str, tmp_path.glob("p*/out.txt")))
    return lambda *more: perfweb.main(
        ["upload", *files, "--application", "hydro", "--version", "1.0", "--no-git", *more]
    )


def test_a_pattern_gives_the_points(server, runs):
    assert runs("--campaign", "night", "--point", "p{p}/*.txt") == 0
    assert sent_points(server) == ["p=4", "p=8.5"]


def test_the_portal_applies_a_pattern_to_members_of_an_archive(server, run):
    assert run("--point", "run_p{p}_n{n}") == 0
    assert sent_points(server) == ["run_p{p}_n{n}"]


def test_a_table_gives_the_points(server, runs, tmp_path):
    table = tmp_path / "points.csv"
    table.write_text(f'file,p,n\n{tmp_path}/p4/out.txt,1,7\n"{tmp_path}/p8,5/out.txt",2,\n')
    assert runs("--campaign", "night", "--table", str(table)) == 0
    assert sent_points(server) == ["p=1, n=7", "p=2"]


def test_a_file_missing_in_the_table_is_named_before_anything_is_sent(server, runs, tmp_path, capsys):
    table = tmp_path / "points.csv"
    table.write_text(f"file,p\n{tmp_path}/p4/out.txt,1\n")
    assert runs("--campaign", "night", "--table", str(table)) == 2
    assert "p8,5/out.txt" in capsys.readouterr().err
    assert not server.requests


def test_points_of_several_files_need_a_campaign(server, runs, capsys):
    assert runs("--point", "p{p}/") == 2
    assert "--campaign" in capsys.readouterr().err


def test_a_packed_folder_has_the_same_bytes_each_time(server, runs, tmp_path):
    folder = tmp_path / "p4"
    for _ in range(2):
        assert perfweb.main(["upload", str(folder), "--application", "a", "--version", "1", "--no-git"]) == 0
        os.utime(folder / "out.txt", (1, 1))
    one, other = server.stored.values()
    assert one["file"] == other["file"]
    with tarfile.open(fileobj=io.BytesIO(one["file"])) as packed:
        assert packed.getnames() == ["p4/out.txt"]


def test_a_folder_of_results_is_sent_commit_by_commit(server, tmp_path):
    results = tmp_path / "results" / "box"
    results.mkdir(parents=True)
    (results.parent / "benchmarks.json").write_text("{}")
    (results / "machine.json").write_text('{"machine": "box"}')
    for commit, date in (("b" * 40, 1700000000000), ("a" * 40, 1600000000000)):
        about = {"commit_hash": commit, "date": date, "env_name": "py", "results": {}}
        (results / f"{commit[:8]}-py.json").write_text(json.dumps(about))
    assert perfweb.main(["history", str(results.parent), "--application", "hydro"]) == 0
    sent = list(server.stored.values())
    assert [form["version"] for form in sent] == [b"a" * 12, b"b" * 12]
    assert [form["date"] for form in sent] == [b"2020-09-13T12:26:40Z", b"2023-11-14T22:13:20Z"]
    assert {form["machine"] for form in sent} == {b"box"}
    with tarfile.open(fileobj=io.BytesIO(sent[0]["file"])) as packed:
        assert packed.getnames() == [f"{'a' * 12}/aaaaaaaa-py.json", f"{'a' * 12}/benchmarks.json"]


def test_the_storage_of_pytest_benchmark_is_a_history(server, tmp_path):
    for number, commit in enumerate(("c" * 40, "d" * 40)):
        about = {"commit_info": {"id": commit, "time": f"2026-01-0{number + 1}T00:00:00"}, "benchmarks": []}
        (tmp_path / f"000{number}.json").write_text(json.dumps(about | {"machine_info": {"node": "mini"}}))
    assert perfweb.main(["history", str(tmp_path), "--application", "hydro"]) == 0
    sent = list(server.stored.values())
    assert [form["version"] for form in sent] == [b"c" * 12, b"d" * 12]
    assert json.loads(sent[0]["file"])["commit_info"]["id"] == "c" * 40


def test_a_folder_without_results_is_a_usage_error(server, tmp_path, capsys):
    assert perfweb.main(["history", str(tmp_path), "--application", "hydro"]) == 2
    assert "no results" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("variables", "job", "node"),
    [
        ({"SLURM_JOB_ID": "4711", "SLURM_JOB_NODELIST": "n[1-4]"}, "4711", "n[1-4]"),
        ({"PBS_JOBID": "12[3].server"}, "12[3].server", platform.node()),
        ({"LSB_JOBID": "99", "LSB_JOBINDEX": "2", "LSB_HOSTS": "a b"}, "99[2]", "a b"),
        ({"LSB_JOBID": "99", "LSB_JOBINDEX": "0"}, "99", platform.node()),
        ({}, None, platform.node()),
    ],
)
def test_job_and_node_are_sent(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], job: str | None, node: str
) -> None:
    for name in ("SLURM_JOB_ID", "SLURM_JOB_NODELIST", "SLURM_NODELIST", "PBS_JOBID", "LSB_JOBID"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    origin = perfweb.run_origin()
    assert (origin.get("job"), origin["node"]) == (job, node)
    assert datetime.fromisoformat(origin["measured_at"]).tzinfo is not None
