"""Check whether laws stay the same if any one of their points is left out."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from modeling.engine.laws.growth import SAME_EXPONENT
from modeling.engine.laws.terms import LEAD_MULTIPLE
from modeling.engine.measured.wild_points import wild_points
from modeling.engine.modelers.evidence.draws.deviations import Deviating
from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import EVERY_PAIR
from modeling.engine.modelers.evidence.hypotheses.laws import Located, canonical, fitted
from modeling.engine.modelers.evidence.noise.families import FAMILIES
from modeling.engine.modelers.evidence.noise.runs import Runs, summarise
from modeling.engine.modelers.evidence.search.left_out import LeftOut, left_out
from modeling.engine.modelers.evidence.search.likely_laws import search
from modeling.engine.questions.estimates import INTERVAL_LEVEL
from modeling.engine.results.models import SEGMENTED, Models
from modeling.engine.results.posterior import Posterior
from modeling.engine.validation import BoolArray, FloatArray, IntArray, check_points, check_values

UNNOTICED_MOVE = 0.1
"""A prediction may move by this share, even out of its interval, because low noise makes intervals narrow."""

FEWEST_POINTS = 3
"""Fewest points of a kernel whose stability is judged: two points do not determine a law."""

KERNELS_AT_ONCE = 400

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Stability:
    """Whether the laws of K kernels stay the same without each of P points.

    A law stays the same under two conditions. No lead exponent moves by more than 1/4. The prediction at four
    times the largest values moves by at most a tenth, or stays within the model's 95 % interval.
    """

    survives: BoolArray  # (K, P) whether the law stays the same without the point; True if not measured
    ratio: FloatArray  # (K, P) prediction without the point, divided by the prediction with it
    points_used: IntArray  # (K,) number of points of each kernel
    known: BoolArray  # (K,) whether the kernel was judged

    @property
    def score(self) -> FloatArray:
        """Share of each kernel's points without which the law stays the same, (K,); NaN if not judged."""
        lost = (~self.survives).sum(axis=1)
        return np.where(self.known, 1 - lost / np.maximum(self.points_used, 1), np.nan)

    @property
    def weakest(self) -> IntArray:
        """Index of the point whose absence changes the law or its prediction most, (K,)."""
        moved = np.abs(np.log(self.ratio))
        return np.asarray(np.argmax(moved + np.where(self.survives, 0.0, moved.max() + 1), axis=1))


def stability(points: ArrayLike, values: ArrayLike, models: Models) -> Stability:
    """Find out whether each law stays the same if any one of its points is left out.

    Args:
        points: (P, m) positive values of m parameters at P points.
        values: (K, P, R) R repetitions of K kernels, NaN where missing. Wild values are ignored.
        models: the models of these values, with a posterior.

    Raises:
        ValueError: as in `fit`; or the models have no posterior, or another number of kernels.
    """
    checked = check_points(points)
    array = check_values(values, len(checked))
    if models.posterior is None:
        raise ValueError("models: found none that weigh laws, expected those of the evidence modeler")
    if len(models) != len(array):
        raise ValueError(f"models: found {len(models)} of them, expected {len(array)}, one a kernel")
    array = np.where(wild_points(checked, array)[..., None], np.nan, array)
    parts = [
        _of_part(checked, array[part], models.part(part), models.posterior.part(part))
        for part in np.split(np.arange(len(array)), range(KERNELS_AT_ONCE, len(array), KERNELS_AT_ONCE))
    ]
    names = ("survives", "ratio", "points_used", "known")
    return Stability(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def _of_part(points: FloatArray, values: FloatArray, models: Models, posterior: Posterior) -> Stability:
    runs = summarise(values)
    used = (runs.count > 0).sum(axis=0)
    judged = (used >= FEWEST_POINTS) & np.isfinite(models.constant) & (models.status != SEGMENTED)
    judged &= models.growth != "saturating"  # the laws compared below have no subtracted terms
    survives, ratio = np.ones(values.shape[:2], dtype=bool), np.ones(values.shape[:2])
    family = posterior.family_probability().argmax(axis=1)[:, None]
    alike = np.concatenate([family, models.measured.together], axis=1)
    with np.errstate(all="ignore"):
        for each in np.unique(alike[judged], axis=0):
            kernels = np.flatnonzero(judged & (alike == each).all(axis=1))
            free = np.flatnonzero(each[1:] == 0)
            others = _classes(posterior.part(kernels), free)
            without = _left_out(points[:, free], runs.part(kernels), int(each[0]), others)
            survives[kernels], ratio[kernels] = _judged(without, models.part(kernels))
    return Stability(survives, ratio, used, judged)


def _left_out(points: FloatArray, runs: Runs, family: int, others: IntArray) -> LeftOut:
    basis = Basis(points)
    return left_out(basis, _located(basis, runs, family), others)


def _judged(found: LeftOut, models: Models) -> tuple[BoolArray, FloatArray]:
    """Return `survives` and `ratio` of `Stability`."""
    ratio = (found.far[:-1] / found.far[-1]).T
    far = np.where(models.lower < models.upper, LEAD_MULTIPLE, 1.0)[None] * models.upper
    # Laws do not contain bound parameters, so these may have any value.
    models = replace(models, region=None)
    lower, upper = models.interval(far, INTERVAL_LEVEL)
    moved = models.predict(far) * ratio
    inside = (moved >= lower) & (moved <= upper) | (np.abs(ratio - 1) <= UNNOTICED_MOVE)
    same = (np.abs(found.leads[:-1] - found.leads[-1]) <= SAME_EXPONENT + _ROUNDING).all(axis=2).T
    return inside & same, ratio


def _located(basis: Basis, runs: Runs, family: int) -> Located:
    """Return one value for each point, estimated for this family of noise."""
    if family < len(FAMILIES):
        return Located(*FAMILIES[family].locate(runs))
    deviating = Deviating(basis.points)
    located = deviating.locate(runs)
    law = fitted(basis, search(basis, located).classes[:, :, 0], located, located.weights(located.y))
    return deviating.relocate(law, runs)


def _classes(posterior: Posterior, free: IntArray) -> IntArray:
    """Return the laws of a posterior as classes, (terms, free parameters, laws, kernels)."""
    exponents = np.asarray(posterior.exponents, dtype=float)
    pairs = exponents[..., 0] + 1j * exponents[..., 1]  # (kernels, laws, terms, parameters)
    known = EVERY_PAIR[:, 0] + 1j * EVERY_PAIR[:, 1]
    order = np.argsort(known, kind="stable")
    place = np.minimum(np.searchsorted(known[order], pairs), len(order) - 1)
    classes = canonical(np.ascontiguousarray(order[place].transpose(2, 3, 1, 0)[:, free]))
    return classes[: max(len(free), int(classes.any(axis=(1, 2, 3)).sum()))]
