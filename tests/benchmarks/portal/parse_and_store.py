"""Measure parsing and storing, and compare parsing with Extra-P.

    python -m tests.benchmarks.portal.parse_and_store [options]

The files are one million values as JSON Lines, once in lists of repetitions and once with one value a line,
and 1,000 kernels as one JSON document. The goal is ten times Extra-P's rate, and at most 300 MiB. Times are
processor times of a process and its children, which other work on the machine does not disturb. The work of
PostgreSQL is contained only in the wall-clock time.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

EXTRAP = """
import sys, time, warnings
warnings.simplefilter("ignore")
begin = time.process_time()
if sys.argv[1] == "cube":
    from extrap.fileio.file_reader.cube_file_reader2 import CubeFileReader2 as Reader
else:
    from extrap.fileio.file_reader.json_file_reader import JsonFileReader as Reader
begin = time.process_time()
Reader().read_experiment(sys.argv[2])
print(time.process_time() - begin)
"""


def main() -> None:
    """Make the files, then measure each file in a separate process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--extrap", metavar="PYTHON", help="an interpreter that has Extra-P")
    parser.add_argument("--profiles", type=Path, metavar="FOLDER", help="Cube profiles to read as well")
    parser.add_argument("--large", action="store_true", help="ten million values as well, without Extra-P")
    parser.add_argument("--only", type=Path, metavar="FILE", help="measure this file here and now")
    options = parser.parse_args()
    if options.only:
        if "PERFWEB_DATA" not in os.environ:
            parser.error("PERFWEB_DATA must name a folder to throw away")
        measure(options.only)
        return
    with tempfile.TemporaryDirectory() as place:
        for path in files(Path(place), large=options.large):
            compare(path, None if "large" in path.name else options.extrap)
        if options.profiles:
            compare(options.profiles, options.extrap)


def files(place: Path, *, large: bool) -> Iterator[Path]:
    """Write the files, and yield one after the other."""
    from tests import made_campaign  # noqa: PLC0415

    yield made_campaign.write(place / "lists.jsonl", 8000)
    lines = (place / "lists.jsonl").read_text().splitlines()
    with (place / "single.jsonl").open("w") as file:
        for row in map(json.loads, lines):
            for value in row["value"]:
                file.write(json.dumps(row | {"value": value}) + "\n")
    yield place / "single.jsonl"
    measurements: dict[str, dict[str, list[dict[str, object]]]] = {}
    for row in map(json.loads, lines[: 25 * 1000]):
        entry = {"point": list(row["params"].values()), "values": row["value"]}
        measurements.setdefault(row["callpath"], {}).setdefault(row["metric"], []).append(entry)
    document = {"parameters": ["p", "n"], "measurements": measurements}
    (place / "kernels.json").write_text(json.dumps(document))
    yield place / "kernels.json"
    if large:
        yield made_campaign.write(place / "large.jsonl", 40_000, repetitions=10)


def compare(path: Path, python: str | None) -> None:
    """Print our times and memory, and those of Extra-P."""
    command = [sys.executable, "-m", "tests.benchmarks.portal.parse_and_store", "--only", str(path)]
    with tempfile.TemporaryDirectory() as data:
        answer = subprocess.run(
            command, env={**os.environ, "PERFWEB_DATA": data}, stdout=subprocess.PIPE, text=True, check=True
        )
    text, ours = answer.stdout.rstrip().rsplit("\n", 1)
    print(f"{path.name}: {text}")
    if python:
        kind = "cube" if path.is_dir() else "json"
        answer = subprocess.run(
            [python, "-c", EXTRAP, kind, path], capture_output=True, text=True, check=True
        )
        theirs = float(answer.stdout)
        print(f"  Extra-P reads it in {theirs:.2f} s: {theirs / float(ours):.1f} times as long")


def measure(path: Path) -> None:
    """Print the time of each step, and in the last line the processor time of both steps."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "perfweb.settings")
    import django  # noqa: PLC0415 -- the settings read the folder's name

    django.setup()
    from django.conf import settings  # noqa: PLC0415
    from django.core.files.base import ContentFile  # noqa: PLC0415
    from django.core.management import call_command  # noqa: PLC0415

    from ingest.formats import parse  # noqa: PLC0415
    from ingest.services import campaign_store, upload_receive  # noqa: PLC0415
    from perfweb.accounts.models import Project  # noqa: PLC0415
    from perfweb.launcher import servers  # noqa: PLC0415

    with servers.running(settings.EMBEDDED):
        call_command("migrate", verbosity=0)
        project = Project.objects.create(slug="bench", name="bench")
        file = ContentFile(b"its own content is read from where it lies", path.name)
        upload = upload_receive(project=project, application="app", version="1", file=file, user=None)
        times = [_times()]
        parsed = parse(path)
        times.append(_times())
        campaign = campaign_store(upload=upload, parsed=parsed)
        times.append(_times())
    (begun, clock), (read, read_clock), (stored, stored_clock) = times
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{campaign.value_count} values, {peak} MiB at most")
    print(f"  parsed in {read - begun:.3f} s, by the clock {read_clock - clock:.3f} s")
    print(f"  stored in {stored - read:.3f} s, by the clock {stored_clock - read_clock:.3f} s")
    print(stored - begun)


def _times() -> tuple[float, float]:
    """Return the processor seconds, including those of ended children, and the wall-clock time."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime, time.perf_counter()


if __name__ == "__main__":
    main()
