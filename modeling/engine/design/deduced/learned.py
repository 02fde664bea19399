"""Continue a deduced design by laws fitted to its first runs.

Runs for guessed laws (see `filling`) must also determine exponents. After a few points, most exponents are
known. Then the posterior of each function replaces the guessed laws, and runs determine the coefficients that
matter at the target.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from modeling.engine.design.beliefs import OWN, heaviest, log_draws
from modeling.engine.design.deduced.information import Laws, Learned, Wanted
from modeling.engine.design.deduced.profiled import only
from modeling.engine.design.deduced.program import Group, fit_program
from modeling.engine.design.first import lacks_lines
from modeling.engine.design.kernels import KERNELS
from modeling.engine.design.plans import Plan
from modeling.engine.design.scatter import UNKNOWN_NOISE, scatter
from modeling.engine.validation import BoolArray, FloatArray, IntArray

LAW = 3
"""Numbers in a law of one parameter: constant, coefficient and exponent. After n runs, the variance of a
fitted law is about 3 / n times that of a run. Functions are assumed to deviate from their laws by the same
variance, besides the deviations that measurements show. With a fixed 0.03 no point would count as more than
33 runs. Then the total at the target had 1.1 and 1.3 times the standard deviation, for 20 programs each of
three and four parameters with as many runs as the full design (`tests/benchmarks/deduced_designs.py`).
"""

NEGLIGIBLE = 1e-3
"""Singular values of draws below this share of the function's largest one are left out."""


@dataclass(frozen=True)
class Measured:
    """What was measured so far.

    Attributes:
        points: (P, m) P points, in the order of the design's m parameters.
        values: (K, P, R) R repetitions of K kernels, NaN where missing.
        functions: (K,) the function of each kernel.
    """

    points: FloatArray
    values: FloatArray
    functions: Sequence[str]

    def runs(self, points: FloatArray) -> IntArray:
        """Return how often each of N points (N, m) was measured, (N,)."""
        counts = (~np.isnan(self.values)).sum(axis=2).max(axis=0, initial=0)
        made = dict(zip(map(tuple, self.points.tolist()), counts.tolist(), strict=True))
        return np.array([made.get(tuple(point), 0) for point in points.tolist()], dtype=np.int_)

    def where(self, names: Sequence[str], fixed: Mapping[str, float]) -> "Measured":
        """Return only the points at which the parameters in `fixed` have these values."""
        kept = np.all([self.points[:, names.index(name)] == at for name, at in fixed.items()], axis=0)
        kept = np.broadcast_to(kept, len(self.points))
        return replace(self, points=self.points[kept], values=self.values[:, kept])


def unmeasured(plan: Plan, measured: Measured) -> Plan:
    """Return the plan without the runs that were already made."""
    left = np.maximum(plan.repetitions - measured.runs(plan.points), 0)
    kept = left > 0
    if (left == plan.repetitions).all():
        return plan
    told = f"{plan.runs - int(left.sum())} of the {plan.runs} runs of the smallest design were already made."
    return replace(
        plan, points=plan.points[kept], repetitions=left[kept],
        costs=(plan.costs / plan.repetitions * left)[kept],
        buys=tuple(buys for buys, keep in zip(plan.buys, kept, strict=True) if keep),
        reasons=(*plan.reasons, told), reached=not kept.any(),
    )  # fmt: skip


def learner(
    measured: Measured, functions: Mapping[str, Collection[str]], names: Sequence[str], points: FloatArray
) -> Learned | None:
    """Return a function that yields the laws of the measured functions, or None.

    It is None if a parameter that varies at N `points` (N, m) was measured at too few values.
    """
    if lacks_lines(measured.points, points):
        return None
    return partial(learned_laws, measured, functions, names)


def learned_laws(
    measured: Measured,
    functions: Mapping[str, Collection[str]],
    names: Sequence[str],
    candidates: FloatArray,
    wanted: Wanted,
) -> Iterator[Laws]:
    """Yield laws of the kernels with the largest predictions at the target, for C candidates (C, m).

    `functions` maps functions to their parameters. Any other function may depend on all `names`.
    """
    depends_on = [functions.get(name, names) for name in measured.functions]
    program = fit_program(measured.points, measured.values, depends_on, names)
    predicted = program.predict(wanted.target[None])[:, 0]
    level = np.where(np.isfinite(predicted) & (predicted > 0), predicted, 0.0)
    found = scatter(measured.values).run
    noise = np.where(np.isfinite(found) & (found > 0), found, UNKNOWN_NOISE**2)
    at = np.vstack([candidates, wanted.target])
    unseen = LAW / (wanted.runs + measured.runs(measured.points).sum())
    some = [kernel for kernel in heaviest(level, KERNELS).tolist() if level[kernel] > 0]
    for group in program.groups:
        kept = np.isin(group.functions, some)
        yield from _of_group(group, kept, at, noise=noise, shares=level / level.sum(), unseen=unseen)


def _of_group(
    group: Group, kept: BoolArray, at: FloatArray, *, noise: FloatArray, shares: FloatArray, unseen: float
) -> Iterator[Laws]:
    """Yield laws of the functions that `kept` marks, at candidates and target (`at`); none for constants."""
    if not kept.any() or not len(group.parameters) or group.models.posterior is None:
        return
    own = only(at, group.parameters)
    points, which = np.unique(own[:-1], axis=0, return_inverse=True)
    logs, apart = log_draws(group.models.part(np.flatnonzero(kept)), np.vstack([points, own[-1]]))
    draws = (logs - logs.mean(axis=1, keepdims=True)) / np.sqrt(logs.shape[1] - 1)
    left, sizes, _ = np.linalg.svd(draws.swapaxes(1, 2), full_matrices=False)
    matter = (sizes > NEGLIGIBLE * sizes[:, :1]).any(axis=0)
    rows = (left * sizes[:, None])[..., matter]
    variance = noise[group.functions[kept], None]
    yield Laws(
        rows=rows[:, :-1] / np.sqrt(variance)[..., None],
        aim=rows[:, -1] * shares[group.functions[kept], None],
        points=which.ravel(),
        weight=1.0,
        prior=1.0,
        deviation=unseen + (apart[:, :-1] ** 2 - OWN**2) / variance,
    )
