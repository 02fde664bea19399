"""Writes synthetic campaigns of any size with known laws, as JSON Lines."""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

PROCESSES = (4, 8, 16, 32, 64)
SIZES = (1000, 2000, 4000, 8000, 16000)


def values(
    kernels: int,
    repetitions: int = 5,
    *,
    noise: float = 0.05,
    seed: int = 0,
    worse: Collection[int] = (),
    processes: Collection[int] = PROCESSES,
) -> tuple[np.ndarray, dict[tuple[str, str], np.ndarray]]:
    """Return points (N, 2), and series with the shape (N, repetitions), with five sizes for each number of
    processes. The kernels whose numbers are in `worse` also grow with p.
    """
    random = np.random.default_rng(seed)
    p, n = (axis.ravel() for axis in np.meshgrid([*processes], SIZES, indexing="ij"))
    laws = [1 + 0 * p, 1 + n / 500, 2 + np.log2(p), 1 + n * np.log2(n) / 5000, 1 + n / 1000 * np.sqrt(p)]
    series = {}
    for kernel in range(kernels):
        truth = laws[kernel % len(laws)] * (1 + kernel % 7) / 100 + (p / 50 if kernel in worse else 0)
        spread = random.uniform(1 - noise / 2, 1 + noise / 2, (len(p), repetitions))
        name = f"main->phase{kernel % 20}->kernel{kernel:04}"
        series[name, "time"] = (truth[:, None] * spread).round(7)
    return np.stack([p, n], axis=1).astype(float), series


def write(path: Path, kernels: int, repetitions: int = 5, **options: Any) -> Path:
    """Write such a campaign to a file. The options are those of `values`."""
    points, series = values(kernels, repetitions, **options)
    with path.open("w") as file:
        for (name, metric), runs in series.items():
            for (p, n), row in zip(points.tolist(), runs.tolist(), strict=True):
                line = {"params": {"p": p, "n": n}, "callpath": name, "metric": metric, "value": row}
                file.write(json.dumps(line) + "\n")
    return path
