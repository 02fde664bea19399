#!/usr/bin/env python3
"""Send measurements to a perfweb portal, from batch jobs, pipelines and shells.

    export PERFWEB_TOKEN=pfw_...        # a token with the scope "upload", from the project's tokens page
    python3 perfweb.py upload run.jsonl --application lulesh --version 2.0 --campaign nightly-0716
    python3 perfweb.py history results/ --application lulesh   # results of asv or pytest-benchmark
    python3 perfweb.py gate --application lulesh --version 2.0 # may it be released? scope "read"

Every file is first copied to the spool, a folder of your own, and removed from it when the portal has
accepted or refused it. So nothing is lost if the portal or the network is not reachable: `perfweb.py flush`
sends the remaining files later, from a login node or at the start of the next job. A file that is sent
several times is stored once, unless each time names another run (--run).

This file needs only Python 3.8 or later and its standard library, so it runs where nothing can be installed.

exit codes:
  0  every file was delivered (--offline: is in the spool; --wait: is modelled; --dry-run: was read);
     gate: the version passed
  1  gate: the version failed; the reasons are printed
  2  wrong usage: options, environment, or a file that cannot be opened;
     gate: undecided, because models were not ready in time, or modeling or comparing failed
  3  the portal refused a file, a field or a policy; its message is printed, and the file is moved to
     spool/refused
  4  the token is missing, ended, or may not do this; the files stay in the spool
  5  the portal was not reached in time; the files stay in the spool
  6  with --wait or --dry-run: the portal took a file, but could not read or model it
  7  with --wait or --dry-run: it took longer than you allowed; the portal has the file

environment:
  PERFWEB_TOKEN     the token; it is not an option, because every user of the node could read options
  PERFWEB_URL       address of the portal, if this file was downloaded from another one
  PERFWEB_SPOOL     folder of the spool (default: ~/.perfweb-spool)
  PERFWEB_MACHINE   name of the machine (default: cluster name of Slurm, else host name without its number)
  PERFWEB_CAMPAIGN  default of --campaign
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import datetime
import http.client
import json
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

PORTAL = ""  # the portal writes its address here
AGENT = "perfweb-client/1"

DELIVERED, USAGE, REFUSED, UNAUTHORISED, UNREACHED, FAILED, LATE = 0, 2, 3, 4, 5, 6, 7
PASSED, NOT_PASSED, UNDECIDED = 0, 1, 2
PASSING = (408, 425, 429, 500, 502, 503, 504)
"""Status codes of answers after which the request is worth repeating."""
SAID = {"id", "application", "state", "page", "filename"}
"""Keys of the portal's description of an upload. The answer of a proxy does not have them."""
JUDGED = {"verdict", "passed", "undecided", "waiting", "reasons"}
"""Keys that only the portal's answer about a gate has."""
PLANNED = {"points", "text", "script"}
"""Keys that only the portal's answer about a plan has."""
COMPARED = {"modelers", "kernels", "judged_by"}
"""Keys that only the portal's answer about the modelers of a campaign has."""
FORMATS = {"text": "text/plain", "markdown": "text/markdown", "json": "application/json"}
NOT_COMPARED = "urn:perfweb:problem:not_compared"
"""Type of the problem that the comparison of two versions was never requested."""

SCHEDULERS = {
    "slurm": (
        "SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURM_JOB_NAME", "SLURM_JOB_PARTITION",
        "SLURM_JOB_NUM_NODES", "SLURM_NTASKS", "SLURM_CPUS_PER_TASK", "SLURM_JOB_NODELIST",
    ),
    "pbs": ("PBS_JOBID", "PBS_JOBNAME", "PBS_QUEUE", "PBS_ARRAY_INDEX", "PBS_NUM_NODES", "NCPUS"),
    "lsf": ("LSB_JOBID", "LSB_JOBINDEX", "LSB_JOBNAME", "LSB_QUEUE", "LSB_DJOB_NUMPROC", "LSB_MCPU_HOSTS"),
}  # fmt: skip
SURROUNDINGS = ("OMP_NUM_THREADS", "OMP_PLACES", "OMP_PROC_BIND", "LOADEDMODULES")
"""Environment variables that may explain differences between versions."""


ENTRY = re.compile(r"[0-9]{20}-[0-9a-f]{32}")
"""Matches the name of an entry of the spool."""
ABANDONED = 7 * 86400
"""Age in seconds at which an unfinished entry is deleted, because no job can still be writing it."""
ELSEWHERE = "Name a folder with room, which you may write, with --spool or PERFWEB_SPOOL."


# ---- Requests to the portal ----


