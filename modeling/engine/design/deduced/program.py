"""Model functions by the parameters they depend on, and programs as their sum (Schmid et al. 2022)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from modeling.engine.design.deduced.profiled import merged, only
from modeling.engine.fitting import fit
from modeling.engine.results.models import Models
from modeling.engine.results.posterior import between
from modeling.engine.validation import (
    BoolArray,
    FloatArray,
    IntArray,
    check_evaluation_points,
    check_points,
    check_values,
)


@dataclass(frozen=True)
class Group:
    """Models of functions that depend on the same parameters. `functions` and `parameters` are indices."""

    functions: IntArray
    parameters: IntArray
    models: Models

    def interval_known(self, points: FloatArray) -> BoolArray:
        """Return whether all functions of the group have intervals at Q points (Q, m), as (Q,)."""
        if self.models.posterior is None:
            return np.zeros(len(points), dtype=bool)
        return np.asarray(~self.models.unknown(only(points, self.parameters)).any(axis=0))


@dataclass(frozen=True)
class Program:
    """K functions of m parameters, each modelled by only the parameters that it depends on."""

    groups: tuple[Group, ...]
    count: int
    parameters: int

    def predict(self, points: ArrayLike) -> FloatArray:
        """Return the prediction of each of K functions at Q points (Q, m), (K, Q)."""
        checked = check_evaluation_points(points, self.parameters)
        values = np.full((self.count, len(checked)), np.nan)
        for group in self.groups:
            values[group.functions] = group.models.predict(only(checked, group.parameters))
        return values

    def total(self, points: ArrayLike, level: float = 0.95) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the sum of the predictions at Q points (Q, m), and both ends of its interval, (Q,) each.

        Functions are assumed to be independent. The interval is NaN if some function has none.
        """
        checked = check_evaluation_points(points, self.parameters)
        rng = np.random.default_rng(self.count)
        total: FloatArray | None = None
        for group in self.groups:
            for draws in group.models.draws(only(checked, group.parameters)):
                mixed = draws[rng.permutation(len(draws))]
                total = mixed if total is None else _sum(total, mixed)
        if total is None:
            raise ValueError("functions: found none, expected at least one")
        known = np.all([group.interval_known(checked) for group in self.groups], axis=0)
        lower, upper = (np.where(known, bound[0], np.nan) for bound in between(total[None], level))
        return self.predict(checked).sum(axis=0), lower, upper


def fit_program(
    points: ArrayLike,
    values: ArrayLike,
    depends_on: Sequence[Collection[str]],
    names: Sequence[str],
    models: Models | None = None,
) -> Program:
    """Model K functions with R repetitions at P points (K, P, R), each by only the parameters it depends on.

    Points (P, m) that differ only in parameters without effect are repetitions. `depends_on` are names of
    parameters for each function. `models` are models of all functions by all parameters, if known.
    """
    checked = check_points(points)
    array = check_values(values, len(checked))
    kinds: dict[tuple[int, ...], list[int]] = {}
    for number, found in enumerate(depends_on):
        kinds.setdefault(tuple(at for at, name in enumerate(names) if name in found), []).append(number)
    groups = tuple(
        _group(checked, array, np.array(members), np.array(kind, dtype=np.int_))
        if models is None or len(kind) < len(names)
        else Group(np.array(members), np.array(kind), models.part(np.array(members)))
        for kind, members in kinds.items()
    )
    return Program(groups, len(array), checked.shape[1])


def _group(points: FloatArray, values: FloatArray, functions: IntArray, parameters: IntArray) -> Group:
    data = merged(points, values[functions], parameters)
    return Group(functions, parameters, fit(data.points, data.values))


def _sum(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the sum of draws. Models without a posterior have only one draw."""
    return one + other if len(one) >= len(other) else other + one
