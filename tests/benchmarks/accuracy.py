"""Measure the tables of the help page on accuracy.

    python -m tests.benchmarks.accuracy [--functions 600 240 96]

The protocol is that of Ritter et al. 2021, section V. A function has one term for each parameter; the terms
are added or multiplied. Exponents and coefficients are random. Each parameter has five values, all
combinations of them are measured with five repetitions, and predictions are judged at four further points
that continue the series of all parameters. A campaign is a set of functions over the same points, because the
modelers learn the noise from all kernels of a campaign. For comparison, an oracle knows the true terms, and
fits their coefficients to the means of repetitions by least squares of the relative residuals.

The result is written to perfweb/portal/help/accuracy.json, which the page shows. Name another file with
--output to leave the page unchanged.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from modeling.engine import ENGINE_VERSION, fit
from modeling.engine.laws.synthetic import Functions, continued, grid, random_functions
from modeling.engine.laws.terms import evaluate
from modeling.engine.results.models import Models
from modeling.engine.validation import FloatArray
from perfweb.portal.help.accuracy import FILE

NOISE = (2, 5, 10, 20, 50, 75, 100)
"""Full widths of the noise in percent: 10 means ± 5 %."""

FAMILY_NOISE = (10, 50, 100)
REPETITIONS = 5
STEPS = 4
NEAR = 0.25 + 1e-9
SERIES = (
    *(tuple(first * factor**step for step in range(5)) for first, factor in
      ((4, 2), (32, 2), (1024, 2), (2, 4), (8, 8))),
    *(tuple(first + more * step for step in range(5)) for first, more in
      ((1, 1), (2, 2), (5, 5), (10, 10), (100, 100), (20, 10), (1000, 500))),
)  # fmt: skip
"""Series of values of a parameter.

Campaigns use these series in turn, in a random order for each parameter. Extra-P's figures were measured with
the same series. This matters because laws over narrow series are far harder to distinguish.
"""

Factors = Callable[[np.random.Generator, float, tuple[int, ...]], FloatArray]

FAMILIES: dict[str, Factors] = {
    "uniform": lambda rng, level, shape: rng.uniform(1 - level / 2, 1 + level / 2, shape),
    "normal": lambda rng, level, shape: np.maximum(1 + _deviation(level) * rng.standard_normal(shape), 0.01),
    "log-normal": lambda rng, level, shape: np.exp(_deviation(level) * rng.standard_normal(shape)),
    "one-sided": lambda rng, level, shape: 1 + _deviation(level) * rng.standard_exponential(shape),
}
"""Random factors on the true values, by family of noise.

At the same level, all families have the standard deviation of uniform noise of this full width.
"""


def _deviation(level: float) -> float:
    return level / float(np.sqrt(12))


@dataclass(frozen=True)
class Campaign:
    """Functions, the points (P, m) at which they are measured, and the points (4, m) that continue the
    series.
    """

    functions: Functions
    points: FloatArray
    ahead: FloatArray

    def values(self, family: str, level: float, rng: np.random.Generator) -> FloatArray:
        """Return repetitions at the points, (K, P, R)."""
        truth = self.functions.evaluate(self.points)
        return truth[..., None] * FAMILIES[family](rng, level, (*truth.shape, REPETITIONS))

    def of_medians(self, family: str, level: float) -> "Campaign":
        """Return the campaign with the medians of repetitions as true values.

        Predictions are of the median repetition.
        """
        more = 1 + np.log(2) * _deviation(level) if family == "one-sided" else 1.0
        law = self.functions
        return replace(
            self, functions=replace(law, constant=law.constant * more, coefficients=law.coefficients * more)
        )


@dataclass(frozen=True)
class Scores:
    """Scores of K functions: relative errors (K, 4), and whether intervals contain the truth.

    `near` (K,) is 1 if every lead exponent is right within 1/4. `inside` (K, P) is 1 if the interval contains
    the truth at a measured point, and `ahead` (K, 4) beyond the points. They are None if there are no
    intervals.
    """

    error: FloatArray
    near: FloatArray | None = None
    inside: FloatArray | None = None
    ahead: FloatArray | None = None


def main() -> None:
    """Measure all tables, and write them to the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--functions", type=int, nargs=3, default=[600, 240, 96], metavar=("ONE", "TWO", "THREE"),
        help="how many with one, two and three parameters",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=FILE)
    arguments = parser.parse_args()
    begin = time.perf_counter()
    tables = measured(dict(enumerate(arguments.functions, 1)), arguments.seed)
    arguments.output.write_text(json.dumps(tables, indent=1) + "\n")
    print(f"{arguments.output}, after {time.perf_counter() - begin:.0f} s")