class ClientError(Exception):
    """Raised to end the program with an exit code and a message."""

    def __init__(self, code: int, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.code, self.kind = code, kind


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, so that a token is sent only to the address that it is meant for."""

    def redirect_request(self, *_: Any) -> None:
        """Follow no redirect."""


class Connection:
    """A connection that still reads the answer if the portal hangs up early, e.g. on a file that is too
    large.
    """

    sock: Any
    hung_up = False

    def send(self, data: Any) -> None:
        """Send data unless the portal has hung up."""
        if self.sock is None:
            self.connect()  # type: ignore[attr-defined]  # of the library's connection, which comes next
        try:
            if not self.hung_up:
                super().send(data)  # type: ignore[misc]
        except (BrokenPipeError, ConnectionResetError):
            self.hung_up = True


class Hearing(urllib.request.AbstractHTTPHandler):
    """Sends requests through `Connection`."""

    def do_open(self, http_class: Any, *request: Any, **more: Any) -> Any:
        """Send a request."""
        connection: Any = type("Hearing" + http_class.__name__, (Connection, http_class), {})
        return super().do_open(connection, *request, **more)


class Http(Hearing, urllib.request.HTTPHandler):
    """Sends requests over http."""


class Https(Hearing, urllib.request.HTTPSHandler):
    """Sends requests over https."""


class Portal:
    """A portal; requests are repeated with growing pauses while it cannot be reached."""

    def __init__(self, address: str, token: str, patience: float) -> None:
        self.address, self.token, self.patience = address.rstrip("/"), token, patience
        self._opener = urllib.request.build_opener(NoRedirects, Http, Https)

    def post(self, path: str, form: Form, key: str) -> dict[str, Any]:
        """Send a form; several forms with the same key are one upload."""
        headers = {"Content-Type": form.content_type, "Content-Length": str(len(form))}
        found: dict[str, Any] = self._ask(path, {**headers, "Idempotency-Key": key}, form, _upload_of)
        return found

    def get(self, path: str) -> dict[str, Any]:
        """Return the state of an upload."""
        found: dict[str, Any] = self._ask(path, {}, None, _upload_of)
        return found

    def plan(self, path: str, keep: bool) -> dict[str, Any]:
        """Return a plan; with `keep` the portal stores it."""
        headers = {"Content-Length": "0"} if keep else {}
        found: dict[str, Any] = self._ask(path, headers, b"" if keep else None, _plan_of)
        return found

    def gate(self, path: str) -> dict[str, Any]:
        """Return the verdict of a gate, or what it is waiting for."""
        found: dict[str, Any] = self._ask(path, {}, None, _verdict_of)
        return found

    def text(self, path: str, accept: str) -> str:
        """Return the text of an answer in the format `accept`."""
        return str(self._ask(path, {"Accept": accept}, None, lambda answer: answer.read().decode()))

    def modelers(self, path: str, changes: dict[str, Any]) -> dict[str, Any]:
        """Return the errors of a campaign's modelers, after making the `changes` if there are any."""
        headers = {"Content-Type": "application/json"} if changes else {}
        body = json.dumps(changes).encode() if changes else None
        found: dict[str, Any] = self._ask(path, headers, body, _modelers_of, "PATCH" if changes else "GET")
        return found

    def compare(self, path: str) -> None:
        """Request a comparison."""
        self._ask(path, {"Content-Length": "0"}, b"", json.load)

    def _ask(
        self,
        path: str,
        headers: dict[str, str],
        form: Form | bytes | None,
        read: Callable[[Any], Any],
        method: str | None = None,
    ) -> Any:
        end = time.monotonic() + self.patience
        attempt = 0
        while True:
            try:
                return self._once(path, headers, form, read, method)
            except FileNotFoundError:  # the form's file is gone; errors of the network are other exceptions
                raise
            except (OSError, http.client.HTTPException) as error:
                answer = error if isinstance(error, urllib.error.HTTPError) else None
                pause = _pause(attempt, answer)
                if answer is not None:
                    with answer:
                        if answer.code not in PASSING:
                            raise _refusal(answer) from error
                if time.monotonic() + pause > end:
                    raise ClientError(UNREACHED, f"{self.address} did not take it: {error}") from error
                attempt += 1
                time.sleep(pause)

    def _once(
        self,
        path: str,
        headers: dict[str, str],
        form: Form | bytes | None,
        read: Callable[[Any], Any],
        method: str | None,
    ) -> Any:
        """Send a request. By default the method is POST if there is a form, and otherwise GET."""
        every = {"Authorization": f"Bearer {self.token}", "Accept": "application/json", "User-Agent": AGENT}
        body: Any = form.open() if isinstance(form, Form) else form
        url, sent = self.address + path, {**every, **headers}
        request = urllib.request.Request(url, body, sent, method=method)  # noqa: S310 -- http
        try:
            with self._opener.open(request, timeout=60) as answer:
                return read(answer)
        except ValueError as error:  # the answer was cut off, or is not the portal's
            raise http.client.HTTPException("the answer is not the portal's") from error
        finally:
            if isinstance(form, Form):
                form.close()


def _upload_of(answer: Any) -> dict[str, Any]:
    """Parse the portal's answer to a file; raise ValueError if it is not an upload."""
    return _with_keys(json.load(answer), SAID)


def _verdict_of(answer: Any) -> dict[str, Any]:
    return _with_keys(json.load(answer), JUDGED)


def _with_keys(found: Any, keys: set[str]) -> dict[str, Any]:
    if not isinstance(found, dict) or not found.keys() >= keys:
        raise ValueError("not what the portal answers")
    return found


def _modelers_of(answer: Any) -> dict[str, Any]:
    return _with_keys(json.load(answer), COMPARED)


def _plan_of(answer: Any) -> dict[str, Any]:
    return _with_keys(json.load(answer), PLANNED)


def _pause(attempt: int, answer: urllib.error.HTTPError | None) -> float:
    """Return the seconds to wait before the next attempt.

    The portal may name a time. Otherwise the pause grows, and is random, so that jobs do not repeat together.
    """
    asked = answer.headers.get("Retry-After", "") if answer else ""
    if re.fullmatch("[0-9]{1,9}", asked):
        return float(asked) + random.random()  # noqa: S311 -- it spreads jobs in time
    return min(30.0, 0.5 * 2.0**attempt) * random.uniform(0.5, 1)  # noqa: S311


def _refusal(answer: urllib.error.HTTPError) -> ClientError:
    """Convert a problem in the portal's answer to an exit code and a message."""
    kind = ""
    try:
        problem = json.load(answer)
        detail, kind = problem["detail"], str(problem.get("type", ""))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, http.client.HTTPException):
        detail = answer.headers.get("Location") or answer.reason
    code = UNAUTHORISED if answer.code in (401, 403) else REFUSED
    return ClientError(code, f"HTTP {answer.code}: {detail}", kind)


# ---- Files on their way: the form, the spool and their delivery ----


