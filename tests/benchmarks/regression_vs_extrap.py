"""Compare the speed of our modelers with Extra-P's on the same data, and count how often the regression finds
the same law.

    python -m tests.benchmarks.regression_vs_extrap --extrap /path/to/extrap/bin/python

Extra-P runs in its own environment, whose Python may also be named by EXTRAP_PYTHON. Both use one core. Rates
are per second of processor time, so other work on the machine does not count.
"""

import argparse
import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
os.environ |= THREADS  # This must be set before NumPy is loaded.

import numpy as np  # noqa: E402 -- after the threads are set

from modeling.engine import Models, fit  # noqa: E402
from modeling.engine.laws.synthetic import SERIES, grid, measure, random_functions  # noqa: E402
from modeling.engine.modelers.combination import LOST_ERRORS  # noqa: E402
from modeling.engine.validation import FloatArray  # noqa: E402

KERNELS = {1: 1000, 2: 500, 3: 100}
"""Number of parameters → number of kernels."""

WANTED = {"regression": {1: 1000, 2: 200, 3: 100}, "evidence": {1: 100, 2: 50, 3: 20}}
"""Modeler → number of parameters → required ratio of our rate to Extra-P's rate."""

SPEED_NOISE = 0.1
NOISES = (0.02, 0.1, 0.5)
FUNCTIONS = 300
REPEATS = 3

Campaign = tuple[FloatArray, FloatArray]
Law = list[Any]


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--extrap", default=os.environ.get("EXTRAP_PYTHON"), help="Extra-P's Python")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--speed", action="store_true", help="nothing but the rates")
    arguments = parser.parse_args()
    if not arguments.extrap:
        parser.error("name the Python that has Extra-P by --extrap or EXTRAP_PYTHON")
    rng = np.random.default_rng(arguments.seed)
    for parameters, kernels in KERNELS.items():
        speed(arguments.extrap, parameters, kernels, rng)
    if arguments.speed:
        return
    for parameters in (1, 2):
        for noise in NOISES:
            agreement(arguments.extrap, parameters, noise, rng)


def speed(extrap: str, parameters: int, kernels: int, rng: np.random.Generator) -> None:
    """Measure and print all rates on one campaign."""
    points = grid(SERIES[:parameters])
    truth = random_functions(kernels, parameters, rng).evaluate(points)
    campaign = points, measure(truth, rng, noise=SPEED_NOISE)
    theirs = kernels / by_extrap(extrap, [campaign])["seconds"]
    print(f"m={parameters}, {len(points)} points x 5, {kernels} kernels: Extra-P {theirs:,.0f} models/s")
    for modeler, wanted in WANTED.items():
        fit(*campaign, modeler=modeler)
        ours = kernels / float(np.median([_seconds(campaign, modeler) for _ in range(REPEATS)]))
        print(f"  {modeler} {ours:,.0f} models/s, ratio {ours / theirs:,.0f} (wanted {wanted[parameters]})")


def _seconds(campaign: Campaign, modeler: str) -> float:
    begin = time.process_time()
    fit(*campaign, modeler=modeler)
    return time.process_time() - begin


def agreement(extrap: str, parameters: int, noise: float, rng: np.random.Generator) -> None:
    """Print for how many of 300 random functions both find the same law.

    Functions are drawn over several grids. The regression avoids two kinds of laws that Extra-P's rule
    allows: laws with subtracted terms, which become negative beyond the data, and laws with a parameter whose
    terms are all smaller than the noise, although they may dominate far beyond the data. Functions without
    such laws are counted separately. With the options that keep Extra-P's rule, all functions count.
    """
    campaigns = list(_campaigns(parameters, noise, rng))
    theirs = [law for laws in by_extrap(extrap, campaigns)["laws"] for law in laws]
    ours = [law for each in campaigns for law in _laws(fit(*each, modeler="regression"))]
    rule = [
        law
        for each in campaigns
        for law in _laws(
            fit(*each, modeler="regression", negative_exponents=False, negative_coefficients=True)
        )
    ]
    measured = [(points, one) for points, values in campaigns for one in values]
    plain = [_is_sound(law, *each) for law, each in zip(theirs, measured, strict=True)]
    same, same_rule = (
        np.array([_hypothesis(a) == _hypothesis(b) for a, b in zip(found, theirs, strict=True)])
        for found in (ours, rule)
    )
    print(
        f"m={parameters}, noise {noise:.0%}: same law {same.mean():.1%} of {len(same)}, "
        f"{same[plain].mean():.1%} of the {sum(plain)} without a defect; "
        f"with Extra-P's rule {same_rule.mean():.1%}"
    )


def _is_sound(law: Law, points: FloatArray, values: FloatArray) -> bool:
    """Return whether Extra-P's law is sound.

    A law is unsound if a term is subtracted, or if all terms of a parameter are smaller than the noise of the
    means.
    """
    if not all(coefficient > 0 for coefficient, _ in law):
        return False
    mean = values.mean(axis=1)
    deviation = values / mean[:, None] - 1
    blur = (deviation.max() - deviation.min()) / np.sqrt(12 * values.shape[1])
    shares = np.zeros(points.shape[1])
    for coefficient, exponents in law:
        i, j = np.array(exponents, float).T
        term = coefficient * np.prod(points**i * np.log2(points) ** j, axis=1)
        shares = np.where((i != 0) | (j != 0), np.maximum(shares, (term / mean).max()), shares)
    return not ((shares > 0) & (shares < LOST_ERRORS * blur)).any()


def _campaigns(parameters: int, noise: float, rng: np.random.Generator) -> Iterator[Campaign]:
    """Yield campaigns over different grids, with 300 functions in all."""
    for first in range(len(SERIES)):
        points = grid([SERIES[(first + 2 * axis) % len(SERIES)] for axis in range(parameters)])
        truth = random_functions(FUNCTIONS // len(SERIES), parameters, rng).evaluate(points)
        yield points, measure(truth, rng, noise=noise)


def by_extrap(python: str, campaigns: list[Campaign]) -> dict[str, Any]:
    """Return Extra-P's results for campaigns, which `extrap_peer` computes under Extra-P's Python."""
    data = [{"points": points.tolist(), "values": values.tolist()} for points, values in campaigns]
    done = subprocess.run(
        [python, str(Path(__file__).with_name("extrap_peer.py"))],
        input=json.dumps(data),
        env=os.environ | THREADS,
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _laws(models: Models) -> list[Law]:
    return [
        [(coefficient, exponents) for coefficient, exponents in zip(*law, strict=True) if coefficient]
        for law in zip(models.coefficients.tolist(), models.exponents.tolist(), strict=True)
    ]


def _hypothesis(law: Law) -> list[Any]:
    """Return the exponents of a law in a fixed order."""
    return sorted([round(number, 6) for pair in exponents for number in pair] for _, exponents in law)


if __name__ == "__main__":
    main()
