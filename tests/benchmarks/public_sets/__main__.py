"""Build sets of real measurements from clones of public repositories.

    python -m tests.benchmarks.public_sets CLONES FOLDER [--sets NAME,NAME]
    python -m tests.benchmarks.public_sets --list

CLONES is a folder with a clone of each repository that `--list` prints, as `git clone` names it. Each set
becomes a file NAME.jsonl.gz in FOLDER, in JSON Lines that can also be uploaded. Each line has the values
measured for one kernel at one point.
"""

import argparse
import gzip
import json
from collections import defaultdict
from pathlib import Path

from tests.benchmarks.public_sets.reading import PublicSet, rows
from tests.benchmarks.public_sets.sources import SETS


def build(wanted: PublicSet, clones: Path, folder: Path) -> int:
    """Write a set to the folder, and return the number of its kernels."""
    series = defaultdict[str, dict[tuple[float, ...], list[float]]](dict)
    for point, kernel, value in rows(wanted, clones):
        if value > 0 and all(x > 0 for x in point):  # Other values have no logarithms.
            series[kernel].setdefault(point, []).append(value)
    with gzip.open(folder / f"{wanted.name}.jsonl.gz", "wt") as file:
        for kernel, points in sorted(series.items()):
            for point, values in sorted(points.items()):
                params = dict(zip(wanted.parameters, point, strict=True))
                line = {"params": params, "callpath": kernel, "metric": wanted.metric, "value": values}
                file.write(json.dumps(line) + "\n")
    return len(series)


def main() -> None:
    """Build the chosen sets whose repositories are there."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("clones", type=Path, nargs="?")
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--sets", type=lambda names: names.split(","), help="names, separated by commas")
    parser.add_argument("--list", action="store_true", help="print the repositories and commits")
    arguments = parser.parse_args()
    chosen = [each for each in SETS if not arguments.sets or each.name in arguments.sets]
    if arguments.list or not arguments.folder:
        for repository in sorted({each.repository for each in chosen}):
            print(f"https://github.com/{repository.address}", repository.commit)
        return
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for each in chosen:
        try:
            print(f"{each.name:24} {build(each, arguments.clones, arguments.folder):6} kernels")
        except FileNotFoundError as error:
            print(f"{each.name:24} left out: {error}")


if __name__ == "__main__":
    main()
