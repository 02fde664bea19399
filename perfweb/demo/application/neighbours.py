"""Pairs of particles closer than the cutoff, found in two ways.

A slab is `WIDTH` cells of side 1 wide, with `PER_CELL` particles in every cell. Both ways work in pieces of
constant size, so that scratch arrays stay in one level of the cache at every `n`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Pairs = tuple[Indices, Indices]

WIDTH = 16
PER_CELL = 4
CUTOFF = 0.5
"""Distance within which particles are pairs; less than a cell's side, so partners are in adjacent cells."""

_BLOCK = 32_768
"""Number of distances that the dense search computes at once."""

_CHUNK = 512
"""Number of particles that the search by cells processes together."""


def draw_particles(n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return coordinates (n,), (n,) along and across the slab, in random order.

    Every cell gets the same number, so that the work for a given `n` is the same in every step.
    """
    cell = rng.permutation(n) // PER_CELL
    return cell // WIDTH + rng.random(n), cell % WIDTH + rng.random(n)


def search_dense(x: Floats, y: Floats) -> Pairs:
    """Compare every particle with every other: O(n²). Returns the pairs as indices i and j, with i < j."""
    rows = max(1, _BLOCK // x.size)
    others = np.tile(x, rows), np.tile(y, rows)
    return _joined([_close_to_rows(x, y, others, slice(at, at + rows)) for at in range(0, x.size, rows)])


def _close_to_rows(x: Floats, y: Floats, others: tuple[Floats, Floats], rows: slice) -> Pairs:
    """Return the pairs of the particles in `rows` with all `others`, repeated for each row.

    Both sides are full arrays, because with broadcasting the time per distance would depend on `n`.
    """
    own_x, own_y = np.repeat(x[rows], x.size), np.repeat(y[rows], x.size)
    squared = _squared_distance(own_x, own_y, others[0][: own_x.size], others[1][: own_y.size])
    i, j = np.divmod(np.flatnonzero(squared < CUTOFF**2), x.size)
    i += rows.start
    once = i < j
    return i[once], j[once]


def search_cell_list(x: Floats, y: Floats) -> Pairs:
    """Compare only particles of the same and of adjacent cells: O(n). Returns each pair once, as indices."""
    cell = x.astype(np.uint16) * np.uint16(WIDTH) + y.astype(np.uint16)
    order = np.argsort(cell, kind="stable")  # NumPy uses a radix sort for 16 bits, so this is O(n)
    ranges = _partner_ranges(cell[order])
    x, y = x[order], y[order]
    found = [_close_in_chunk(x, y, ranges, start) for start in range(0, x.size, _CHUNK)]
    i, j = _joined(found)
    return order[i], order[j]


@dataclass(frozen=True)
class _Ranges:
    """The possible partners of each particle, as two ranges [first, last) in the order of the cells."""

    same_last: Indices  # in the particle's own column of cells, the range begins after the particle itself
    next_first: Indices
    next_last: Indices


def _partner_ranges(cell: NDArray[np.uint16]) -> _Ranges:
    """Return half of each particle's neighbourhood: the rest of its column of cells, and the next column.

    So each pair is found once. The cells of a column are contiguous, so each part is one range.
    """
    cells = int(cell[-1]) // WIDTH * WIDTH + WIDTH
    ends = np.cumsum(np.bincount(cell, minlength=cells))
    begins = np.concatenate(([0], ends[:-1]))
    index = np.arange(cells)
    above = np.where(index % WIDTH == WIDTH - 1, index, index + 1)
    below = np.where(index % WIDTH == 0, index, index - 1)
    following = np.append(ends[above][WIDTH:], np.full(WIDTH, cell.size))
    preceding = np.append(begins[below][WIDTH:], np.full(WIDTH, cell.size))
    return _Ranges(ends[above][cell], preceding[cell], following[cell])


def _close_in_chunk(x: Floats, y: Floats, ranges: _Ranges, start: int) -> Pairs:
    index = np.arange(start, min(start + _CHUNK, x.size))
    same = _expanded(index, index + 1, ranges.same_last[index])
    following = _expanded(index, ranges.next_first[index], ranges.next_last[index])
    i, j = _joined([same, following])
    close = _squared_distance(x[i], y[i], x[j], y[j]) < CUTOFF**2
    return i[close], j[close]


def _squared_distance(x: Floats, y: Floats, other_x: Floats, other_y: Floats) -> Floats:
    along = x - other_x
    across = y - other_y
    along *= along
    across *= across
    along += across
    return along


def _expanded(owner: Indices, first: Indices, last: Indices) -> Pairs:
    """Return pairs of an owner and an index: one for every index in the owner's range [first, last)."""
    counts = last - first
    skipped = np.cumsum(counts) - counts
    partner = np.arange(counts.sum()) + np.repeat(first - skipped, counts)
    return np.repeat(owner, counts), partner


def _joined(parts: list[Pairs]) -> Pairs:
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
