"""Compute what pages show of a kernel's posterior: rival laws, growth, noise."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from modeling.engine import Models
from modeling.engine.laws.growth import as_leads
from modeling.engine.results.posterior import SHAPES, Posterior, run_factors
from modeling.engine.results.rivals import draws_of, lead_draws, middle_coefficients
from modeling.storage import arrays

MOST_RIVALS = 6
LAWS_JOINED = 12
"""The number of most probable laws from which rivals are made. Laws with similar powers are one rival."""

LEAST_PROBABILITY = 0.01
"""Rivals with a smaller probability are not listed."""

_SCATTER = (np.arange(40) + 0.5) / 40


class Rival(NamedTuple):
    """A law that the data allow. `predicted` is the median of its draws at the requested point."""

    probability: float
    constant: float
    coefficients: tuple[float, ...]
    exponents: tuple[float, ...]
    predicted: float | None


class Lead(NamedTuple):
    """The fastest growing factor of a parameter, x^exponent · log2(x)^log_exponent."""

    exponent: float
    log_exponent: float
    probability: float


class Kind(NamedTuple):
    """A family of noise (see `modeling.engine.NOISE_SHAPES`) with its probability."""

    name: str
    probability: float


@dataclass(frozen=True)
class Weighed:
    """The posterior of one kernel. Lists begin with the most probable item.

    `others` is the probability of all laws that are not among the `rivals`. `leads` has the leading powers of
    each parameter. `formula` has the leading powers of the formula's law, with their probabilities over
    all laws.
    """

    rivals: tuple[Rival, ...]
    others: float
    leads: tuple[tuple[Lead, ...], ...]
    formula: tuple[Lead, ...]
    noise: tuple[Kind, ...]


def weighed(models: Models, point: Sequence[float] | None = None) -> list[Weighed]:
    """Return every kernel's posterior, with the rivals' predictions at `point`; empty without one."""
    if models.posterior is None:
        return []
    columns = (
        _rivals(models, models.posterior, point),
        _leads(models.posterior, models.upper),
        _kinds(models.posterior),
    )
    return [
        Weighed(rivals, max(0.0, 1 - sum(rival.probability for rival in rivals)), *leads, kinds)
        for rivals, leads, kinds in zip(*columns, strict=True)
    ]


def scatter(models: Models) -> list[tuple[float, float]]:
    """Return the multiples of each kernel's law between which 95 % of its repetitions lie."""
    if models.posterior is None:
        return []
    factors = run_factors(models.posterior.family, models.posterior.level, _SCATTER)
    ends = np.quantile(factors.reshape(len(factors), -1), [0.025, 0.975], axis=1)
    return list(zip(*ends.tolist(), strict=True))


def _rivals(
    models: Models, posterior: Posterior, point: Sequence[float] | None
) -> Iterator[tuple[Rival, ...]]:
    """Yield the rivals of each kernel. Laws with similar powers are one rival: the formula's or the likeliest
    of these laws.
    """
    most = slice(0, LAWS_JOINED)
    middle = _coefficients(models, posterior)[:, most]
    probability, predicted = posterior.probability[:, most], _predicted(posterior, point)
    exponents = np.asarray(posterior.exponents, float)[:, most]
    similar = exponents.copy()
    similar[..., 0] = as_leads(similar[..., 0])
    exponents, similar = (each.reshape(*probability.shape, -1) for each in (exponents, similar))
    for kernel, drawn in enumerate(np.isfinite(middle[:, :, 0])):
        found: dict[tuple[float, ...], Rival] = {}
        for law in np.flatnonzero(drawn):  # the formula's law is the first
            own, alike = float(probability[kernel, law]), tuple(similar[kernel, law].tolist())
            if alike in found:
                found[alike] = found[alike]._replace(probability=found[alike].probability + own)
                continue
            found[alike] = Rival(
                own,
                float(middle[kernel, law, 0]),
                tuple(middle[kernel, law, 1:].tolist()),
                tuple(exponents[kernel, law].tolist()),
                arrays.known(predicted[kernel, law]),
            )
        listed = [
            rival
            for number, rival in enumerate(found.values())
            if rival.probability >= LEAST_PROBABILITY or (drawn[0] and not number)
        ]
        yield tuple(sorted(listed, key=lambda rival: -rival.probability)[:MOST_RIVALS])


