"""Measure how half and twice a constant of the engine change errors, intervals and time.

    python -m tests.benchmarks.constants modeling.engine.modelers.evidence.draws.sampling NAME [MORE ...]

The module is loaded with the constant's own value, with half of it, and with twice of it (`--factors` names
other factors). Each value has a separate process, so that everything computed from the constant follows.
Every process models the same synthetic campaigns of `accuracy`. They have one or two parameters, and laws
under uniform, log-normal and one-sided noise, or true values that deviate from their laws. A printed line has
the median and mean error at the fourth value beyond the data, how often the 95 % intervals contain the truth
at the points and there, and the processor seconds in user mode.

With a constant of `modeling.engine.changes`, every process compares the same pairs of campaigns instead. A
printed line has the share of the changes that are found, and the unchanged kernels of 1,000 that are
reported.
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


COMPARED = {
    # kernels, points, pairs of campaigns, drift of kernels and of single points, share of heavy-tailed drift
    "many kernels": (300, 5, 6, 0.01, 0.01, False),
    "a busy machine": (300, 5, 6, 0.04, 0.04, True),
    "one point": (60, 1, 25, 0.06, 0.0, False),
    "few kernels": (12, 5, 50, 0.06, 0.01, False),
}
"""Pairs of campaigns with noise of 5 % and five runs at each point. Of six kernels, one has another factor
(0.75 or 1.33), and one an exponent that differs by 1/4. A single point does not show the latter.
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
        compares = arguments.module.startswith("modeling.engine.changes")
        if compares:
            report_comparisons(arguments.seed)
        else:
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


def report_comparisons(seed: int) -> None:
    """Print how well the engine compares campaigns with the constant as it is loaded."""
    import numpy as np  # noqa: PLC0415 -- as above

    from modeling.engine import compare  # noqa: PLC0415
    from modeling.engine.laws.synthetic import measure  # noqa: PLC0415

    for number, (case, (kernels, points, pairs, kernel, point, heavy)) in enumerate(COMPARED.items()):
        kinds = []
        begin = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        for pair in range(pairs):
            rng = np.random.default_rng([seed, number, pair])
            x = 4.0 * 2 ** np.arange(points)
            exponent = rng.choice([0.5, 1.0, 1.5], (kernels, 1))
            share = rng.uniform(0.2, 1.0, (kernels, 1))  # of the term in the largest value
            term = share * (x / x[-1]) ** exponent
            which = np.arange(kernels)[:, None] % 6
            groups = which[:, 0] < 4, which[:, 0] == 4, which[:, 0] == 5
            factor = np.where(which == 4, rng.choice([0.75, 1.33], (kernels, 1)), 1.0)
            growth = np.where(which == 5, (x / x[0]) ** 0.25, 1.0)
            after = factor * (1 - share + term * growth)
            drawn = [
                rng.standard_t(3, shape) / np.sqrt(3) if heavy else rng.standard_normal(shape)
                for shape in ((kernels, 1), (kernels, points))
            ]
            after *= np.exp(rng.normal(0, 0.03) + kernel * drawn[0] + point * drawn[1])
            sides = ((x[:, None], measure(each, rng, noise=0.05)) for each in (1 - share + term, after))
            changed = compare(*sides, target=[4 * x[-1]]).kind != "same"
            kinds.append([changed[some].mean() for some in groups])
        seconds = resource.getrusage(resource.RUSAGE_SELF).ru_utime - begin
        false, factors, laws = np.mean(kinds, axis=0)
        print(
            f"  {case:16} laws {100 * laws:5.1f} %, factors {100 * factors:5.1f} %, "
            f"false {1000 * false:5.1f} of 1,000, {seconds:5.1f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