class Form:
    """A multipart form whose file is read while it is sent, so that memory does not grow with it."""

    def __init__(self, fields: dict[str, str], file: Path, name: str) -> None:
        self.file = file
        boundary = uuid.uuid4().hex
        self.content_type = f"multipart/form-data; boundary={boundary}"
        parts = [
            f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'
            for field, value in fields.items()
        ]
        quoted = name.replace("\\", "_").replace('"', "_").replace("\r", "_").replace("\n", "_")
        parts.append(
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{quoted}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        # Bytes of a file's name or an argument that are not UTF-8 are sent as they are.
        self._head = "".join(parts).encode(errors="surrogateescape")
        self._tail = f"\r\n--{boundary}--\r\n".encode()
        self._opened: IO[bytes] | None = None

    def __len__(self) -> int:
        return len(self._head) + self.file.stat().st_size + len(self._tail)

    def open(self) -> Iterator[bytes]:
        """Return the bytes of the form, from the beginning."""
        self._opened = self.file.open("rb")
        return self._pieces(self._opened)

    def _pieces(self, opened: IO[bytes]) -> Iterator[bytes]:
        yield self._head
        while piece := opened.read(1 << 16):
            yield piece
        yield self._tail

    def close(self) -> None:
        """Close the file."""
        if self._opened:
            self._opened.close()


class Spool:
    """Files that are not delivered yet; each entry is a folder with a file and the fields of its upload."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise ClientError(USAGE, f"The spool cannot be used: {error}. {ELSEWHERE}") from error

    def add(self, file: Path, path: str, fields: dict[str, str]) -> Path:
        """Copy a file, or pack a folder; the entry appears as a whole or not at all."""
        name = f"{time.time_ns():020d}-{uuid.uuid4().hex}"
        entry = self.folder / f".{name}"
        called = file.resolve().name + (".tar" if file.is_dir() else "")
        about = {"path": path, "fields": fields, "name": called, "key": uuid.uuid4().hex}
        try:
            entry.mkdir(mode=0o700)
            _keep(file, entry / "file")
            (entry / "upload.json").write_text(json.dumps(about), encoding="utf-8")
            for written in (entry / "file", entry / "upload.json", entry):
                _sync(written)
            entry.rename(self.folder / name)
            _sync(self.folder)
        except OSError as error:
            shutil.rmtree(entry, ignore_errors=True)
            raise ClientError(
                USAGE, f"{file}: not kept in the spool, and not sent: {error}. {ELSEWHERE}"
            ) from error
        return self.folder / name

    def entries(self) -> list[Path]:
        """Return the entries, oldest first."""
        return sorted(path for path in self.folder.iterdir() if ENTRY.fullmatch(path.name))

    def remove(self, entry: Path) -> None:
        """Delete a delivered entry in one step, so that no other job finds half of it."""
        hidden = self.folder / f".{entry.name}"
        with contextlib.suppress(OSError):  # another job was faster, or the folder has become read-only
            entry.rename(hidden)
        shutil.rmtree(hidden, ignore_errors=True)

    def sweep(self) -> None:
        """Delete the remains of jobs that were killed while they wrote or removed an entry."""
        for path in self.folder.glob(".*"):
            with contextlib.suppress(OSError):
                if ENTRY.fullmatch(path.name[1:]) and path.stat().st_mtime < time.time() - ABANDONED:
                    shutil.rmtree(path, ignore_errors=True)

    def set_aside(self, entry: Path) -> Path:
        """Move a refused entry to the folder of refused ones."""
        refused = self.folder / "refused"
        refused.mkdir(mode=0o700, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):  # another job was faster
            entry.rename(refused / entry.name)
        return refused / entry.name


def _keep(file: Path, place: Path) -> None:
    """Copy a file, or pack a folder; the same files give the same bytes, which the portal recognises."""
    if not file.is_dir():
        shutil.copyfile(file, place)
        return
    with tarfile.open(place, "w") as packed:
        for path in sorted(path for path in file.rglob("*") if path.is_file() and not path.is_symlink()):
            inside = tarfile.TarInfo(f"{file.resolve().name}/{path.relative_to(file).as_posix()}")
            inside.size = path.stat().st_size
            with path.open("rb") as opened:
                packed.addfile(inside, opened)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def deliver(portal: Portal, spool: Spool, entry: Path) -> dict[str, Any] | None:
    """Send one entry of the spool; return None if another job has sent it meanwhile."""
    try:
        about = json.loads((entry / "upload.json").read_text(encoding="utf-8"))
        path, key, name = about["path"], about["key"], about["name"]
        form = Form(about["fields"], entry / "file", name)
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise ClientError(REFUSED, f"A damaged entry; it is kept in {spool.set_aside(entry)}") from error
    try:
        answer = portal.post(path, form, key)
    except FileNotFoundError:
        return None
    except ClientError as stop:
        if stop.code != REFUSED:
            raise
        place = spool.set_aside(entry)
        raise ClientError(REFUSED, f"{name}: {stop}\nIt is kept in {place}") from stop
    spool.remove(entry)
    say(f"{name}: upload {answer['id']} of {answer['application']}, {answer['page']}")
    for note in answer.get("notes", []):
        say(f"{name}: {note}")
    return answer


def follow(portal: Portal, upload: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Wait until an upload is modelled, or read in a dry run; raise ClientError if that fails."""
    end = time.monotonic() + seconds
    pause = 0.5
    while upload["state"] not in ("done", "read", "replaced"):
        if upload["state"] == "failed":
            name = f"{upload['filename']}: "
            message = (upload["error"] or {}).get("message", "it failed")
            raise ClientError(FAILED, name + message[len(name) if message.startswith(name) else 0 :])
        if time.monotonic() + pause > end:
            state = f"still {upload['state']} after {seconds:g} s"
            raise ClientError(LATE, f"{upload['filename']}: {state}; {upload['page']}")
        time.sleep(pause)
        pause = min(pause * 1.5, 10)
        upload = portal.get(f"/api/v1/uploads/{upload['id']}/")
    for failure in upload.get("failures", []):
        say(f"{upload['filename']}: {failure['message']}")
    return upload


# ---- Facts about the job: source code, machine, scheduler, and the fields made of them ----


def git_facts(folder: Path) -> dict[str, str]:
    """Return commit, branch and date of the source; empty outside of a repository or without git."""

    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],  # noqa: S607 -- whichever git the job has loaded
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20, check=True,
        )  # fmt: skip
        return done.stdout.decode(errors="replace").strip()

    try:
        commit, date = git("log", "-1", "--format=%H%n%cI").split("\n")
        branch = git("rev-parse", "--abbrev-ref", "HEAD")
        dirty = "yes" if git("status", "--porcelain", "--untracked-files=no") else ""
    except (OSError, ValueError, subprocess.SubprocessError):
        commit = os.environ.get("CI_COMMIT_SHA") or os.environ.get("GITHUB_SHA") or ""
        date, branch, dirty = os.environ.get("CI_COMMIT_TIMESTAMP", ""), "", ""
    if branch in ("", "HEAD"):  # pipelines check out a commit, not a branch
        branch = os.environ.get("CI_COMMIT_REF_NAME") or os.environ.get("GITHUB_REF_NAME") or ""
    facts = {"commit": commit, "branch": branch, "date": date, "dirty": dirty}
    return {name: value for name, value in facts.items() if value}


