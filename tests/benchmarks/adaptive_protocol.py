"""Compare all modelers and Extra-P on the protocol of Ritter et al. 2021, section V, in one table with their
times.

    python -m tests.benchmarks.adaptive_protocol --extrap /path/to/extrap/bin/python [--parameters 1 2 3]

Functions, points and scores are those of `tests.benchmarks.accuracy`. The network is adapted to every
campaign and noise level. Each adaptation takes half a minute of processor time and needs the extra
`adaptive`; adapted networks are kept in the folder --networks. "network alone" always takes the network's
law; its time is that of adapting. Also printed is the noise level from which the network's exponents are
better than the regression's. `noise_off` is the mean error of the estimated noise in percentage points.
`near` is the share of functions whose lead exponents of all parameters are within 1/4 of the truth, `leading`
that for the parameters in the term that contributes most. For several parameters only `leading` is as large
as the shares in the paper, even for Extra-P at low noise. The paper defines lead exponents as "the exponents
with the biggest overall impact on performance".

After every noise level the result is written to perfweb/portal/help/adaptive.json, which the help page on
accuracy shows. Rows of other noise levels in the file are kept, so the table can be measured in parts.
"""

import argparse
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
os.environ |= THREADS  # This must be set before NumPy is loaded.

import numpy as np  # noqa: E402 -- after the threads are set
from numpy.typing import NDArray  # noqa: E402 -- after the threads are set

from modeling.engine import ENGINE_VERSION, fit  # noqa: E402
from modeling.engine.laws.terms import LEAD_MULTIPLE, evaluate  # noqa: E402
from modeling.engine.modelers.adaptive.adaptation import extra_installed, keep_in  # noqa: E402
from modeling.engine.modelers.adaptive.noise import noise_width  # noqa: E402
from modeling.engine.validation import FloatArray  # noqa: E402
from perfweb.portal.help.accuracy import ADAPTIVE_FILE, crossings  # noqa: E402
from tests.benchmarks.accuracy import NEAR, SERIES, Campaign, Scores, drawn, summary  # noqa: E402
from tests.benchmarks.regression_vs_extrap import by_extrap  # noqa: E402

NOISE = (50, 100, 10, 20, 75, 2, 5)
"""Full widths of the noise in percent, in the order in which they are measured. Levels with published figures
come first.
"""

CAMPAIGNS = {1: (4, 100), 2: (2, 90), 3: (2, 60)}
"""Number of parameters → number of campaigns, and number of functions in each.

Each campaign needs an adaptation for every noise level.
"""

PUBLISHED: dict[tuple[int, int], dict[str, float]] = {
    (1, 50): {"regression": 18.06, "adaptive": 7.2},
    (2, 50): {"regression": 32.2, "adaptive": 15.13},
    (2, 75): {"regression": 45.9, "adaptive": 24.43},
    (2, 100): {"regression": 54.6, "adaptive": 28.1},
    (3, 50): {"regression": 57.46, "adaptive": 41.39},
    (3, 75): {"regression": 79.31, "adaptive": 57.18},
    (3, 100): {"regression": 93.18, "adaptive": 69.46},
}
"""Published median relative errors at P4+ in percent, by the number of parameters and the noise."""

EXTRAP, EXTRAP_MEDIANS = "Extra-P 4.2.5", "Extra-P, medians"
"""Names of the two rows for Extra-P: fitted to the means of the repetitions (its default), and to their
medians (as in the paper).
"""

HALF = 0.5 + 1e-9
"""Distance from the true lead exponents at which a law still counts for the share that the paper gives for
three parameters: more than 65 % at any noise.
"""

MOST_NETWORKS = 1000
"""Limit on the adapted networks in the folder, 7 MB each. The portal's limit is smaller than the number of
cells of this table.
"""

ALONE: dict[str, Any] = {"modeler": "adaptive", "threshold": 0.0}
MODELERS: dict[str, dict[str, Any]] = {
    "evidence": {"modeler": "evidence"},
    "regression": {"modeler": "regression"},
    "refinement": {"modeler": "refinement"},
    "network alone": ALONE,
    "adaptive": {"modeler": "adaptive"},
}


