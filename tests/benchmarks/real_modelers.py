"""Compare all modelers on measured campaigns, from which the largest values of the first parameter are held
out.

    python -m tests.benchmarks.real_modelers FOLDER [--networks FOLDER] [--output FILE]

FOLDER has campaigns as `*.jsonl.gz`, with a line for each point of a kernel in a metric. For each kernel with
at least five values of the first parameter the largest value is held out. With at least seven values the two
largest are held out, and the prediction is judged at the largest. The score is the median over kernels of the
relative error, in percent, of the predicted median repetition. From campaigns with many kernels, 200 kernels
are drawn. Kernels that were measured at the same points are modelled together, as a campaign of their own.

The result is written to perfweb/portal/help/real_modelers.json, which the help page on accuracy shows.
`network` is the share of kernels whose law the adaptive modeler took from its network. The other kernels have
the regression's law, most of them because they were measured once at each point, or at more than eleven
values.
"""

import argparse
import gzip
import json
import os
import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
os.environ |= THREADS  # This must be set before NumPy is loaded.

import numpy as np  # noqa: E402 -- after the threads are set

from modeling.engine import ENGINE_VERSION, fit  # noqa: E402
from modeling.engine.modelers.adaptive.adaptation import extra_installed, keep_in  # noqa: E402
from modeling.engine.modelers.adaptive.modeler import NETWORK  # noqa: E402
from modeling.engine.validation import FloatArray  # noqa: E402
from perfweb.portal.help.accuracy import REAL_FILE  # noqa: E402
from tests.benchmarks.adaptive_protocol import MOST_NETWORKS  # noqa: E402

MODELERS = ("evidence", "adaptive", "regression", "refinement")
MOST_KERNELS = 200
FEWEST_VALUES = {1: 5, 2: 7}
"""Number of held-out values → the smallest number of values of the first parameter for this."""

Point = tuple[float, ...]
Kernel = dict[Point, list[float]]


@dataclass(frozen=True)
class Group:
    """Kernels measured at the same points: values (K, P, R) at points (P, m), and medians (K, Q) at the
    held-out points.
    """

    points: FloatArray
    values: FloatArray
    ahead: FloatArray
    truth: FloatArray


def main() -> None:
    """Measure all rows, print them, and write them to the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--networks", type=Path, help="folder of the adapted networks")
    parser.add_argument("--output", type=Path, default=REAL_FILE)
    arguments = parser.parse_args()
    keep_in(arguments.networks, at_most=MOST_NETWORKS)
    warnings.simplefilter("ignore")
    rows = []
    for file in sorted(arguments.folder.glob("*.jsonl.gz")):
        for held_out in FEWEST_VALUES:
            groups = list(held_out_groups(kernels_of(file), held_out))
            if groups:
                rows.append(row(file.name.split(".")[0], held_out, groups))
                print(rows[-1], flush=True)
                _write(arguments.output, rows)


def _write(file: Path, rows: list[dict[str, Any]]) -> None:
    about = {"engine": ENGINE_VERSION, "adapted": extra_installed()}
    file.write_text(json.dumps(about | {"rows": rows}, indent=1) + "\n")


def kernels_of(file: Path) -> list[Kernel]:
    """Return the positive repetitions of each kernel and metric by point, for at most
    `MOST_KERNELS` kernels.
    """
    found: dict[tuple[str, str], Kernel] = defaultdict(lambda: defaultdict(list))
    with gzip.open(file, "rt") as lines:
        for line in map(json.loads, lines):
            point = tuple(map(float, line["params"].values()))
            found[line["callpath"], line["metric"]][point] += [value for value in line["value"] if value > 0]
    kernels = [{point: each for point, each in sorted(kernel.items()) if each} for kernel in found.values()]
    kept = [kernel for kernel in kernels if len(_first_values(kernel)) >= min(FEWEST_VALUES.values())]
    if len(kept) <= MOST_KERNELS:
        return kept
    chosen = np.random.default_rng(7).choice(len(kept), MOST_KERNELS, replace=False)
    return [kept[number] for number in sorted(chosen)]


def _first_values(kernel: Kernel) -> list[float]:
    return sorted({point[0] for point in kernel})


def held_out_groups(kernels: Sequence[Kernel], held_out: int) -> Iterator[Group]:
    """Return the kernels without their largest values, grouped by the points at which they were measured."""
    alike: dict[tuple[tuple[Point, ...], tuple[Point, ...]], list[Kernel]] = defaultdict(list)
    for kernel in kernels:
        first = _first_values(kernel)
        if len(first) >= FEWEST_VALUES[held_out]:
            known = tuple(point for point in kernel if point[0] not in first[-held_out:])
            others = {point[1:] for point in known}
            ahead = tuple(point for point in kernel if point[0] == first[-1] and point[1:] in others)
            if ahead:
                alike[known, ahead].append(kernel)
    for (known, ahead), members in alike.items():
        most = max(len(kernel[point]) for kernel in members for point in known)
        values = np.full((len(members), len(known), most), np.nan)
        for number, kernel in enumerate(members):
            for place, point in enumerate(known):
                values[number, place, : len(kernel[point])] = kernel[point]
        truth = np.array([[np.median(kernel[point]) for point in ahead] for kernel in members])
        yield Group(np.array(known), values, np.array(ahead), truth)


def row(name: str, held_out: int, groups: Sequence[Group]) -> dict[str, Any]:
    """Return the median errors in percent over the kernels of a campaign, and the share of kernels with the
    network's law.
    """
    errors: dict[str, list[FloatArray]] = defaultdict(list)
    network = 0
    for group in groups:
        for modeler in MODELERS:
            models = fit(group.points, group.values, modeler=modeler)
            off = np.abs(models.predict(group.ahead) - group.truth) / group.truth
            errors[modeler].append(np.median(off, axis=1))
            if models.method is not None:
                network += sum(method.startswith(NETWORK) for method in models.method.tolist())
    kernels = sum(len(group.values) for group in groups)
    medians = {
        modeler: round(100 * float(np.median(np.concatenate(off))), 2) for modeler, off in errors.items()
    }
    return {
        "set": name,
        "held_out": held_out,
        "kernels": kernels,
        "network": round(100 * network / kernels, 1),
        "error": medians,
    }


if __name__ == "__main__":
    main()