def machine() -> str:
    """Return the machine's name, which is the same for all its jobs: each machine has its own history."""
    named = os.environ.get("PERFWEB_MACHINE") or os.environ.get("SLURM_CLUSTER_NAME")
    host = platform.node().split(".")[0]
    return named or re.sub(r"[-_]?\d+$", "", host) or host


def job_facts() -> dict[str, str]:
    """Return what the scheduler and the environment contain about this job."""
    facts = {"host": platform.node(), "architecture": platform.machine(), "system": platform.release()}
    for scheduler, names in SCHEDULERS.items():
        if os.environ.get(names[0]):
            facts["scheduler"] = scheduler
            facts.update({name.lower(): os.environ[name] for name in names if os.environ.get(name)})
    facts.update({name.lower(): os.environ[name] for name in SURROUNDINGS if os.environ.get(name)})
    facts.update(run_origin())
    return facts


def run_origin() -> dict[str, str]:
    """Return the job, the nodes and the time of this run, by which the portal finds sources of noise."""
    job = first_set("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID")
    if os.environ.get("LSB_JOBID") == job and os.environ.get("LSB_JOBINDEX", "0") != "0":
        job += f"[{os.environ['LSB_JOBINDEX']}]"  # all tasks of LSF's arrays have the same id
    node = first_set("SLURM_JOB_NODELIST", "SLURM_NODELIST", "LSB_HOSTS") or platform.node()
    time_now = datetime.datetime.now().astimezone().isoformat(timespec="seconds")
    origin = {"job": job, "node": node, "measured_at": time_now}
    return {name: value for name, value in origin.items() if value}


def first_set(*names: str) -> str:
    """Return the first of these environment variables that is set; empty if none is."""
    return next(filter(None, (os.environ.get(name) for name in names)), "")


def campaign_of(options: argparse.Namespace) -> str:
    """Return the key that all uploads of one campaign share. Without a key, each file is its own campaign."""
    return options.campaign or os.environ.get("PERFWEB_CAMPAIGN", "")


def form_fields(options: argparse.Namespace) -> dict[str, str]:
    """Return the fields of the upload's form: the given options, and defaults for the others."""
    git = {} if options.no_git else git_facts(Path(options.source))
    metadata = {} if options.no_metadata else job_facts()
    if "dirty" in git:
        metadata["uncommitted_changes"] = "yes"
    metadata.update(options.metadata)
    fields = {
        "version": options.version or git.get("commit", "")[:12],
        "commit": options.commit or git.get("commit", ""),
        "branch": options.branch or git.get("branch", ""),
        "date": options.date or git.get("date", ""),
        "machine": options.machine or machine(),
        "campaign": campaign_of(options),
        "run": options.run_name,
        "replaces": options.replaces,
        "format": options.format,
        "options": "; ".join(f"{name}={value}" for name, value in options.option),
        "metrics": metrics_field(options),
        "modelers": options.modelers,
        "project": options.project,
        "metadata": json.dumps(metadata),
    }
    if not fields["version"]:
        raise ClientError(USAGE, "Name the version with --version; no git repository says which it is.")
    return {name: value for name, value in fields.items() if value}


def point_of(name: str, options: argparse.Namespace) -> dict[str, str]:
    """Return the field with the point of a file; empty if no point was given."""
    point: str = options.point
    if options.table:
        point = table_row(options.table, name)
    # the pattern may match this file's path; otherwise the portal applies it inside of the archive
    elif "{" in point:
        holes = re.split(r"\{([^{}]*)\}", point)
        number = r"([0-9]+(?:[.,][0-9]+)?(?:[eE][+-]?[0-9]+)?)"
        pieces = ["[^/]*?".join(map(re.escape, text.split("*"))) for text in holes[::2]]
        found = re.search(number.join(pieces), name)
        if found:
            values = [value.replace(",", ".") for value in found.groups()]
            point = ", ".join(f"{hole}={value}" for hole, value in zip(holes[1::2], values))  # noqa: B905
    return {"point": point} if point else {}