def _coefficients(models: Models, posterior: Posterior) -> arrays.FloatArray:
    """Return the coefficients of every law, (kernels, laws, terms + 1): the middle of its draws.

    The law that the formula shows has the coefficients of the formula.
    """
    found, exponents = middle_coefficients(posterior, models.upper), posterior.exponents[:, 0]
    terms = min(models.exponents.shape[1], exponents.shape[1])
    same = np.isclose(models.exponents[:, :terms], exponents[:, :terms]).all(axis=(1, 2, 3))
    formula = np.zeros_like(found[:, 0])
    formula[:, 0], formula[:, 1 : terms + 1] = models.constant, models.coefficients[:, :terms]
    found[same, 0] = formula[same]
    return found


def _predicted(posterior: Posterior, point: Sequence[float] | None) -> arrays.FloatArray:
    """Return the median of each rival's draws at a point, (kernels, rivals); NaN without one."""
    drawn = draws_of(posterior)[:, :LAWS_JOINED]
    if point is None:
        return np.full(drawn.shape[:2], np.nan)
    with np.errstate(over="ignore", invalid="ignore"):
        values = posterior.values(np.array([point], float))[:, None, :, 0]
    masked = np.ma.masked_invalid(np.where(drawn, values, np.nan))
    middle: np.ma.MaskedArray[tuple[int, ...], np.dtype[np.float64]] = np.ma.median(masked, axis=2)  # type: ignore[no-untyped-call]
    return np.ma.filled(middle.astype(float), np.nan)


def _leads(
    posterior: Posterior, upper: arrays.FloatArray
) -> Iterator[tuple[tuple[tuple[Lead, ...], ...], tuple[Lead, ...]]]:
    """Yield each kernel's leads of every parameter, most probable first, and those of the formula's law."""
    drawn = lead_draws(posterior, upper).transpose(0, 2, 1, 3)  # (kernels, parameters, draws, 2)
    found, number = np.unique(drawn[..., 0] + 1j * drawn[..., 1], return_inverse=True)
    kernels, parameters, draws = drawn.shape[:3]
    row = np.arange(kernels * parameters).reshape(kernels, parameters, 1)
    place = (row * len(found) + number.reshape(drawn.shape[:3])).ravel()
    own = posterior.law == posterior.law.min(axis=1, keepdims=True)
    of_own = np.broadcast_to(own[:, None], drawn.shape[:3]).ravel()
    shape, size = (kernels, parameters, len(found)), row.size * len(found)
    shares = np.bincount(place, minlength=size).reshape(shape) / draws
    firsts = np.bincount(place, of_own, size).reshape(shape).argmax(axis=2).tolist()
    order = np.argsort(-shares, axis=2, kind="stable")
    counts = (shares > 0).sum(axis=2).tolist()
    exponents, logs = found.real.tolist(), found.imag.tolist()
    for share, ordered, count, first in zip(shares.tolist(), order.tolist(), counts, firsts, strict=True):
        yield (
            tuple(
                tuple(Lead(exponents[at], logs[at], each[at]) for at in best[:many])
                for each, best, many in zip(share, ordered, count, strict=True)
            ),
            tuple(Lead(exponents[at], logs[at], each[at]) for each, at in zip(share, first, strict=True)),
        )


def _kinds(posterior: Posterior) -> Iterator[tuple[Kind, ...]]:
    """Yield for each kernel the families of noise with a positive probability."""
    for row in posterior.family_probability().tolist():
        ordered = sorted(zip(SHAPES, row, strict=True), key=lambda pair: -pair[1])
        yield tuple(Kind(name, probability) for name, probability in ordered if probability)
