"""Send 200 uploads with the client through a portal that is killed and restarted five times meanwhile.

    .venv/bin/python -m tests.benchmarks.portal.client_delivery [uploads] [kills]

A token may send 120 uploads a minute, so 200 uploads take more than a minute even without kills.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from perfweb.client import perfweb
from tests.client import Client
from tests.launcher.portals import Portal, made_token

UPLOADS, KILLS = 200, 5
SIZES = (4, 8, 16, 32, 64)


def write_runs(folder: Path, count: int) -> list[Path]:
    """Write a file for each run. No two files are equal."""
    files = []
    for number in range(count):
        line = {"params": {"p": SIZES[number % len(SIZES)]}, "callpath": "main->solve", "value": 1 + number}
        files.append(folder / f"run-{number:03d}.jsonl")
        files[-1].write_text(json.dumps(line))
    return files


def free_port() -> int:
    """Return a port that is free."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def deliver(files: list[Path], address: str, token: str, spool: Path) -> "subprocess.Popen[str]":
    """Run the client as a job does."""
    command = [sys.executable, perfweb.__file__, "upload", *map(str, files), "--application", "crash"]
    command += ["--version", "1.0", "--campaign", "night", "--no-git", "--patience", "300"]
    variables = {"PERFWEB_URL": address, "PERFWEB_TOKEN": token, "PERFWEB_SPOOL": str(spool)}
    return subprocess.Popen(command, env={**os.environ, **variables}, stderr=subprocess.PIPE, text=True)


def run(folder: Path, uploads: int, kills: int) -> dict[str, float]:
    """Deliver the files while the portal is killed `kills` times at even intervals. Return counts of what is
    stored then.
    """
    data, port = folder / "data", free_port()
    portal = Portal(data, "--port", str(port))
    address = portal.address()
    client = Client(address, made_token(data))
    job = deliver(write_runs(folder, uploads), address, client.token, folder / "spool")
    delivered: list[str] = []
    assert job.stderr is not None
    stream = job.stderr
    reader = threading.Thread(target=lambda: delivered.extend(stream))
    reader.start()
    begin = time.monotonic()
    for kill in range(kills):
        while len(delivered) < (kill + 1) * uploads // (kills + 1) and job.poll() is None:
            time.sleep(0.01)
        portal.stop(signal.SIGKILL)
        portal = Portal(data, "--port", str(port))
        portal.address()
    code = job.wait(900)
    reader.join()
    stream.close()
    seconds = time.monotonic() - begin
    with portal:
        return {"exit code": code, "seconds": seconds, **stored(client, uploads_named(delivered))}


def uploads_named(lines: list[str]) -> set[int]:
    """Return the ids of the uploads that the client reports as delivered."""
    return {int(match[1]) for line in lines if (match := re.search(r": upload (\d+) of crash", line))}


def stored(client: Client, ids: set[int]) -> dict[str, float]:
    """Return counts of the stored uploads and values. A value that is stored twice counts twice."""
    address = str(client.wait(min(ids))["campaign"]).removeprefix(client.address)
    end = time.monotonic() + 120
    campaign = client.get(address)
    while campaign["settles_at"] or [run["state"] for run in campaign["runs"]] != ["done"]:
        if time.monotonic() > end:
            raise TimeoutError(f"The campaign was not modelled: {campaign['runs']}")
        time.sleep(1)
        campaign = client.get(address)
    rows = [client.get(f"/api/v1/uploads/{pk}/") for pk in sorted(ids)]
    return {
        "uploads": len({str(row["sha256"]) for row in rows}),
        "values": float(campaign["value_count"]),
        "points": len(campaign["points"]),
        **Counter(str(row["state"]) for row in rows),
    }


if __name__ == "__main__":
    counts = [int(text) for text in sys.argv[1:]] or [UPLOADS, KILLS]
    with tempfile.TemporaryDirectory() as made:
        found = run(Path(made), *counts)
    for name, value in found.items():
        print(f"{name:10} {value:g}")
    missing = found["values"] != counts[0] or found["uploads"] != counts[0]
    sys.exit("not each exactly once" if missing or found["exit code"] else 0)
