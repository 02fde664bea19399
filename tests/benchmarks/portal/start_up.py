"""Measure the time from `manage.py up` to the first page.

python -m tests.benchmarks.portal.start_up [--demo]
"""

import argparse
import shutil
import tempfile
import time
from pathlib import Path

from tests.launcher.portals import Portal, status

BARS = {"first": 10.0, "second": 3.0}


def main() -> None:
    """Start and stop a portal twice on the same folder, and print how long it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--demo", action="store_true")
    options = ["--demo"] if parser.parse_args().demo else []
    data = Path(tempfile.mkdtemp())
    print(f"{'start':8}{'page after':>12}{'bar':>8}{'stopped in':>12}")
    for name, bar in BARS.items():
        page, stop = measure(data, options)
        print(f"{name:8}{page:10.2f} s{bar:6.0f} s{stop:10.2f} s")
    shutil.rmtree(data)


def measure(data: Path, options: list[str]) -> tuple[float, float]:
    """Return the seconds from the start to a served page, and the seconds to stop."""
    began = time.perf_counter()
    with Portal(data, *options) as portal:
        assert status(portal.address()) == 200, "the address that was printed did not answer"
        page = time.perf_counter() - began
        portal.expect("Ctrl-C")
        began = time.perf_counter()
        portal.stop()
    return page, time.perf_counter() - began


if __name__ == "__main__":
    main()
