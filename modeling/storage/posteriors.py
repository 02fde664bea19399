"""Convert the posterior of a kernel to a few kilobytes of a database row, and back.

The bytes are little-endian:

- numbers of laws with flags, terms, parameters and points (u1 each), number of draws (u2),
- unit of each coefficient, its largest absolute value in all draws (terms + 1, f8),
- probabilities (laws, f4) and exponents (laws, terms, parameters, 2, f4) of the laws,
- law and family of noise of each draw (draws, u1 each), level of noise (draws, f4),
- coefficients of each draw in their units (draws, terms + 1, f4),
- with points: the kernel's deviations at them (see `packed_deviations`),
- with `TRENDING`: slopes and levels of the trend (parameters, parameters, f4 each),
- with `TRENDING`: logarithms of the largest values (parameters, f4),
- with `TRENDING` and several parameters: logarithms of the smallest values (parameters, f4),
- with `SHORTER`: lengths of the trend (parameters, f4).

The segments of a kernel follow each other in this form.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from modeling.engine.deviations.trend import TREND_LENGTH, Trend
from modeling.engine.results.posterior import Posterior, join_posteriors
from modeling.storage.packed_deviations import pack_deviation, unpack_deviation

_HEADER = np.dtype(
    [("laws", "u1"), ("terms", "u1"), ("parameters", "u1"), ("points", "u1"), ("draws", "<u2")]
)

TRENDING, SHORTER, FLAGGED = 128, 64, 32
"""Flags that are added to the number of laws, which is at most 31. Rows from before engine 2.15 lack
`FLAGGED`, and have the other flags in the number of points.
"""

LEAST_STORED_PROBABILITY = 1e-3
"""Laws with a smaller probability are not stored, unless a draw has this law or a later one."""


def pack(posterior: Posterior) -> list[bytes]:
    """Return the bytes of every kernel's row."""
    worth = posterior.probability >= LEAST_STORED_PROBABILITY
    laws = np.maximum(
        worth.shape[1] - np.argmax(worth[:, ::-1], axis=1), posterior.law.max(axis=1).astype(int) + 1
    )
    units = np.abs(posterior.coefficients).max(axis=1)
    units[units == 0] = 1.0
    scaled = (posterior.coefficients / units[:, None]).astype("<f4")
    probability, exponents = posterior.probability.astype("<f4"), posterior.exponents.astype("<f4")
    level = posterior.level.astype("<f4")
    law, family = posterior.law.astype("u1"), posterior.family.astype("u1")
    terms, parameters = exponents.shape[2:4]
    rows = []
    for kernel, count in enumerate(laws.tolist()):
        points, deviation = pack_deviation(posterior.deviation, kernel)
        flags, trend = _packed_trend(posterior.trend, kernel)
        flags += FLAGGED * bool(points or flags)
        header = np.array((count + flags, terms, parameters, points, law.shape[1]), _HEADER)
        parts = (
            header, units[kernel].astype("<f8"), probability[kernel, :count], exponents[kernel, :count],
            law[kernel], family[kernel], level[kernel], scaled[kernel],
        )  # fmt: skip
        rows.append(b"".join(part.tobytes() for part in parts) + deviation + trend)
    return rows


def _packed_trend(trend: Trend | None, kernel: int) -> tuple[int, bytes]:
    """Return the flags and the bytes of a kernel's trend; 0 and no bytes without one."""
    if trend is None or not (trend.slope[kernel].any() or trend.level[kernel].any()):
        return 0, b""
    parts = [trend.slope, trend.level, trend.largest]
    if trend.largest.shape[1] > 1:
        parts.append(trend.smallest)
    shorter = bool((trend.length[kernel] < TREND_LENGTH).any())
    if shorter:
        parts.append(trend.length)
    numbers = np.concatenate([part[kernel].ravel() for part in parts])
    return TRENDING + SHORTER * shorter, numbers.astype("<f4").tobytes()


