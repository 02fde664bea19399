"""Models real campaigns through a portal, and runs the engine's evaluation.

`python -m tests.real_campaigns SHARED` first runs the engine's scripts in `SHARED/eval`. Then it sends every
file and every folder of runs in `SHARED/data` with the portal's client, as a job script would, each for its
own application. A folder with several files of one program is also sent file by file, as one campaign.

Every kernel and metric that has a value must get a model that did not fail. Otherwise the failures are
listed, and the exit code is 1.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from django.utils.text import slugify

from ingest.formats import parse
from tests.client import Client
from tests.launcher.portals import ROOT, Portal, made_token

NOT_DATA = {".md", ".py"}
PAGE = 1000
EVALUATIONS = ("awkward.py", "real.py")
LAST = 8
"""Number of an evaluation's last lines that are printed. The totals come last."""
SECONDS = "300"
"""Seconds for which the client waits for one upload."""


def main() -> int:
    """Run the evaluations and send all campaigns. Print a line for each, and its failures."""
    shared = Path(sys.argv[1])
    failed = [name for name in EVALUATIONS if evaluated(shared / "eval" / name)]
    return bool(failed) | bool(all_sent(shared / "data"))


def evaluated(script: Path) -> int:
    """Run a script of the engine's evaluation, print its last lines, and return its exit code."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(script)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    print(f"{script.name}:", *done.stdout.splitlines()[-LAST:], done.stderr[-500:], sep="\n  ", flush=True)
    return done.returncode


def all_sent(data: Path) -> list[str]:
    """Send all campaigns of a folder, and return the failures."""
    short: list[str] = []
    begin, campaigns = time.perf_counter(), sorted(uploads(data))
    with tempfile.TemporaryDirectory() as place, Portal(Path(place) / "data") as portal:
        client = Client(portal.address(), made_token(Path(place) / "data"))
        for label, files in campaigns:
            wrong = sent(client, Path(place), label, files)
            print(f"{'short' if wrong else 'ok':5} {label}", *wrong, sep="\n      ", flush=True)
            short += wrong
    seconds = time.perf_counter() - begin
    print(f"real campaigns: {len(campaigns)} sent in {seconds:.0f} s, {len(short)} fall short")
    return short


def uploads(folder: Path) -> Iterator[tuple[str, list[Path]]]:
    """Yield the label and the files of each campaign.

    A campaign is a file, a folder of runs, or the files of a folder sent one by one.
    """
    for path in sorted(path for path in folder.iterdir() if path.suffix not in NOT_DATA):
        if path.is_file():
            yield path.name, [path]
            continue
        inside = [file for file in sorted(path.iterdir()) if file.suffix not in NOT_DATA]
        if any(file.is_dir() for file in inside) or one_campaign(path):
            yield path.name, [path]
        if all(file.is_file() for file in inside):
            yield from ((f"{path.name} {file.name}", [file]) for file in inside)
            if one_campaign(path):
                yield f"{path.name} file by file", inside


def one_campaign(folder: Path) -> bool:
    """Return whether the files of a folder are runs of one program."""
    return len({file.suffix for file in folder.iterdir()}) == 1 and any(folder.glob("*.cali"))


def sent(client: Client, place: Path, label: str, files: list[Path]) -> list[str]:
    """Send one campaign and return its failures."""
    application = slugify(label.replace(".", "-"))[:60]
    command = [sys.executable, str(ROOT / "perfweb/client/perfweb.py"), "upload", *map(str, files)]
    command += ["--application", application, "--version", "1", "--machine", "trial"]
    command += ["--no-git", "--no-metadata"]
    command += ["--wait", SECONDS, *(["--campaign", "one"] if len(files) > 1 else [])]
    spool = {
        "PERFWEB_URL": client.address,
        "PERFWEB_TOKEN": client.token,
        "PERFWEB_SPOOL": str(place / "spool"),
    }
    done = subprocess.run(command, env=os.environ | spool, capture_output=True, text=True, check=False)
    if done.returncode:
        return [f"exit {done.returncode}: {done.stderr.strip()[-400:]}"]
    models = models_of(client, application)
    states = {(model["kernel"]["path"], model["metric"]): model["law"]["status"] for model in models}
    held = {key for file in files for key, values in parse(file).series.items() if np.isfinite(values).any()}
    lost = {key: states.get(key, "missing") for key in held if states.get(key, "failed") == "failed"}
    return [f"{kernel} ({metric}): {state}" for (kernel, metric), state in lost.items()][:5]


def models_of(client: Client, application: str) -> list[dict[str, Any]]:
    """Return all models of an application that has a single campaign."""
    about = client.get(f"/api/v1/applications/{application}/")
    path = about["versions"][0]["campaigns"][0]["models"].removeprefix(client.address) + f"?limit={PAGE}"
    models: list[dict[str, Any]] = []
    while path:
        answer = client.get(path)
        models += answer["models"]
        path = (answer["next"] or "").removeprefix(client.address)
    return models


if __name__ == "__main__":
    sys.exit(main())
