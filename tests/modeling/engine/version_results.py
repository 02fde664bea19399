"""What the engine finds in a small fixed set of campaigns, stored with the version that found it.

After raising `ENGINE_VERSION`, `python -m tests.modeling.engine.version_results` stores the results again.
"""

import json
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from modeling.engine import ENGINE_VERSION, Models, fit, holdout_error
from tests.modeling.engine.cases import CUBE, GRID, LINE, noisy

STORED = Path(__file__).with_suffix(".json")
COMMAND = "python -m tests.modeling.engine.version_results"

TOLERANCE = 1e-4
"""Largest relative difference between equal results. Linear algebra rounds differently on other processors:
values that are changed by 1e-10 change no result by more than 1e-5. With a larger tolerance small changes of
the engine would not be seen.
"""

DEVIATING = "deviations"
"""Beginning of the names of campaigns whose kernels all deviate from laws."""

DEVIATING_TOLERANCE = 0.02
"""Tolerance for these campaigns. Deviations are weighed in single precision, and trends depend on high powers
of errors: with the matrix products of other processors, results differ by up to 0.8 %.
"""

NEGLIGIBLE_ERROR = 1e-9
"""Difference that does not count, because errors of exact laws consist of rounding alone."""

LONG = 2.0 ** np.arange(1, 11)[:, None]

DIGITS = 7
"""Significant digits of stored numbers, which are enough for the tolerance."""

Result = dict[str, Any]


@cache
def results() -> dict[str, Result]:
    """Return the results of every kernel of every campaign, by name."""
    return {
        f"{campaign}, kernel {kernel}": result
        for campaign, (points, values, options) in _campaigns().items()
        for kernel, result in enumerate(_kernels(points, values, options))
    }


def differences(stored: Mapping[str, Result], now: Mapping[str, Result]) -> list[str]:
    """Return one sentence for each result that is not as stored."""
    lines = [f"{name}: no longer found" for name in stored.keys() - now.keys()]
    lines += [f"{name}: not stored" for name in now.keys() - stored.keys()]
    for name in stored.keys() & now.keys():
        for field, before in stored[name].items():
            after = now[name][field]
            tolerance = DEVIATING_TOLERANCE if name.startswith(DEVIATING) else TOLERANCE
            if not _agree(before, after, tolerance):
                lines.append(f"{name}, {field}: {before} before, {after} now")
    return sorted(lines)


def complaint() -> str:
    """Return what is wrong with the stored results and how to mend it; empty if nothing is."""
    stored = json.loads(STORED.read_text())
    if stored["version"] != ENGINE_VERSION:
        return f"{STORED.name} has the results of version {stored['version']}. Run `{COMMAND}`."
    lines = differences(stored["results"], results())
    if not lines:
        return ""
    return (
        f"The engine finds other results than those stored for version {ENGINE_VERSION}. If you want that, "
        f"raise ENGINE_VERSION in modeling/engine/__init__.py, and then run `{COMMAND}`.\n" + "\n".join(lines)
    )


def _campaigns() -> dict[str, tuple[np.ndarray, np.ndarray, dict[str, Any]]]:
    """Return points (P, m), values (K, P, R) and the options of `fit` for each campaign."""
    lines, planes = _lines(), _planes()
    return {
        "one parameter": (LINE, lines, {}),
        "missing values": (LINE, _with_gaps(lines), {}),
        "loud noise": (LINE, _loud(), {}),
        "single repetitions": (LONG, _once(), {}),
        DEVIATING: (LONG, _deviating(), {}),
        f"{DEVIATING} with unequal repetitions": (LONG, _unequal(), {}),
        "two parameters": (GRID, planes, {}),
        f"{DEVIATING} over two parameters": (*_surfaces(), {}),
        "three parameters": (*_volume(), {}),
        "six parameters": (*_six_parameters(), {}),
        "regression": (GRID, planes, {"modeler": "regression"}),
        "refinement": (LINE, lines, {"modeler": "refinement"}),
        "adaptive": (LINE, lines, {"modeler": "adaptive", "adapts": False}),
    }


def _lines() -> np.ndarray:
    """Return kernels that follow laws of one parameter."""
    p = LINE[:, 0]
    laws = [3 + 0 * p, 0.2 * p, 1 + np.log2(p), 5 + 2 * p ** (1 / 3), 40 / p + 0.5 * np.log2(p)]
    return np.stack([noisy(law, 0.05, seed=number)[0] for number, law in enumerate(laws)])


def _with_gaps(values: np.ndarray) -> np.ndarray:
    """Remove a point of the first kernel, all but one of the second, and repetitions of the third."""
    values = values.copy()
    values[0, 2] = values[1, 1:] = values[2, :, 2:] = np.nan
    return values


def _loud() -> np.ndarray:
    """Return kernels with 60 % of uniform noise, with delays, with heavy tails, and with log-normal noise."""
    rng = np.random.default_rng(16)
    laws, shape = (2 + LINE[:, 0] / 8)[None, :, None], (2, len(LINE), 6)
    noise = [
        rng.uniform(0.7, 1.3, shape),
        1 + rng.exponential(0.3, shape),
        np.exp(0.1 * rng.standard_t(2, shape)),
        np.exp(0.3 * rng.normal(size=shape)),
    ]
    return np.concatenate([laws * factors for factors in noise])


def _once() -> np.ndarray:
    """Return kernels measured once at ten points: with deviations, with a switch, and with an exact law."""
    x = LONG[:, 0]
    switch = np.where(x < 100, 2 + np.sqrt(x), 9 + 0.4 * x)
    return np.concatenate([_bent(3, 15), [switch, 0.01 * x * np.log2(x)]])[:, :, None]


