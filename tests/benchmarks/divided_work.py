"""Measure errors and intervals for laws in which a parameter is in several terms.

    python -m tests.benchmarks.divided_work [--kernels 40]

An example of such laws is divided work plus communication. They have two or three parameters, five
repetitions, and noise of four widths. "inside" is the share of measured points at which the 95 % interval
contains the law. "ahead" is the same share for points up to 16 times beyond the largest values.
"""

import argparse
from collections.abc import Callable
from itertools import product

import numpy as np

from modeling.engine import Models, fit
from modeling.engine.validation import FloatArray

Law = Callable[..., FloatArray]

P, N, K = (4.0, 8.0, 16.0, 32.0, 64.0), (10.0, 20.0, 30.0, 40.0, 50.0), (1.0, 2.0, 4.0, 8.0, 16.0)
FAR = np.array([(256.0, 50, 16), (1024.0, 50, 16), (64.0, 200, 16), (256.0, 200, 64)])
NOISES = (0.05, 0.2, 0.5, 1.0)

TWO: dict[str, Law] = {
    "n³/p + n²·log p": lambda p, n: 0.05 * n**3 / p + 0.05 * n**2 * np.log2(p),
    "n³/p + n²/√p": lambda p, n: 0.05 * n**3 / p + 0.1 * n**2 / p**0.5,
    "n³/p + √p·n√n": lambda p, n: 0.02 * n**3 / p + 0.02 * p**0.5 * n**1.5,
    "n³/p + p": lambda p, n: 0.01 * n**3 / p + p,
    "n²/p + √n·log p": lambda p, n: n**2 / p + 3 * np.log2(p) * n**0.5,
    "p·n + n²": lambda p, n: 0.02 * p * n + 0.03 * n**2,
    "1 + p·n + n²": lambda p, n: 1 + 0.005 * p * n + 0.03 * n**2,
    "p·n + √p·n²": lambda p, n: p * n + n**2 * p**0.5,
}
THREE: dict[str, Law] = {
    "k·n³/p + k·n²·log p": lambda p, n, k: 0.05 * k * n**3 / p + 0.05 * k * n**2 * np.log2(p),
    "n³/p + k·log p": lambda p, n, k: 0.05 * n**3 / p + 3 * k * np.log2(p),
    "k·n/p + n·√p": lambda p, n, k: k * n / p + 0.1 * n * p**0.5,
    "k·n²/p + log p": lambda p, n, k: 0.1 * k * n**2 / p + 5 * np.log2(p),
    "k·n³/p + k·n²/√p + log p": lambda p, n, k: 0.05 * k * n**3 / p + 0.1 * k * n**2 / p**0.5 + np.log2(p),
}
SHAPES: dict[str, Callable[[np.random.Generator, tuple[int, ...]], FloatArray]] = {
    "uniform": lambda rng, shape: rng.uniform(-0.5, 0.5, shape),
    "normal": lambda rng, shape: rng.standard_normal(shape) / 12**0.5,
}


def main() -> None:
    """Print a line for each law, and each shape and width of the noise."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kernels", type=int, default=40, help="of each law, with three parameters a third")
    kernels = parser.parse_args().kernels
    for laws, axes, count in ((TWO, (P, N), kernels), (THREE, (P, N, K), kernels // 3)):
        points = np.array(list(product(*axes)))
        found = []
        for name, law in laws.items():
            for shape, noise in product(SHAPES, NOISES):
                rng = np.random.default_rng(3)
                factors = 1 + noise * SHAPES[shape](rng, (count, len(points), 5))
                inside, ahead, error = measure(law, points, np.maximum(factors, 0.05))
                print(f"{name:26} {shape:8} {noise:5.0%}: inside {inside:6.1%}, ahead {ahead:6.1%}, ", end="")
                print(f"error {error:6.1%}", flush=True)
                found.append((inside, ahead))
        print(f"{len(axes)} parameters: {'inside {:.1%}, ahead {:.1%}'.format(*np.mean(found, axis=0))}\n")


def measure(law: Law, points: FloatArray, factors: FloatArray) -> tuple[float, float, float]:
    """Return how often intervals contain the law at the points and far beyond them, and the median error far
    beyond.
    """
    models = fit(points, law(*points.T)[:, None] * factors)
    far = FAR[:, : points.shape[1]]
    error = np.median(np.abs(models.predict(far) / law(*far.T) - 1))
    return _held(models, law, points), _held(models, law, far), float(error)


def _held(models: Models, law: Law, points: FloatArray) -> float:
    lower, upper = models.interval(points)
    truth = law(*points.T)
    return float(((lower <= truth) & (truth <= upper)).mean())


if __name__ == "__main__":
    main()
