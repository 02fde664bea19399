"""What the engine finds in a small fixed set of campaigns, stored with the version that found it.

After raising `ENGINE_VERSION`, `python -m tests.modeling.engine.version_results` stores the results again.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from modeling.engine import ENGINE_VERSION, Models, fit, holdout_error
from tests.modeling.engine.cases import CUBE, GRID, LINE, noisy

STORED = Path(__file__).with_suffix(".json")
COMMAND = "python -m tests.modeling.engine.version_results"

TOLERANCE = 1e-4
"""Largest relative difference between equal results. Linear algebra rounds differently on other processors:
values that are changed by 1e-10 change no result by more than 1e-6. With a larger tolerance small changes of
the engine would not be seen.
"""

NEGLIGIBLE_ERROR = 1e-9
"""Difference that does not count, because errors of exact laws consist of rounding alone."""

DIGITS = 7
"""Significant digits of stored numbers, which are enough for the tolerance."""

Result = dict[str, Any]


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
            if not _agree(before, after):
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
    rng = np.random.default_rng(15)
    p, long = LINE[:, 0], 2.0 ** np.arange(1, 11)
    laws = [3 + 0 * p, 0.2 * p, 1 + np.log2(p), 5 + 2 * p ** (1 / 3), 40 / p + 0.5 * np.log2(p)]
    series = np.stack([noisy(law, 0.05, seed=number)[0] for number, law in enumerate(laws)])
    missing = series.copy()
    missing[0, 2], missing[1, 1:], missing[2, :, 2:] = np.nan, np.nan, np.nan
    wandering = long ** np.array([[-1], [0.5], [1]]) * np.exp(
        np.cumsum(np.cumsum(rng.normal(0, 0.1, (3, len(long))), axis=1), axis=1)
    )
    step = np.where(long < 100, 2 + np.sqrt(long), 9 + 0.4 * long)
    once = np.concatenate([wandering, [step, 0.01 * long * np.log2(long)]])[:, :, None]
    grown = [GRID[:, 0] * GRID[:, 1], 90 * GRID[:, 1] / GRID[:, 0] + np.log2(GRID[:, 0]), 2 + GRID[:, 1] ** 2]
    plane = np.stack([noisy(law, 0.04, repetitions=3, seed=number)[0] for number, law in enumerate(grown)])
    cube = CUBE[(CUBE[:, 0] == 8) | (CUBE[:, 1:] == (30, 3)).all(axis=1)]
    volume = noisy(cube[:, 1] * np.log2(cube[:, 0]) + 4 * cube[:, 2], 0.02, repetitions=2)
    return {
        "one parameter": (LINE, series, {}),
        "missing values": (LINE, missing, {}),
        "single repetitions": (long[:, None], once, {}),
        "two parameters": (GRID, plane, {}),
        "three parameters": (cube, volume, {}),
        "regression": (GRID, plane, {"modeler": "regression"}),
        "refinement": (LINE, series, {"modeler": "refinement"}),
        "adaptive": (LINE, series, {"modeler": "adaptive", "adapts": False}),
    }


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


def _agree(before: Any, after: Any) -> bool:
    """Return whether two results are equal, numbers within the tolerance."""
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(map(_agree, before, after))
    if isinstance(before, float) and isinstance(after, float):
        return abs(before - after) <= NEGLIGIBLE_ERROR + TOLERANCE * max(abs(before), abs(after))
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