def _deviating() -> np.ndarray:
    """Return kernels with repetitions that deviate from laws: one has a wild value, and two have a switch."""
    values = _bent(12, 17)
    values[0, 4] *= 2
    values[1:3, 5:] *= 3
    return np.stack([noisy(kernel, 0.06, repetitions=3, seed=n)[0] for n, kernel in enumerate(values)])


def _unequal() -> np.ndarray:
    """Return kernels that deviate from laws, with 30 repetitions at small values and one at large values."""
    values = np.stack(
        [noisy(kernel, 0.1, repetitions=30, seed=n)[0] for n, kernel in enumerate(_bent(6, 19))]
    )
    values[:, 6:, 1:] = np.nan
    return values


def _bent(kernels: int, seed: int) -> np.ndarray:
    """Return values (kernels, P) at `LONG` whose slopes vary around those of powers."""
    rng = np.random.default_rng(seed)
    bends = np.cumsum(np.cumsum(rng.normal(0, 0.1, (kernels, len(LONG))), axis=1), axis=1)
    return LONG[:, 0] ** np.resize([-1, 0.5, 1], (kernels, 1)) * np.exp(bends)


def _planes() -> np.ndarray:
    """Return kernels that follow laws of two parameters."""
    p, n = GRID.T
    laws = [p * n, 90 * n / p + np.log2(p), 2 + n**2]
    return np.stack([noisy(law, 0.04, repetitions=3, seed=number)[0] for number, law in enumerate(laws)])


def _surfaces() -> tuple[np.ndarray, np.ndarray]:
    """Return points, and kernels that deviate smoothly from laws of two parameters."""
    points = np.array([(p, n) for p in 2.0 ** np.arange(1, 8) for n in 10 * 2.0 ** np.arange(6)])
    x, y = np.log(points).T
    waves = [0.2 * np.sin(x + phase) + 0.15 * np.cos(0.8 * y - phase) for phase in range(4)]
    laws = [points[:, 1] / points[:, 0] + 1, np.sqrt(points[:, 0]) * points[:, 1]]
    return points, np.stack([laws[n % 2] * np.exp(wave) for n, wave in enumerate(waves)])[:, :, None]


def _volume() -> tuple[np.ndarray, np.ndarray]:
    """Return points on lines and a plane of three parameters, and one kernel."""
    points = CUBE[(CUBE[:, 0] == 8) | (CUBE[:, 1:] == (30, 3)).all(axis=1)]
    return points, noisy(points[:, 1] * np.log2(points[:, 0]) + 4 * points[:, 2], 0.02, repetitions=2)


def _six_parameters() -> tuple[np.ndarray, np.ndarray]:
    """Return scattered points, and kernels that depend on two of the parameters."""
    points = 2.0 ** np.random.default_rng(18).integers(1, 6, (40, 6))
    laws = [3 + points[:, 0] * np.sqrt(points[:, 2]), points[:, 4] + 200 / points[:, 1]]
    return points, np.stack([noisy(law, 0.05, repetitions=2, seed=n)[0] for n, law in enumerate(laws)])


def _kernels(points: np.ndarray, values: np.ndarray, options: dict[str, Any]) -> list[Result]:
    """Return the law of each kernel, and its predictions inside and beyond the measured range."""
    models = fit(points, values, **options)
    at = points.max(axis=0) * np.array([[0.6], [2], [16]])
    predicted, lower, upper = models.estimates(at)
    held_out = holdout_error(points, values, **options)
    return [
        {
            "status": str(models.status[kernel]),
            "law": _law(models, kernel),
            "predictions": _rounded(predicted[kernel]),
            "lower": _rounded(lower[kernel]),
            "upper": _rounded(upper[kernel]),
            "holdout_error": _rounded(held_out[kernel, None]),
        }
        for kernel in range(len(models))
    ]


def _law(models: Models, kernel: int) -> list[Any]:
    """Return the constant, and the coefficient and exponents of each term."""
    terms = [
        [*_rounded(models.coefficients[kernel, term, None]), *models.exponents[kernel, term].ravel().tolist()]
        for term in np.flatnonzero(models.coefficients[kernel])
    ]
    return [*_rounded(models.constant[kernel, None]), *terms]


def _rounded(numbers: np.ndarray) -> list[float | None]:
    return [float(f"{number:.{DIGITS}g}") if np.isfinite(number) else None for number in numbers.tolist()]


def _agree(before: Any, after: Any, tolerance: float) -> bool:
    """Return whether two results are equal, numbers within the tolerance."""
    if isinstance(before, list) and isinstance(after, list):
        same_length = len(before) == len(after)
        return same_length and all(_agree(*pair, tolerance) for pair in zip(before, after, strict=True))
    if isinstance(before, float) and isinstance(after, float):
        return abs(before - after) <= NEGLIGIBLE_ERROR + tolerance * max(abs(before), abs(after))
    return bool(before == after)


def store() -> None:
    """Write the results and their version, one kernel per line, unless they need another version."""
    now = results()
    stored = json.loads(STORED.read_text()) if STORED.exists() else {"version": None}
    if stored["version"] == ENGINE_VERSION and differences(stored["results"], now):
        sys.exit(complaint())
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(result)}" for name, result in now.items())
    STORED.write_text(f'{{"version": "{ENGINE_VERSION}", "results": {{\n{rows}\n}}}}\n')


if __name__ == "__main__":
    store()
