"""Measure from which noise level on the adaptive modeler's network is better without the regression.

    python -m tests.benchmarks.adaptive_thresholds [--networks FOLDER] [--as-shipped] [--noise 2 5 10 20 50]

The result are the values of `THRESHOLDS` in modeling/engine/modelers/adaptive/modeler.py. Points are those of
`tests.benchmarks.adaptive_protocol`, whose adapted networks in the folder --networks are used again; the
functions are others. At every noise level the same functions are modelled by the regression, by the network
alone, and by the choice of cross-validation between both. The program prints, in percent, the share of
functions whose lead exponents are all within 1/4 of the truth, and the median error at P4+ (four steps beyond
the data).

The threshold for a number of parameters is the noise level at which these shares are equal: at lower levels
the choice has the larger share, at higher levels the network alone. The level at which the shares of network
and regression are equal is printed, too. An adaptation takes half a minute of processor time. With
--as-shipped the network is not adapted.
"""

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
os.environ |= THREADS  # This must be set before NumPy is loaded.

import numpy as np  # noqa: E402 -- after the threads are set

from modeling.engine import fit  # noqa: E402
from modeling.engine.laws.synthetic import random_functions  # noqa: E402
from modeling.engine.modelers.adaptive.adaptation import keep_in  # noqa: E402
from modeling.engine.validation import FloatArray  # noqa: E402
from perfweb.portal.help.accuracy import crossings  # noqa: E402
from tests.benchmarks.accuracy import NEAR, SERIES, drawn  # noqa: E402
from tests.benchmarks.adaptive_protocol import CAMPAIGNS, MOST_NETWORKS  # noqa: E402

LEVELS = (2, 5, 10, 20, 50)
FUNCTIONS = {1: 500, 2: 500, 3: 400}
"""Number of functions of a campaign, by the number of parameters."""

ALONE, CHOICE, REGRESSION = "network alone", "choice", "regression"
OPTIONS: dict[str, dict[str, Any]] = {
    REGRESSION: {"modeler": "regression"},
    ALONE: {"modeler": "adaptive", "threshold": 0.0},
    CHOICE: {"modeler": "adaptive", "threshold": np.inf},
}


def main() -> None:
    """Measure all levels, and print them with the levels at which the curves cross."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parameters", type=int, nargs="*", default=sorted(CAMPAIGNS))
    parser.add_argument("--noise", type=int, nargs="*", default=LEVELS)
    parser.add_argument("--seeds", type=int, nargs="*", default=[1, 2], help="each draws other functions")
    parser.add_argument("--networks", type=Path, help="folder of the adapted networks")
    parser.add_argument("--as-shipped", action="store_true", help="without adapting")
    arguments = parser.parse_args()
    keep_in(arguments.networks, at_most=MOST_NETWORKS)
    if arguments.as_shipped:
        for name in (ALONE, CHOICE):
            OPTIONS[name] |= {"adapts": False}
    rows: list[dict[str, Any]] = []
    for level in arguments.noise:
        for parameters in arguments.parameters:
            rows += _rows(parameters, level, arguments.seeds)
    for rival in (CHOICE, REGRESSION):
        for parameters, level in crossings(rows, rival).items():
            print(f"m={parameters}: the network alone is better than the {rival} from {level:.0f} % on")


def _rows(parameters: int, level: int, seeds: Sequence[int]) -> list[dict[str, Any]]:
    """Measure and print one noise level, and return a row for each modeler."""
    parts = [_measured(parameters, level, seed) for seed in seeds]
    near = {name: 100 * np.concatenate([part[name][0] for part in parts]) for name in OPTIONS}
    error = {name: 100 * np.concatenate([part[name][1] for part in parts]) for name in OPTIONS}
    more = near[ALONE] - near[CHOICE]
    columns = [f"{name} {near[name].mean():5.1f} {np.median(error[name]):7.3f}" for name in OPTIONS]
    print(
        f"m={parameters} {level:3} %:", "; ".join(columns),
        f"; network - choice {more.mean():+.1f} ± {more.std() / np.sqrt(len(more)):.1f}", flush=True,
    )  # fmt: skip
    return [
        {"parameters": parameters, "noise": level, "modeler": name, "near": float(near[name].mean())}
        for name in OPTIONS
    ]


def _measured(parameters: int, level: int, seed: int) -> Mapping[str, tuple[FloatArray, FloatArray]]:
    """Return, by modeler, whether all lead exponents are near the truth, (K,), and errors at P4+, (K,)."""
    rng = np.random.default_rng([seed, parameters, level])
    found: dict[str, list[tuple[FloatArray, FloatArray]]] = {name: [] for name in OPTIONS}
    for campaign in list(drawn(parameters, len(SERIES), 0))[: CAMPAIGNS[parameters][0]]:
        own = replace(campaign, functions=random_functions(FUNCTIONS[parameters], parameters, rng))
        values = own.values("uniform", level / 100, rng)
        truth = own.functions.evaluate(own.ahead[-1:])[:, 0]
        leads = own.functions.exponents[..., 0].sum(axis=1)
        for name, options in OPTIONS.items():
            models = fit(own.points, values, **options)
            near = (np.abs(models.lead_exponents[..., 0] - leads) <= NEAR).all(axis=1).astype(float)
            found[name].append((near, np.abs(models.predict(own.ahead[-1:])[:, 0] - truth) / truth))
    return {
        name: (np.concatenate([near for near, _ in parts]), np.concatenate([error for _, error in parts]))
        for name, parts in found.items()
    }


if __name__ == "__main__":
    main()
