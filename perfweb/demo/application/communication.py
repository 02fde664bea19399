"""Communication between the ranks: real copies between their buffers, with the bytes counted.

Ranks form a ring. A boundary is a slab's cross-section, whose size depends neither on `p` nor on `n`.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def exchange_with_neighbours(boundaries: list[Floats], ghosts: list[Floats]) -> int:
    """Give every rank the adjacent boundaries of its two neighbours: O(1) per rank.

    `boundaries` has for each rank its first and last cross-section, (2, size). `ghosts`, also (2, size) for
    each rank, are filled with the cross-sections before and behind the rank's slab. Returns the bytes that
    all ranks received.
    """
    p = len(boundaries)
    for rank, ghost in enumerate(ghosts):
        np.copyto(ghost[0], boundaries[rank - 1][1])
        np.copyto(ghost[1], boundaries[(rank + 1) % p][0])
    return sum(ghost.nbytes for ghost in ghosts)


def exchange_by_gathering(boundaries: list[Floats], ghosts: list[Floats]) -> int:
    """Do as `exchange_with_neighbours` does, after every rank gathered all boundaries: O(p) per rank."""
    p = len(boundaries)
    table = np.empty((p, *boundaries[0].shape))
    for rank, ghost in enumerate(ghosts):
        for source, boundary in enumerate(boundaries):
            np.copyto(table[source], boundary)
        np.copyto(ghost[0], table[rank - 1][1])
        np.copyto(ghost[1], table[(rank + 1) % p][0])
    return p * table.nbytes


def allreduce(values: list[Floats]) -> int:
    """Replace every rank's values by the sum over all `p` ranks, by recursive doubling: O(log p) per rank.

    `p` is a power of two. Returns the bytes that all ranks received.
    """
    p, received = len(values), 0
    inbox = [np.empty_like(value) for value in values]
    distance = 1
    while distance < p:
        for rank in range(p):
            np.copyto(inbox[rank], values[rank ^ distance])
        for rank in range(p):
            values[rank] += inbox[rank]
            received += inbox[rank].nbytes
        distance *= 2
    return received