def unpack(rows: Sequence[bytes]) -> Posterior:
    """Return the posteriors in rows, each of one kernel's law or segments.

    Rows with equal headers are read together, which takes a fifth of the time.
    """
    parts: list[Posterior] = []
    numbers: list[list[int]] = []  # the rows of each part
    for some, alike in _alike([bytes(row) for row in rows]):
        for part in _unpack(alike):
            parts.append(part)
            numbers.append(some)
    # A row with several segments has as many places in turn.
    order = np.argsort([number for some in numbers for number in some], kind="stable")
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    ends = np.cumsum([len(some) for some in numbers])[:-1]
    return join_posteriors(parts, np.split(places, ends))


def _alike(rows: Sequence[bytes]) -> Iterator[tuple[list[int], list[bytes]]]:
    """Yield groups of rows with equal headers and nothing after the draws; any other row is alone."""
    groups: dict[bytes | int, list[int]] = {}
    for number, row in enumerate(rows):
        header = row[: _HEADER.itemsize]
        groups.setdefault(header if len(row) == _plain_size(header) else number, []).append(number)
    for some in groups.values():
        yield some, [rows[number] for number in some]


@lru_cache(maxsize=4096)
def _plain_size(header: bytes) -> int:
    """Return the size of a row with a single law; −1 if it has deviations or a trend."""
    (laws, terms, parameters, points, draws), flags = _sizes(np.frombuffer(header, _HEADER)[0])
    of_laws = 4 * laws * (1 + 2 * terms * parameters)
    of_draws = draws * (2 + 4 + 4 * (terms + 1))
    return -1 if points or flags else len(header) + 8 * (terms + 1) + of_laws + of_draws


def _sizes(header: np.void) -> tuple[tuple[int, int, int, int, int], int]:
    """Return the numbers of laws, terms, parameters, points and draws, and the flags of the trend."""
    laws, terms, parameters, points, draws = map(int, header.item())
    if laws & FLAGGED:
        flags, laws = laws & (TRENDING | SHORTER), laws % FLAGGED
    else:
        flags, points = points & (TRENDING | SHORTER), points % SHORTER
    return (laws, terms, parameters, points, draws), flags


def _unpack(rows: Sequence[bytes]) -> Iterator[Posterior]:
    """Yield the posteriors of rows with the same header. A row with several parts is read alone."""
    together = np.frombuffer(b"".join(rows), "u1").reshape(len(rows), -1)
    place = 0

    def read(kind: str | np.dtype[np.void], *shape: int) -> np.ndarray:
        nonlocal place
        end = place + math.prod(shape) * np.dtype(kind).itemsize
        found = np.ascontiguousarray(together[:, place:end]).view(kind).reshape(len(rows), *shape)
        place = end
        return found

    while place < together.shape[1]:
        (laws, terms, parameters, points, draws), flags = _sizes(read(_HEADER, 1)[0, 0])
        units = read("<f8", terms + 1)
        posterior = Posterior(
            probability=read("<f4", laws).astype(float),
            exponents=_exact(read("<f4", laws, terms, parameters, 2).astype(float)),
            law=read("u1", draws).astype(np.int16),
            family=read("u1", draws).astype(np.int8),
            level=read("<f4", draws).astype(float),
            coefficients=read("<f4", draws, terms + 1) * units[:, None],
        )
        if points:
            deviation, place = unpack_deviation(rows[0], place, points, parameters, draws)
            posterior = replace(posterior, deviation=deviation)
        if flags & TRENDING:
            slope, level = (read("<f4", parameters, parameters).astype(float) for _ in range(2))
            largest = read("<f4", parameters).astype(float)
            # Only trends that depend on another parameter use the smallest values.
            smallest = read("<f4", parameters).astype(float) if parameters > 1 else largest
            length = np.full((1, parameters), TREND_LENGTH)
            if flags & SHORTER:
                length = read("<f4", parameters).astype(float)
            posterior = replace(posterior, trend=Trend(slope, level, smallest, largest, length))
        yield posterior


def _exact(exponents: np.ndarray) -> np.ndarray:
    """Round exponents to multiples of 1/2400, because 4-byte floats do not represent 1/3 exactly. The powers
    of `search.between` are multiples of 1/800.
    """
    return np.asarray(np.round(exponents * 2400) / 2400)