def main() -> None:
    """Measure all rows, print them, and write them to the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--extrap", default=os.environ.get("EXTRAP_PYTHON"), help="Extra-P's Python")
    parser.add_argument("--parameters", type=int, nargs="*", default=sorted(CAMPAIGNS))
    parser.add_argument("--noise", type=int, nargs="*", default=NOISE)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--networks", type=Path, help="folder of the adapted networks")
    parser.add_argument("--output", type=Path, default=ADAPTIVE_FILE)
    parser.add_argument("--as-shipped", action="store_true", help="without adapting: quick; give an --output")
    arguments = parser.parse_args()
    if arguments.as_shipped:
        for name in ("network alone", "adaptive"):
            MODELERS[name] |= {"adapts": False}
    keep_in(arguments.networks, at_most=MOST_NETWORKS)
    rows = json.loads(arguments.output.read_text())["rows"] if arguments.output.exists() else []
    for level in arguments.noise:
        for parameters in arguments.parameters:
            others = [row for row in rows if (row["parameters"], row["noise"]) != (parameters, level)]
            rows = others + _rows(parameters, level, arguments.seed, arguments.extrap)
            _write(arguments.output, rows, arguments.seed)
    for parameters, level in crossings(rows).items():
        print(f"m={parameters}: the network's exponents are better from {level:.0f} % of noise on")


def _write(file: Path, rows: list[dict[str, Any]], seed: int) -> None:
    ordered = sorted(rows, key=lambda row: (row["parameters"], row["noise"]))
    about = {
        "engine": ENGINE_VERSION,
        "seed": seed,
        "adapted": extra_installed(),
        "functions": {str(m): count * each for m, (count, each) in CAMPAIGNS.items()},
    }
    file.write_text(json.dumps(about | {"rows": ordered}, indent=1) + "\n")


def _rows(parameters: int, level: int, seed: int, extrap: str | None) -> list[dict[str, Any]]:
    """Measure and print a row for each modeler, and return the rows."""
    rng = np.random.default_rng([seed, parameters, level])
    count, functions = CAMPAIGNS[parameters]
    campaigns = list(drawn(parameters, functions * len(SERIES), seed))[:count]
    pairs = [(campaign, campaign.values("uniform", level / 100, rng)) for campaign in campaigns]
    rows = [
        _row(name, parameters, level, partial(_all_fared, pairs, options))
        for name, options in MODELERS.items()
    ]
    if extrap:
        medians = [(campaign, np.median(values, axis=2, keepdims=True)) for campaign, values in pairs]
        rows.append(_extrap_row(EXTRAP, parameters, level, extrap, pairs))
        rows.append(_extrap_row(EXTRAP_MEDIANS, parameters, level, extrap, medians))
    for row in rows:
        print(row, flush=True)
    off = np.concatenate([np.abs(100 * noise_width(values) - level) for _, values in pairs])
    print(f"m={parameters}, noise {level} %: its estimate is {off.mean():.2f} points off", flush=True)
    return [{**row, "noise_off": round(float(off.mean()), 2)} for row in rows]


def _row(name: str, parameters: int, level: int, score: Callable[[], list["Fared"]]) -> dict[str, Any]:
    before, begin = _children_seconds(), time.process_time()
    scores = score()
    return _figures(
        name, parameters, level, scores, time.process_time() - begin + _children_seconds() - before
    )


def _figures(name: str, parameters: int, level: int, scores: list["Fared"], seconds: float) -> dict[str, Any]:
    distance = np.concatenate([each.distance for each in scores])
    leading = np.concatenate([each.leading for each in scores])
    row = {
        "modeler": name,
        "parameters": parameters,
        "noise": level,
        **summary([Scores(each.error, (each.distance <= NEAR).astype(float)) for each in scores]),
        "within_half": _share(distance <= HALF),
        "leading": _share(leading <= NEAR),
        "leading_half": _share(leading <= HALF),
        "seconds_a_campaign": round(seconds / len(scores), 2),
    }
    published = PUBLISHED.get((parameters, level), {})
    if name in published:
        row["published"] = published[name]
    return row


def _share(right: NDArray[np.bool_]) -> float:
    return round(100 * float(right.mean()), 1)


def _children_seconds() -> float:
    used = os.times()
    return used.children_user + used.children_system


@dataclass(frozen=True)
class Fared:
    """Results for K functions: relative errors (K, 4) beyond the data, and the largest error of a lead
    exponent, (K,), of all parameters and of those in the term that contributes most.
    """

    error: FloatArray
    distance: FloatArray
    leading: FloatArray


def _all_fared(pairs: Sequence[tuple[Campaign, FloatArray]], options: dict[str, Any]) -> list[Fared]:
    return [_fared(*pair, options) for pair in pairs]


def _fared(campaign: Campaign, values: FloatArray, options: dict[str, Any]) -> Fared:
    models = fit(campaign.points, values, **options)
    return _compared(campaign, models.predict(campaign.ahead), models.lead_exponents[..., 0])


def _compared(campaign: Campaign, predicted: FloatArray, leads: FloatArray) -> Fared:
    """Compare predictions (K, 4) and lead exponents (K, m) with the truth."""
    truth = campaign.functions.evaluate(campaign.ahead)
    # Each parameter is in only one term, so the sum is that term's exponent.
    expected = campaign.functions.exponents[..., 0].sum(axis=1)
    off = np.abs(leads - expected)
    return Fared(
        np.abs(predicted - truth) / truth,
        off.max(axis=1),
        np.where(_in_largest_term(campaign), off, 0.0).max(axis=1),
    )


def _in_largest_term(campaign: Campaign) -> NDArray[np.bool_]:
    """Return which parameters are in the term that contributes most at four times the largest values, (K,
    m).
    """
    law, far = campaign.functions, LEAD_MULTIPLE * campaign.points.max(axis=0)[None]
    largest = (law.coefficients * evaluate(law.exponents, far)[..., 0]).argmax(axis=1)
    return np.asarray((law.exponents[np.arange(len(largest)), largest] != 0).any(axis=2))


def _extrap_row(
    name: str, parameters: int, level: int, python: str, pairs: list[tuple[Campaign, FloatArray]]
) -> dict[str, Any]:
    """Return the row of Extra-P, which takes the mean of the given repetitions."""
    answer = by_extrap(python, [(campaign.points, values) for campaign, values in pairs])
    scores = [
        _of_laws(campaign, laws, constants)
        for (campaign, _), laws, constants in zip(pairs, answer["laws"], answer["constants"], strict=True)
    ]
    return _figures(name, parameters, level, scores, answer["seconds"])


def _of_laws(campaign: Campaign, laws: list[Any], constants: list[float]) -> Fared:
    """Score the laws of Extra-P. Each law is a list of [coefficient, exponents of each parameter]."""
    predicted, leads = [], []
    parameters = campaign.points.shape[1]
    for law, constant in zip(laws, constants, strict=True):
        exponents = np.array([pairs for _, pairs in law], float).reshape(-1, parameters, 2)
        coefficients = np.array([coefficient for coefficient, _ in law])
        predicted.append(constant + coefficients @ evaluate(exponents, campaign.ahead))
        far = coefficients * evaluate(exponents, LEAD_MULTIPLE * campaign.points.max(axis=0)[None])[:, 0]
        leads.append([_lead(exponents[:, parameter], far) for parameter in range(parameters)])
    return _compared(campaign, np.array(predicted), np.array(leads))


def _lead(pairs: FloatArray, contributions: FloatArray) -> float:
    """Return the power of a parameter in the term that contributes most among the terms with this parameter.

    The exponents have the shape (T, 2).
    """
    of_parameter = np.where((pairs != 0).any(axis=1), np.abs(contributions), -1.0)
    return float(pairs[of_parameter.argmax(), 0]) if of_parameter.max(initial=-1.0) >= 0 else 0.0


if __name__ == "__main__":
    main()