def table_row(table: str, name: str) -> str:
    """Return the point of a file from a CSV table with the columns file, p, n, …"""
    try:
        with open(table, newline="", encoding="utf-8-sig") as opened:
            rows = list(csv.DictReader(opened))
    except (OSError, ValueError, csv.Error) as error:
        raise ClientError(USAGE, f"{table}: {error}") from error
    for row in rows:
        if os.path.normpath(row.get("file") or "") in (os.path.normpath(name), os.path.basename(name)):
            return ", ".join(f"{key}={row[key]}" for key in row if key and key != "file" and row[key])
    raise ClientError(USAGE, f"{table} has no row whose column “file” is {name}.")


def metrics_field(options: argparse.Namespace) -> str:
    """Return units and directions of new metrics as JSON; empty if none were given."""
    metrics: dict[str, dict[str, object]] = {}
    for name, unit in options.unit:
        metrics.setdefault(name, {})["unit"] = unit
    for name, better in options.better:
        if better not in ("lower", "higher"):
            raise ClientError(USAGE, f"--better {name}={better}: expected lower or higher.")
        metrics.setdefault(name, {})["lower_is_better"] = better == "lower"
    return json.dumps(metrics) if metrics else ""


# ---- The command `upload` ----


def upload(options: argparse.Namespace) -> int:
    """Spool all files, then send them."""
    missing = [name for name in options.files if not os.path.exists(name)]
    if missing:
        raise ClientError(USAGE, f"There is no file {', '.join(missing)}.")
    points = {name: point_of(name, options) for name in options.files}
    if len(options.files) > 1 and any(points.values()) and not campaign_of(options):
        raise ClientError(USAGE, "Name the campaign to which these points belong, with --campaign.")
    spool, fields = Spool(options.spool), form_fields(options)
    path = upload_path(options.application) + ("?dry_run=true" if options.dry_run else "")
    entries = [spool.add(Path(name), path, {**fields, **points[name]}) for name in options.files]
    if options.offline:
        say(f"{len(entries)} in the spool {spool.folder}; send with: perfweb.py flush")
        return DELIVERED
    portal = connect(options)
    code, sent = _send(portal, spool, entries)
    for answer in sent if options.wait or options.dry_run else []:
        try:
            found = follow(portal, answer, options.wait or 300)
            diagnosis = json.dumps(found.get("diagnosis"), indent=2)
            say(diagnosis if options.dry_run else f"{found['filename']}: modelled")
        except ClientError as stop:
            say(str(stop))
            code = code or stop.code
    return code


# ---- The command `history` ----


def history(options: argparse.Namespace) -> int:
    """Spool the results of each commit in a folder as a version, oldest first, then send them."""
    commits = sorted(commits_in(Path(options.folder)).values(), key=lambda found: found.date)
    if not commits:
        raise ClientError(
            USAGE, f"{options.folder} holds no results of asv or pytest-benchmark with commits."
        )
    spool, entries = Spool(options.spool), []
    path = upload_path(options.application)
    for found in commits:
        fields = {"version": found.commit[:12], "commit": found.commit, "date": found.date}
        fields["machine"] = options.machine or found.machine or machine()
        fields["project"] = options.project
        with tempfile.TemporaryDirectory() as folder:
            entries.append(
                spool.add(found.packed(Path(folder)), path, {k: v for k, v in fields.items() if v})
            )
    if options.offline:
        say(f"{len(entries)} in the spool {spool.folder}; send with: perfweb.py flush")
        return DELIVERED
    return _send(connect(options), spool, entries)[0]


class Commit:
    """Results of one commit on one machine, as asv and pytest-benchmark store them."""

    def __init__(self, commit: str, machine: str, date: str) -> None:
        self.commit, self.machine, self.date = commit, machine, date
        self.files: list[Path] = []

    def packed(self, place: Path) -> Path:
        """Copy the files to a folder of their own and return it; a single file is returned as it is."""
        index = self.files[0].parent.parent / "benchmarks.json"
        if len(self.files) == 1 and not index.exists():
            return self.files[0]
        folder = place / self.commit[:12]
        folder.mkdir()
        for file in [*self.files, *([index] if index.exists() else [])]:
            shutil.copyfile(file, folder / file.name)
        return folder


def commits_in(folder: Path) -> dict[tuple[str, str], Commit]:
    """Return the commits whose results a folder contains, by commit and machine."""
    found: dict[tuple[str, str], Commit] = {}
    for file in sorted(folder.rglob("*.json")):
        try:
            document = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        about = document if isinstance(document, dict) else {}
        known = about.get("commit_info") or {}
        if "commit_hash" in about and "results" in about:
            seconds = about.get("date") or 0
            date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds / 1000))
            key = str(about["commit_hash"]), file.parent.name
        elif isinstance(known, dict) and known.get("id") and "benchmarks" in about:
            date = str(known.get("time") or about.get("datetime") or "")
            key = str(known["id"]), str((about.get("machine_info") or {}).get("node") or "")
        else:
            continue
        found.setdefault(key, Commit(*key, date)).files.append(file)
    return found


def upload_path(application: str) -> str:
    """Return the path to which uploads of an application are sent."""
    return f"/api/v1/applications/{urllib.parse.quote(application, safe='')}/uploads/"


# ---- The command `gate` ----


def gate(options: argparse.Namespace) -> int:
    """Wait until a version is modelled and compared, and print whether it may be released."""
    version = options.version or git_facts(Path(options.source)).get("commit", "")[:12]
    if not version:
        raise ClientError(USAGE, "Name the version with --version; no git repository says which it is.")
    named = ("before", "policy", "machine", "target", "project")
    asked = {"version": version, **{name: getattr(options, name) for name in named}}
    query = urllib.parse.urlencode({name: value for name, value in asked.items() if value})
    path = f"/api/v1/applications/{urllib.parse.quote(options.application, safe='')}/gate/?{query}"
    portal = connect(options, "read")
    found = judged(portal, path, options.wait, {**asked, "application": options.application})
    sys.stdout.write(portal.text(path, FORMATS[options.format]).rstrip("\n") + "\n")
    if found["undecided"]:
        return UNDECIDED
    return PASSED if found["passed"] else NOT_PASSED