def measured(functions: dict[int, int], seed: int) -> dict[str, Any]:
    """Return all tables as JSON. `functions` is the number of functions for each number of parameters."""
    campaigns = {m: list(drawn(m, count, seed)) for m, count in functions.items()}
    rows = []
    for m, some in campaigns.items():
        for family, levels in [("uniform", NOISE), *((f, FAMILY_NOISE) for f in FAMILIES if f != "uniform")]:
            for level in levels:
                rows += list(_rows(some, family, level, [seed, m, level]))
                for row in rows[-3:]:
                    print(row, flush=True)
    return {
        "engine": ENGINE_VERSION,
        "seed": seed,
        "functions": {str(m): sum(len(c.functions.constant) for c in some) for m, some in campaigns.items()},
        "rows": rows,
    }


def drawn(parameters: int, count: int, seed: int) -> Iterator[Campaign]:
    """Yield campaigns with `count` functions in total. They do not depend on the noise."""
    rng = np.random.default_rng([seed, parameters])
    orders = [rng.permutation(len(SERIES)) for _ in range(parameters)]
    for number, part in enumerate(np.array_split(np.arange(count), min(len(SERIES), count))):
        series = [SERIES[order[number]] for order in orders]
        yield Campaign(
            random_functions(len(part), parameters, rng),
            grid(series),
            np.stack([continued(values, STEPS) for values in series], axis=1),
        )


def _rows(campaigns: list[Campaign], family: str, level: int, seed: list[int]) -> Iterator[dict[str, Any]]:
    """Yield a row for each modeler."""
    rng = np.random.default_rng([*seed, *family.encode()])
    values = [campaign.values(family, level / 100, rng) for campaign in campaigns]
    medians = [campaign.of_medians(family, level / 100) for campaign in campaigns]
    pairs = list(zip(medians, values, strict=True))
    found = {name: [modelled(*pair, name) for pair in pairs] for name in ("evidence", "regression")}
    found["oracle"] = [told(*pair) for pair in pairs]
    for name, scores in found.items():
        yield {
            "modeler": name,
            "parameters": campaigns[0].points.shape[1],
            "family": family,
            "noise": level,
            **summary(scores),
        }


def summary(scores: list[Scores]) -> dict[str, Any]:
    """Return shares and errors in percent.

    Errors are medians at the points P1+ to P4+, and the mean at P4+.
    """
    error = 100 * np.concatenate([each.error for each in scores])
    found: dict[str, Any] = {
        "error": [round(float(each), 3) for each in np.median(error, axis=0)],
        "mean_error": round(float(error[:, -1].mean()), 3),
    }
    if all(each.near is not None for each in scores):
        found["near"] = _share([each.near for each in scores])
    if all(each.ahead is not None for each in scores):
        found["inside"] = _share([each.inside for each in scores])
        found["inside_ahead"] = [
            _share([each.ahead[:, at] for each in scores if each.ahead is not None]) for at in (0, STEPS - 1)
        ]
    return found


def _share(parts: list[FloatArray | None]) -> float:
    return round(100 * float(np.concatenate([part.ravel() for part in parts if part is not None]).mean()), 1)


def modelled(campaign: Campaign, values: FloatArray, modeler: str) -> Scores:
    """Return the scores of a modeler. Intervals are scored only if the modeler has a posterior over laws."""
    models = fit(campaign.points, values, modeler=modeler)
    truth = campaign.functions.evaluate(campaign.ahead)
    error = np.abs(models.predict(campaign.ahead) - truth) / truth
    # Each parameter is in only one term, so the sum is that term's exponent.
    leads = campaign.functions.exponents[..., 0].sum(axis=1)
    near = (np.abs(models.lead_exponents[..., 0] - leads) <= NEAR).all(axis=1).astype(float)
    if models.posterior is None:
        return Scores(error, near)
    inside = (_holds(models, campaign, points) for points in (campaign.points, campaign.ahead))
    return Scores(error, near, *inside)


def _holds(models: Models, campaign: Campaign, points: FloatArray) -> FloatArray:
    """Return whether the 95 % intervals contain the truth at the points (Q, m), (K, Q)."""
    lower, upper = models.interval(points, 0.95)
    truth = campaign.functions.evaluate(points)
    return ((lower <= truth) & (truth <= upper)).astype(float)


def told(campaign: Campaign, values: FloatArray) -> Scores:
    """Return the scores of the oracle's laws."""
    means = values.mean(axis=2)
    near, far = (
        np.concatenate([np.ones((len(means), 1, len(points))), evaluate(exponents, points)], axis=1)
        for exponents in [campaign.functions.exponents]
        for points in (campaign.points, campaign.ahead)
    )
    used = np.concatenate([np.ones((len(means), 1)), campaign.functions.coefficients > 0], axis=1)[..., None]
    columns = near * used / means[:, None]
    size = np.maximum(np.linalg.norm(columns, axis=2, keepdims=True), 1e-300)
    coefficients = np.linalg.pinv((columns / size).transpose(0, 2, 1)) @ np.ones((*means.shape, 1))
    predicted = np.einsum("ktx,ktq->kq", coefficients / size, far * used)
    truth = campaign.functions.evaluate(campaign.ahead)
    return Scores(np.abs(predicted - truth) / truth)


if __name__ == "__main__":
    main()
