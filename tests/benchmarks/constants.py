"""Measure how half and twice a constant of the engine change errors, intervals and time.

    python -m tests.benchmarks.constants modeling.engine.modelers.evidence.draws.sampling NAME [MORE ...]

The module is loaded with the constant's own value, with half of it, and with twice of it (`--factors` names
other factors). Each value has a separate process, so that everything computed from the constant follows.
Every process models the same synthetic campaigns of `accuracy`. They have one or two parameters, and laws
under uniform, log-normal and one-sided noise, or true values that deviate from their laws. A printed line has
the median and mean error at the fourth value beyond the data, how often the 95 % intervals contain the truth
at the points and there, and the processor seconds in user mode.
"""

import argparse
import importlib.abc
import importlib.util
import os
import re
import resource
import subprocess
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType

CASES = {
    "even 10 %": ("uniform", 0.10, 0.0),
    "log-normal 50 %": ("log-normal", 0.50, 0.0),
    "one-sided 50 %": ("one-sided", 0.50, 0.0),
    "deviating 5 %": ("log-normal", 0.05, 0.05),
}
"""Family and level of the noise, and standard deviation of the factors by which true values deviate from
their law.
"""

FUNCTIONS = (120, 24)
"""Default numbers of functions with one and with two parameters.

With these numbers a process takes half a minute, and medians of errors differ by a tenth of their value
between seeds. Before changing a constant, compare at least three seeds, or use more functions.
"""


class Changed(SourceFileLoader):
    """Loads a module with another value of one of its constants."""

    constant = ""
    factor = 1.0

    def source_to_code(  # type: ignore[override]  # typeshed takes it for a static method
        self, data: object, path: object, *_: object, **__: object
    ) -> CodeType:
        """Compile the module's source, in which the constant's value is multiplied by the factor."""
        source = bytes(data).decode()  # type: ignore[call-overload]
        pattern = rf"^({self.constant}\b[^=\n]*= )(.+?)$"
        changed, count = re.subn(pattern, rf"\1type(\2)({self.factor} * (\2))", source, flags=re.MULTILINE)
        if count != 1:
            raise ValueError(f"found {count} assignments to {self.constant} in {path}, expected 1")
        return compile(changed, str(path), "exec")

    def get_code(self, fullname: str) -> CodeType:
        """Compile the source. The cache of compiled modules has the unchanged constant."""
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


class Finder(importlib.abc.MetaPathFinder):
    """Finds one module, and loads it with a changed constant."""

    def __init__(self, module: str, constant: str, factor: float) -> None:
        self.module, self.constant, self.factor = module, constant, factor

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        """Return the location of the module, and None for all other modules."""
        if fullname != self.module:
            return None
        found = PathFinder.find_spec(fullname, path)  # type: ignore[arg-type]
        if found is None or found.origin is None:
            return None
        loader = Changed(fullname, found.origin)
        loader.constant, loader.factor = self.constant, self.factor
        return importlib.util.spec_from_file_location(fullname, found.origin, loader=loader)


def main() -> None:
    """Print a line for each constant, factor, number of parameters and case."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("module")
    parser.add_argument("constants", nargs="+")
    parser.add_argument("--factors", type=float, nargs="+", default=[0.5, 1.0, 2.0])
    parser.add_argument("--functions", type=int, nargs=2, default=FUNCTIONS, metavar=("ONE", "TWO"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.here:
        sys.meta_path.insert(0, Finder(arguments.module, arguments.constants[0], arguments.factors[0]))
        report(arguments.functions, arguments.seed)
        return
    for constant in arguments.constants:
        for factor in arguments.factors:
            print(f"{constant} × {factor:g}", flush=True)
            command = [sys.executable, "-m", "tests.benchmarks.constants", arguments.module, constant]
            command += ["--here", "--factors", str(factor), "--seed", str(arguments.seed)]
            command += ["--functions", *map(str, arguments.functions)]
            threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
            subprocess.run(command, env=os.environ | threads, check=True)


def report(functions: list[int], seed: int) -> None:
    """Print how well the engine models the campaigns with the constant as it is loaded."""
    import numpy as np  # noqa: PLC0415 -- the module with the constant must not be loaded before

    from tests.benchmarks.accuracy import drawn, modelled, summary  # noqa: PLC0415

    for parameters, count in enumerate(functions, 1):
        campaigns = list(drawn(parameters, count, seed))
        for number, (case, (family, level, deviation)) in enumerate(CASES.items()):
            rng = np.random.default_rng([seed, parameters, number])
            values = [campaign.values(family, level, rng) for campaign in campaigns]
            if deviation:
                factors = [np.exp(deviation * rng.standard_normal(each.shape[:2])) for each in values]
                values = [each * factor[..., None] for each, factor in zip(values, factors, strict=True)]
            medians = [campaign.of_medians(family, level) for campaign in campaigns]
            begin = resource.getrusage(resource.RUSAGE_SELF).ru_utime
            scores = [modelled(*pair, "evidence") for pair in zip(medians, values, strict=True)]
            seconds = resource.getrusage(resource.RUSAGE_SELF).ru_utime - begin
            found = summary(scores)
            print(
                f"  m={parameters} {case:16} error {found['error'][-1]:6.2f} % "
                f"(mean {found['mean_error']:9.1f}), inside {found['inside']:5.1f} %, "
                f"ahead {found['inside_ahead'][-1]:5.1f} %, "
                f"near {found['near']:5.1f} %, {seconds:5.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