def judged(portal: Portal, path: str, seconds: float, asked: dict[str, str]) -> dict[str, Any]:
    """Ask a gate repeatedly until all work is finished, or until the time has run out."""
    end = time.monotonic() + seconds
    pause = 0.5
    announced: list[str] = []
    while True:
        found = compared(portal, path, asked)
        if not found["waiting"]:
            return found
        if found["waiting"] != announced:
            announced = found["waiting"]
            say("perfweb: " + " ".join(announced))
        if time.monotonic() + pause > end:
            say(f"perfweb: still undecided after {seconds:g} s")
            return found
        time.sleep(pause)
        pause = min(pause * 1.5, 10)


def compared(portal: Portal, path: str, asked: dict[str, str]) -> dict[str, Any]:
    """Ask a gate once; if the two versions were never compared, request the comparison first."""
    try:
        return portal.gate(path)
    except ClientError as stop:
        if stop.kind != NOT_COMPARED:
            raise
    names = ("application", "before", "machine", "project")
    query = {"after": asked["version"], **{name: asked[name] for name in names if asked[name]}}
    portal.compare(f"/api/v1/comparisons/?{urllib.parse.urlencode(query)}")
    return portal.gate(path)


# ---- The commands `plan`, `modelers` and `flush` ----


def plan(options: argparse.Namespace) -> int:
    """Print what to measure next: as text, as JSON, or as a job script."""
    names = (
        "goal", "target", "version", "machine", "metric", "budget", "runs", "processes", "hours", "within",
        "memory", "memory_each", "overhead", "wait", "script", "project", "seconds", "repetitions",
        "linear", "iterations", "dependent", "kernel",
    )  # fmt: skip
    query = {name: getattr(options, name) for name in names}
    query["command"] = options.start
    for kind in ("values", "known", "grows"):
        query.update({f"{kind}.{name}": text for name, text in getattr(options, kind)})
    asked = urllib.parse.urlencode({name: value for name, value in query.items() if value})
    address = f"/api/v1/applications/{urllib.parse.quote(options.application, safe='')}/plan/?{asked}"
    found = connect(options, "read").plan(address, options.keep)
    if options.json:
        text = json.dumps(found, indent=2, ensure_ascii=False) + "\n"
    else:
        text = found["script"] if options.script else found["text"]
    sys.stdout.write(text)
    for note in found.get("notes", []):
        say(f"perfweb: {note}")
    if found["id"]:
        say(f"Kept as plan {found['id']}.")
    if found["problem"]:
        if options.json or options.script:  # the text contains it
            say(f"perfweb: {found['problem']}")
        return REFUSED
    return DELIVERED


def modelers(options: argparse.Namespace) -> int:
    """Print the errors of a campaign's modelers, after changing the choice if options ask for it."""
    asked = {"shown": options.show, "compared": options.compare}
    changes = {name: value for name, value in asked.items() if value is not None}
    query = urllib.parse.urlencode({"metric": options.metric} if options.metric else {})
    path = f"/api/v1/campaigns/{options.campaign}/modelers/" + (f"?{query}" if query else "")
    found = connect(options, "upload" if changes else "read").modelers(path, changes)
    kind = found["judged_by"]
    lines = [modeler_line(each, kind, found["kernels"][kind]) for each in found["modelers"]]
    text = json.dumps(found, indent=2, ensure_ascii=False) if options.json else "\n".join(lines)
    sys.stdout.write(text + "\n")
    return DELIVERED


def modeler_line(each: dict[str, Any], kind: str, kernels: int) -> str:
    """Return a line on a modeler: its state, its median error, and for how many kernels it is the closest."""
    state = "shown" if each["shown"] and each["state"] == "done" else each["state"]
    if each.get("adapting") is not None:
        state += f", {each['adapting']:.0%} of the network's adaptation are done"
    error = each["median"][kind]
    if error is None:
        return f"{each['modeler']:12} {state}"
    closest = f"closest for {each['closest'][kind]} of {kernels} kernels"
    return f"{each['modeler']:12} {state:8} {100 * error:.3g} % {kind.replace('_', ' ')}, {closest}"


def flush(options: argparse.Namespace) -> int:
    """Send all files that are in the spool."""
    spool = Spool(options.spool)
    spool.sweep()
    code, sent = _send(connect(options), spool, spool.entries())
    say(f"{len(sent)} delivered, {len(spool.entries())} left in {spool.folder}")
    return code


def _send(portal: Portal, spool: Spool, entries: list[Path]) -> tuple[int, list[dict[str, Any]]]:
    """Deliver entries; a refused file does not delay the others."""
    code, sent = DELIVERED, []
    for place, entry in enumerate(entries):
        try:
            answer = deliver(portal, spool, entry)
            sent += [answer] if answer else []
        except ClientError as stop:
            code = stop.code
            say(str(stop))
            if code != REFUSED:
                say(f"{len(entries) - place} stay in the spool {spool.folder}; send with: perfweb.py flush")
                break
    return code, sent


# ---- The command line ----


def connect(options: argparse.Namespace, scope: str = "upload") -> Portal:
    """Return the portal that the options and the environment name."""
    address = options.url or os.environ.get("PERFWEB_URL") or PORTAL
    token = os.environ.get("PERFWEB_TOKEN", "").strip()
    if not re.match(r"https?://", address):
        raise ClientError(
            USAGE, "Set PERFWEB_URL to the address of the portal, such as https://perfweb.example.org."
        )
    if not re.fullmatch("[!-~]+", token):
        raise ClientError(UNAUTHORISED, f"Set PERFWEB_TOKEN to a token with the scope {scope}.")
    return Portal(address, token, options.patience)


