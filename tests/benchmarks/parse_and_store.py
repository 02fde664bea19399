"""Parse and store a large campaign: `python -m tests.benchmarks.parse_and_store [PYTHON]`.

2,000 kernels × 25 points × 5 repetitions as JSON Lines. PYTHON is an interpreter that has Extra-P; it then
reads the same file in the same run. Bar: ten times its rate. Times are the processor's, of one process each,
so they hold on a busy machine; PostgreSQL's own work shows in ours by the clock only.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

KERNELS = 2000
EXTRAP = """
import sys, time
from extrap.fileio.file_reader.json_file_reader import JsonFileReader
begin = time.process_time()
JsonFileReader().read_experiment(sys.argv[1])
print(time.process_time() - begin)
"""


def main() -> None:
    """Run in an empty data folder."""
    from tests import made_campaign  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as place:
        os.environ["PERFWEB_DATA"] = str(Path(place) / "data")
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "perfweb.settings")
        import django  # noqa: PLC0415 -- the settings read the folder's name

        django.setup()
        path = made_campaign.write(Path(place) / "kernels.jsonl", KERNELS)
        ours = measure(path)
        for python in sys.argv[1:]:
            answer = subprocess.run([python, "-c", EXTRAP, path], capture_output=True, text=True, check=True)
            theirs = float(answer.stdout)
            print(f"Extra-P reads it in {theirs:.2f} s: {theirs / ours:.1f} times as long")


def measure(path: Path) -> float:
    """Print how long each part takes; return the processor time of both."""
    from django.conf import settings  # noqa: PLC0415
    from django.core.files.base import File  # noqa: PLC0415
    from django.core.management import call_command  # noqa: PLC0415

    from ingest.formats import parse  # noqa: PLC0415
    from ingest.services import campaign_store, upload_receive  # noqa: PLC0415
    from perfweb.accounts.models import Project  # noqa: PLC0415
    from perfweb.launcher import servers  # noqa: PLC0415

    with servers.running(settings.EMBEDDED):
        call_command("migrate", verbosity=0)
        project = Project.objects.create(slug="bench", name="bench")
        with path.open("rb") as opened:
            file = File(opened, path.name)
            upload = upload_receive(project=project, application="app", version="1", file=file, user=None)
        processor, clock = time.process_time(), time.perf_counter()
        parsed = parse(path)
        parse_processor, parse_clock = time.process_time() - processor, time.perf_counter() - clock
        campaign = campaign_store(upload=upload, parsed=parsed)
        both, both_clock = time.process_time() - processor, time.perf_counter() - clock
    store_processor, store_clock = both - parse_processor, both_clock - parse_clock
    print(f"{campaign.value_count} values")
    print(f"parsed in {parse_processor:.2f} s, by the clock {parse_clock:.2f} s")
    print(f"stored in {store_processor:.2f} s, by the clock {store_clock:.2f} s")
    return both


if __name__ == "__main__":
    main()
