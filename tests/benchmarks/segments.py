"""Measure how often smooth laws are called segmented, how often steps and switches are found, and the time of
the search.

    python -m tests.benchmarks.segments [--kernels 400] [--seed 0]

Smooth laws have one or two terms with any exponents, and coefficients 10^U[-2, 3]. With two parameters they
are those of Ritter et al. 2021, section V. Noise is uniform, log-normal or one-sided, with the same standard
deviation. Its width n is the full width of uniform noise: 10 % means ± 5 %.

A step multiplies all values from the middle one on. In other cases the exponent changes in the middle by a
half or more. "found" is the share of kernels whose only break is at the right value. If both laws meet at
this value, the next value counts as right, too.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from modeling.engine.laws.synthetic import Functions, grid, random_functions
from modeling.engine.laws.terms import EXPONENTS
from modeling.engine.modelers.evidence.modeler import Evidence
from modeling.engine.modelers.segmented.modeler import find_segments
from modeling.engine.validation import FloatArray

NOISE = (0.02, 0.1, 0.3, 0.75)
COUNTS = (6, 8, 10)
RUNS = (1, 5)
Shape = Callable[[np.random.Generator, float, tuple[int, ...]], FloatArray]
Laws = Callable[[], Functions]
Broken = tuple[FloatArray, set[int]]

FAMILIES: dict[str, Shape] = {
    "uniform": lambda rng, n, shape: rng.uniform(1 - n / 2, 1 + n / 2, shape),
    "log-normal": lambda rng, n, shape: np.exp(rng.normal(0, n / np.sqrt(12), shape)),
    "one-sided": lambda rng, n, shape: 1 + rng.exponential(n / np.sqrt(12), shape),
}


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kernels", type=int, default=400, help="of each cell")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    _false_alarms(arguments.kernels, rng)
    _power(arguments.kernels, rng)
    _cost(arguments.kernels, rng)


def _false_alarms(kernels: int, rng: np.random.Generator) -> None:
    print(f"{'smooth laws called segmented':34}{'1 run':>8}{'5 runs':>8}{'worst':>8}   (noise 2 to 75 %)")
    for name, points, laws in _smooth(kernels, rng):
        cells = np.array(
            [
                [
                    _called(points, _measured(laws().evaluate(points), family, n, runs=runs, rng=rng)).mean()
                    for n in NOISE
                    for family in FAMILIES
                ]
                for runs in RUNS
            ]
        )
        print(f"{name:34}{cells[0].mean():8.2%}{cells[1].mean():8.2%}{cells.max():8.2%}", flush=True)


def _smooth(kernels: int, rng: np.random.Generator) -> Iterator[tuple[str, FloatArray, Laws]]:
    for count in COUNTS:
        for how, x in (("doubled", _doubled(count)), ("evenly", 10.0 * np.arange(1, count + 1))):
            points = np.asarray(x[:, None], dtype=float)
            for terms in (1, 2):
                name = f"{count} values {how}, {terms} term{'s' * (terms > 1)}"
                yield name, points, partial(_laws, kernels, terms, rng)
    for count, others in ((6, 5), (8, 6)):
        points = grid([_doubled(count).tolist(), list(range(10, 10 * others + 1, 10))])
        yield f"2 parameters, {count} × {others} points", points, partial(random_functions, kernels, 2, rng)


def _power(kernels: int, rng: np.random.Generator) -> None:
    columns = [(runs, n) for runs in RUNS for n in NOISE[:3]]
    print(f"\n{'breaks found':34}" + "".join(f"{f'{r} runs, {n:.0%}':>14}" for r, n in columns))
    for name, truth in CASES.items():
        for count in COUNTS:
            x = _doubled(count)
            cells = []
            for runs, n in columns:
                if made := truth(x, kernels, n, rng):
                    found = _found(x, _measured(made[0], "uniform", n, runs=runs, rng=rng), made[1])
                    cells.append(f"{found:14.0%}")
            if cells:
                print(f"{f'{name}, {count} values':34}{''.join(cells)}", flush=True)


def _found(x: FloatArray, values: FloatArray, right: set[int]) -> float:
    """Return the share of kernels with breaks at the right values and nowhere else.

    If a kernel has a single break, the next value counts as right, too.
    """
    segments = find_segments(x[:, None], values)
    places: list[set[int]] = [set() for _ in values]
    if segments is not None:
        for kernel, following in zip(segments.kernel, segments.following, strict=True):
            if np.isfinite(following):
                places[kernel].add(int(np.searchsorted(x, following)))
    later = {place + 1 for place in right} if len(right) == 1 else right
    return float(np.mean([found in (right, later) for found in places]))


def _called(points: FloatArray, values: FloatArray) -> FloatArray:
    """Return whether each kernel is called segmented, (K,) of 0/1."""
    segments = find_segments(points, values)
    called = np.zeros(len(values))
    if segments is not None:
        called[segments.kernel] = 1
    return called


def _measured(truth: FloatArray, family: str, n: float, *, runs: int, rng: np.random.Generator) -> FloatArray:
    return np.asarray(truth[..., None] * FAMILIES[family](rng, n, (*truth.shape, runs)))


def _cost(kernels: int, rng: np.random.Generator) -> None:
    print("\ncost, share of the evidence fit's processor time")
    for counts in ((6,), (10,), (6, 6), (10, 5)):
        points = grid([_doubled(count).tolist() for count in counts])
        truth = random_functions(kernels, len(counts), rng).evaluate(points)
        for runs in RUNS:
            values = _measured(truth, "uniform", 0.1, runs=runs, rng=rng)
            share = _seconds(partial(find_segments, points, values)) / _seconds(
                partial(Evidence(points), values)
            )
            print(f"{'×'.join(map(str, counts))} points, {runs} runs: {share:.1%}", flush=True)


def _seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def _doubled(count: int) -> FloatArray:
    return np.asarray(4 * 2.0 ** np.arange(count))


def _laws(kernels: int, terms: int, rng: np.random.Generator) -> Functions:
    pairs = np.array([(0.0, 0.0), *EXPONENTS])
    exponents = pairs[rng.integers(len(pairs), size=(kernels, terms))][:, :, None]
    coefficients = 10 ** rng.uniform(-2, 3, (kernels, terms + 1))
    return Functions(coefficients[:, 0], coefficients[:, 1:], exponents)


def _base(x: FloatArray, kernels: int, rng: np.random.Generator) -> FloatArray:
    """Return a constant plus one power of x, (K, X). Either of them may be larger."""
    share = 10 ** rng.uniform(-1, 1, (kernels, 1))
    exponent = rng.choice([-1, 0, 1 / 3, 0.5, 1], size=(kernels, 1))
    return np.asarray(1 + share * (x / x[len(x) // 2]) ** exponent)


def _stepped(ratio: float, x: FloatArray, kernels: int, n: float, rng: np.random.Generator) -> Broken:
    """Return values with a step, and the place of the step.

    The step is by this ratio, or by 3 times the noise width n if the ratio is 0.
    """
    middle = len(x) // 2
    step = ratio or 1 + 3 * n
    return _base(x, kernels, rng) * np.where(x < x[middle], 1, step), {middle}


def _twice_stepped(x: FloatArray, kernels: int, n: float, rng: np.random.Generator) -> Broken | None:
    if len(x) < 9:
        return None
    return _base(x, kernels, rng) * np.where(x < x[3], 1, np.where(x < x[6], 2, 4)), {3, 6}


def _bent(x: FloatArray, kernels: int, n: float, rng: np.random.Generator) -> Broken:
    """Return values with one power up to the middle value, and another from there on, without a step."""
    pairs = np.array([(0, 1), (1, 0), (0, 2), (-1, 1), (0.5, 2), (1, 3)])
    before, after = pairs[rng.integers(len(pairs), size=kernels)].T[..., None]
    ratio = x / x[len(x) // 2]
    return np.where(ratio < 1, ratio**before, ratio**after), {len(x) // 2}


CASES: dict[str, Callable[[FloatArray, int, float, np.random.Generator], Broken | None]] = {
    "step of 3 n": partial(_stepped, 0.0),
    "twice": partial(_stepped, 2.0),
    "half": partial(_stepped, 0.5),
    "twice, and twice again": _twice_stepped,
    "other exponent": _bent,
}


if __name__ == "__main__":
    main()
