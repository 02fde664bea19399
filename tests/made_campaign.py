"""Made campaigns with known laws, of any size, as JSON Lines."""

import json
from pathlib import Path

import numpy as np

PROCESSES = (4, 8, 16, 32, 64)
SIZES = (1000, 2000, 4000, 8000, 16000)


def write(
    path: Path,
    kernels: int,
    repetitions: int = 5,
    *,
    noise: float = 0.05,
    seed: int = 0,
    worse: int | None = None,
) -> Path:
    """Write kernels × 25 points × repetitions; kernel `worse`, if any, grows with p besides."""
    random = np.random.default_rng(seed)
    p, n = (axis.ravel() for axis in np.meshgrid(PROCESSES, SIZES, indexing="ij"))
    laws = [1 + 0 * p, 1 + n / 500, 2 + np.log2(p), 1 + n * np.log2(n) / 5000, 1 + n / 1000 * np.sqrt(p)]
    with path.open("w") as file:
        for kernel in range(kernels):
            truth = laws[kernel % len(laws)] * (1 + kernel % 7) / 100
            if kernel == worse:
                truth = truth + p / 50
            values = truth[:, None] * random.uniform(1 - noise / 2, 1 + noise / 2, (len(p), repetitions))
            name = f"main->phase{kernel % 20}->kernel{kernel:04}"
            for point, runs in enumerate(values.round(7).tolist()):
                row = {"params": {"p": int(p[point]), "n": int(n[point])}, "callpath": name, "metric": "time"}
                file.write(json.dumps(row | {"value": runs}) + "\n")
    return path