def say(text: str) -> None:
    """Write a message to standard error, which batch systems keep with the job's log."""
    sys.stderr.write(text + "\n")


def pair(text: str) -> tuple[str, str]:
    """Parse NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected NAME=VALUE")
    return name, value


def options_read(arguments: list[str]) -> argparse.Namespace:
    """Parse the command line."""
    about, _, rest = (__doc__ or "").partition("\n\n")
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="perfweb.py", description=about, epilog=rest, formatter_class=plain)
    common = argparse.ArgumentParser(add_help=False)
    home = os.environ.get("PERFWEB_SPOOL") or Path.home() / ".perfweb-spool"
    common.add_argument("--url", default="", help="address of the portal (default: PERFWEB_URL)")
    common.add_argument("--spool", type=Path, default=Path(home), metavar="DIR", help="default: %(default)s")
    common.add_argument(
        "--patience", type=float, default=120.0, metavar="SECONDS",
        help="how long to try to send each file (%(default)s)",
    )  # fmt: skip
    commands = parser.add_subparsers(dest="command", required=True)
    sub = commands.add_parser("flush", parents=[common], help="send the files in the spool")
    sub.set_defaults(run=flush)
    gate_options(commands.add_parser("gate", parents=[common], help="say whether a version may be released"))
    sub = commands.add_parser("history", parents=[common], help="send a folder of results, commit by commit")
    sub.set_defaults(run=history)
    sub.add_argument("folder", metavar="FOLDER", help="results of asv, or the storage of pytest-benchmark")
    sub.add_argument("--application", required=True, help="the application's name in the portal's addresses")
    sub.add_argument("--machine", default="", help="machine that ran them (default: from the results)")
    sub.add_argument("--project", default="", help="only needed if the token has no project")
    sub.add_argument("--offline", action="store_true", help="only copy to the spool: no network here")
    modelers_options(
        commands.add_parser("modelers", parents=[common], help="compare and choose a campaign's modelers")
    )
    plan_options(commands.add_parser("plan", parents=[common], help="propose what to measure next"))
    sub = commands.add_parser("upload", parents=[common], help="send files, each a run or a whole campaign")
    sub.set_defaults(run=upload)
    sub.add_argument("files", nargs="+", metavar="FILE", help="a file, or a folder, which is packed")
    sub.add_argument("--application", required=True, help="its name; My Solver 2 is stored as my-solver-2")
    sub.add_argument("--version", default="", help="the version's label (default: the commit's first digits)")
    sub.add_argument("--campaign", default="", help="any text; files with the same text are one campaign")
    sub.add_argument(
        "--run", dest="run_name", default="", metavar="NAME",
        help="the run's name in its campaign, such as its repetition; a file with the bytes of an earlier "
        "one is stored again only if it names another run",
    )  # fmt: skip
    sub.add_argument("--replaces", default="", metavar="ID", help="the upload that this file corrects")
    sub.add_argument("--machine", default="", help="machine of the runs (default: see below)")
    for name in ("commit", "branch", "date"):
        sub.add_argument(f"--{name}", default="", help="default: from git or the pipeline")
    sub.add_argument("--source", default=".", metavar="DIR", help="folder of the repository (default: this)")
    sub.add_argument("--format", default="", help="default: recognised from the content")
    sub.add_argument(
        "--option", type=pair, action="append", default=[], metavar="NAME=VALUE",
        help="option of a format that can be read in several ways, e.g. scaling=strong for Cube",
    )  # fmt: skip
    sub.add_argument(
        "--modelers", default="", metavar="NAME,…",
        help="modelers, e.g. evidence,adaptive; pages show the models of the first one (default: those of "
        "the application's settings)",
    )  # fmt: skip
    places = sub.add_mutually_exclusive_group()
    places.add_argument(
        "--point", default="", metavar="POINT",
        help="the parameters' values, if the files do not contain them: 'p=64, n=100', or a pattern that "
        "finds them in the files' paths: 'run_p{p}_n{n}'",
    )  # fmt: skip
    places.add_argument(
        "--table", default="", metavar="CSV", help="these values for each file: columns file, p, n, …"
    )
    sub.add_argument(
        "--unit", type=pair, action="append", default=[], metavar="METRIC=UNIT",
        help="unit of a new metric (default: from the file, or guessed from its name)",
    )  # fmt: skip
    sub.add_argument(
        "--better", type=pair, action="append", default=[], metavar="METRIC=lower|higher",
        help="which values of a new metric are better (default: guessed from unit and name)",
    )  # fmt: skip
    sub.add_argument("--project", default="", help="only needed if the token has no project")
    sub.add_argument(
        "--metadata", type=pair, action="append", default=[], metavar="NAME=VALUE",
        help="stored with the campaign; may be given several times",
    )  # fmt: skip
    sub.add_argument("--no-git", action="store_true", help="do not ask git")
    sub.add_argument("--no-metadata", action="store_true", help="do not send job, host and modules")
    sub.add_argument("--offline", action="store_true", help="only copy to the spool: no network here")
    sub.add_argument("--dry-run", action="store_true", help="only describe the file; nothing is stored")
    sub.add_argument(
        "--wait", type=float, default=0.0, metavar="SECONDS", help="how long to wait until it is modelled"
    )
    return parser.parse_args(arguments)


def gate_options(sub: argparse.ArgumentParser) -> None:
    """Add the options of the command `gate`."""
    sub.set_defaults(run=gate)
    sub.add_argument("--application", required=True, help="the application's name in the portal's addresses")
    sub.add_argument("--version", default="", help="the version's label (default: the commit's first digits)")
    sub.add_argument("--before", default="", metavar="VERSION", help="default: the version before it")
    sub.add_argument(
        "--policy", default="",
        help="conditions for refusing it (default: 'P(slower than 5 %% at the target) > 0.95; any law "
        "worsened; an expectation broken')",
    )  # fmt: skip
    sub.add_argument("--machine", default="", help="default: the machine on which it was measured last")
    sub.add_argument("--target", default="", help="name of a target, or p:65536,n:8000 (default: the first)")
    sub.add_argument("--project", default="", help="only needed if the token has no project")
    sub.add_argument(
        "--format", default="text", choices=list(FORMATS), help="format of the reasons (%(default)s)"
    )
    sub.add_argument(
        "--wait", type=float, default=600.0, metavar="SECONDS",
        help="how long to wait for models and comparison (%(default)s)",
    )  # fmt: skip
    sub.add_argument("--source", default=".", metavar="DIR", help="folder of the repository (default: this)")


def modelers_options(sub: argparse.ArgumentParser) -> None:
    """Add the options of the command `modelers`."""
    sub.set_defaults(run=modelers)
    sub.add_argument("campaign", type=int, metavar="CAMPAIGN", help="its number, as in its page's address")
    sub.add_argument("--metric", default="", help="default: the first one")
    sub.add_argument("--show", metavar="MODELER", help="modeler whose models pages show (role maintainer)")
    sub.add_argument(
        "--compare", nargs="*", metavar="MODELER",
        help="all other modelers of the campaign; models of omitted ones are deleted (role maintainer)",
    )  # fmt: skip
    sub.add_argument("--json", action="store_true", help="print the portal's whole answer")


def plan_options(sub: argparse.ArgumentParser) -> None:
    """Add the options of the command `plan`."""
    sub.set_defaults(run=plan)
    sub.add_argument("--application", required=True, help="the application's name in the portal's addresses")
    sub.add_argument(
        "--goal", default="", help="interval, rivals, change, first or profile (default: what helps most)"
    )
    sub.add_argument(
        "--target", default="", help="a target's name, or p:65536,n:8000 (default: the first one)"
    )
    sub.add_argument(
        "--version", default="",
        help="the version's label (default: the latest); a version that was not measured yet starts from the "
        "laws of the latest one",
    )  # fmt: skip
    sub.add_argument("--machine", default="", help="machine (default: that of the latest version)")
    sub.add_argument("--metric", default="", help="default: the first one")
    sub.add_argument(
        "--kernel", default="", metavar="ID",
        help="kernel that the plan is for, by the number in its page's address (default: the whole program)",
    )  # fmt: skip
    sub.add_argument(
        "--within", default="", metavar="PERCENT",
        help="wanted interval, ± percent (default: half of the present one)",
    )  # fmt: skip
    sub.add_argument(
        "--linear", default="", metavar="NAME,NAME",
        help="for the goal profile: parameters that count iterations of the main loop",
    )  # fmt: skip
    sub.add_argument(
        "--iterations", default="", metavar="0.98,1.01",
        help="for the goal profile: seconds of the main loop's iterations in one run, to check that they are "
        "equal",
    )  # fmt: skip
    sub.add_argument(
        "--dependent", default="", metavar="FORMULA",
        help="for the goal profile: computed parameters, such as 'spacing = vol / cubes'",
    )  # fmt: skip
    sub.add_argument("--memory", default="", metavar="GB", help="largest memory of a run")
    sub.add_argument(
        "--memory-each", default="", metavar="GB",
        help="memory of a process (default: predicted from a metric of memory)",
    )  # fmt: skip
    sub.add_argument(
        "--overhead", default="", metavar="CORE_HOURS", help="cost of each job in addition to its run"
    )
    sub.add_argument("--wait", default="", metavar="HOURS", help="time that a job waits in the queue")
    sub.add_argument("--budget", default="", metavar="CORE_HOURS", help="largest cost (default: no limit)")
    sub.add_argument("--processes", default="", metavar="NUMBER", help="largest number of processes of a run")
    sub.add_argument("--hours", default="", metavar="HOURS", help="longest time of a run, as a queue allows")
    sub.add_argument("--runs", default="", metavar="COUNT", help="largest number of runs")
    sub.add_argument(
        "--values", type=pair, action="append", default=[], metavar="NAME=4,8,16",
        help="values of a parameter that may be measured, or a range such as 2..4096 (default: the measured "
        "ones, and some further ones)",
    )  # fmt: skip
    sub.add_argument(
        "--seconds", default="",
        help="before the first upload: about how long one run takes; the application need not exist yet",
    )  # fmt: skip
    sub.add_argument(
        "--known", type=pair, action="append", default=[], metavar="NAME=64",
        help="value of a parameter in the run that takes --seconds (default: the smallest one)",
    )  # fmt: skip
    sub.add_argument(
        "--grows", type=pair, action="append", default=[], metavar="NAME=POWER",
        help="power of a parameter with which the time of a run grows: 1, 3, or -1 (default: a range)",
    )  # fmt: skip
    sub.add_argument(
        "--repetitions", default="", metavar="COUNT", help="before the first upload: runs at each point"
    )
    sub.add_argument("--script", default="", help="a job script: slurm, pbs, lsf, shell, jube or reframe")
    sub.add_argument("--command", dest="start", default="", help="command by which the script starts a run")
    sub.add_argument(
        "--keep", action="store_true", help="keep the plan; the portal ticks off runs (scope upload)"
    )
    sub.add_argument("--json", action="store_true", help="print the portal's whole answer")
    sub.add_argument("--project", default="", help="only needed if the token has no project")


def main(arguments: list[str]) -> int:
    """Run a command and return the exit code."""
    options = options_read(arguments)
    try:
        code: int = options.run(options)
    except ClientError as stop:
        say(f"perfweb: {stop}")
        return stop.code
    except OSError as error:
        say(f"perfweb: {error}")
        return USAGE
    return code


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # where a terminal has no ✓
    sys.exit(main(sys.argv[1:]))
