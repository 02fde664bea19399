"""Models campaigns with Extra-P's default modelers; runs under the interpreter that has Extra-P.

Reads campaigns from standard input as JSON, [{"points": (P, m), "values": (K, P, R)}, …], and writes
{"seconds": CPU time spent modeling, "laws": per campaign and kernel the terms' [coefficient, [[i, j], …]],
"constants": per campaign and kernel}.
"""

import json
import sys
import time
import warnings
from typing import Any

from extrap.entities.callpath import Callpath  # type: ignore[import-not-found]
from extrap.entities.coordinate import Coordinate  # type: ignore[import-not-found]
from extrap.entities.measurement import Measurement  # type: ignore[import-not-found]
from extrap.entities.metric import Metric  # type: ignore[import-not-found]
from extrap.modelers.multi_parameter.multi_parameter_modeler import MultiParameterModeler  # type: ignore[import-not-found]
from extrap.modelers.single_parameter.basic import SingleParameterModeler  # type: ignore[import-not-found]


def law(function: Any, parameters: int) -> list[Any]:
    """Return the terms of an Extra-P function as [coefficient, exponents of each parameter]."""
    terms = []
    for term in function.compound_terms:
        pairs = [(0, term)] if parameters == 1 else term.parameter_term_pairs
        exponents = [[0.0, 0.0] for _ in range(parameters)]
        for parameter, compound in pairs:
            for simple in compound.simple_terms:
                exponents[parameter][simple.term_type == "logarithm"] = float(simple.exponent)
        terms.append([float(term.coefficient), exponents])
    return terms


def main() -> None:
    """Model every campaign from standard input."""
    warnings.simplefilter("ignore")  # Extra-P warns about every kernel that it finds unusual.
    laws, constants, seconds = [], [], 0.0
    for campaign in json.load(sys.stdin):
        parameters = len(campaign["points"][0])
        modeler = SingleParameterModeler() if parameters == 1 else MultiParameterModeler()
        series = [
            [
                Measurement(Coordinate(*point), Callpath("kernel"), Metric("time"), runs)
                for point, runs in zip(campaign["points"], kernel, strict=True)
            ]
            for kernel in campaign["values"]
        ]
        begin = time.process_time()
        models = modeler.model(series)
        seconds += time.process_time() - begin
        laws.append([law(model.hypothesis.function, parameters) for model in models])
        constants.append([float(model.hypothesis.function.constant_coefficient) for model in models])
    json.dump({"seconds": seconds, "laws": laws, "constants": constants}, sys.stdout)


if __name__ == "__main__":
    main()
