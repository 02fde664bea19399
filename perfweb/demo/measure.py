"""`python -m perfweb.demo.measure` runs every version of the mini-application and writes `data/`.

This takes about ten minutes on a machine that does nothing else. Versions, points and repetitions are run in
random order, so that a slow phase of the machine affects all of them equally.
"""

import argparse
import gc
import json
import os
import sys
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import numpy as np

from perfweb.demo.application.simulation import Measured, Simulation
from perfweb.demo.application.versions import VERSIONS, Version

DATA = Path(__file__).parent / "data"

MACHINE = "two-core-vm"

METHOD = (
    "Ranks take turns in one process on one core of a virtual machine with two; communication is copying "
    "between their buffers, without a network or waiting. Times are exclusive processor seconds "
    "per rank and call, the 10th percentile over a run's calls; each repetition is the faster of "
    "{trials} runs, all runs in random order. "
    "bytes_received is counted, not measured. Commits and dates are the demo's own."
)

_RANK_STEPS = 16
"""Smallest product of steps and ranks in a run; with few ranks a run has more steps."""

_ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    # freed memory is not returned to the system, because page faults would hide the laws
    "MALLOC_MMAP_THRESHOLD_": str(2**25),
    "MALLOC_TRIM_THRESHOLD_": str(2**30),
}

Point = tuple[int, int]
Key = tuple[str, Point, str, str]
"""A key: version, point (p, n), call path, metric."""


@dataclass(frozen=True)
class Plan:
    """The runs to make: every version at every point, `trials` runs for each of the repetitions."""

    versions: tuple[Version, ...] = VERSIONS
    processes: tuple[int, ...] = (4, 8, 16, 32, 64)
    sizes: tuple[int, ...] = (256, 512, 1024, 2048, 4096)
    repetitions: int = 5
    trials: int = 2

    @property
    def points(self) -> list[Point]:
        """All points (p, n)."""
        return list(product(self.processes, self.sizes))


def measure(plan: Plan, rng: np.random.Generator) -> dict[Key, list[float]]:
    """Run the plan. Return each key's values: one for each repetition, or only one for a counted metric."""
    values: dict[Key, list[float]] = defaultdict(list)
    for repetition in range(plan.repetitions):
        fastest = _repetition(plan, rng, f"repetition {repetition + 1} of {plan.repetitions}")
        for key, value in fastest.items():
            if key[-1] == "time" or not values[key]:
                values[key].append(value)
    return dict(values)


def _repetition(plan: Plan, rng: np.random.Generator, title: str) -> dict[Key, float]:
    runs = list(product(plan.versions, plan.points)) * plan.trials
    fastest: dict[Key, float] = {}
    for done, index in enumerate(rng.permutation(len(runs))):
        version, point = runs[index]
        measured = _run(version, point, rng)
        for metric, by_path in (("time", measured.time), ("bytes_received", measured.bytes_received)):
            for path, value in by_path.items():
                key = (version.label, point, path, metric)
                fastest[key] = min(value, fastest.get(key, value))
        sys.stderr.write(f"\r{title}: {done + 1} of {len(runs)} runs")
    sys.stderr.write("\n")
    return fastest


def _run(version: Version, point: Point, rng: np.random.Generator) -> Measured:
    """Make one run without the garbage collector, which would slow down some kernels and not others."""
    p, n = point
    simulation = Simulation(version, p, n, rng)
    gc.collect()
    gc.disable()
    try:
        return simulation.measure(steps=max(1, _RANK_STEPS // p))
    finally:
        gc.enable()


def write(plan: Plan, values: dict[Key, list[float]], folder: Path) -> None:
    """Write one JSON Lines file for each version, and their common properties to `versions.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    for version in plan.versions:
        lines = [_line(key, series) for key, series in sorted(values.items()) if key[0] == version.label]
        (folder / f"{version.label}.jsonl").write_text("".join(lines), encoding="utf-8")
    about = {
        "machine": MACHINE,
        "measured_at": datetime.now(UTC).date().isoformat(),
        "method": METHOD.format(trials=plan.trials),
        "versions": [_about(version) for version in plan.versions],
    }
    text = json.dumps(about, indent=2, ensure_ascii=False) + "\n"
    (folder / "versions.json").write_text(text, encoding="utf-8")


def _line(key: Key, series: list[float]) -> str:
    _, (p, n), path, metric = key
    row = {
        "params": {"p": p, "n": n},
        "callpath": path,
        "metric": metric,
        "value": [float(f"{value:.5g}") for value in series],
    }
    return json.dumps(row) + "\n"


def _about(version: Version) -> dict[str, str]:
    return {
        "label": version.label,
        "commit": version.commit,
        "committed_at": version.committed_at.isoformat(),
        "summary": version.summary,
    }


def main() -> None:
    """Measure the whole plan and write the results."""
    if not _ENVIRONMENT.items() <= os.environ.items():  # libraries read these variables while they are loaded
        command = [sys.executable, "-m", "perfweb.demo.measure", *sys.argv[1:]]
        os.execve(sys.executable, command, {**os.environ, **_ENVIRONMENT})  # noqa: S606 - no shell is wanted
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=DATA, metavar="DIR", help="default: %(default)s")
    arguments = parser.parse_args()
    plan = Plan()
    write(plan, measure(plan, np.random.default_rng()), arguments.into)


if __name__ == "__main__":
    main()
