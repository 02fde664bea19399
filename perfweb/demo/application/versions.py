"""The demo's history: the implementation of each kernel in each version.

Labels, commits and dates are invented; there is no repository.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from perfweb.demo.application.communication import (
    Floats,
    exchange_by_gathering,
    exchange_with_neighbours,
)
from perfweb.demo.application.field import diffuse, diffuse_copying
from perfweb.demo.application.neighbours import Pairs, search_cell_list, search_dense


@dataclass(frozen=True)
class Version:
    """One version: the implementations of all kernels that ever changed, and its commit message."""

    label: str
    commit: str
    committed_at: datetime
    summary: str
    neighbours: Callable[[Floats, Floats], Pairs]
    stencil: Callable[[Floats, Floats], None]
    halo_exchange: Callable[[list[Floats], list[Floats]], int]


_V1_0 = Version(
    label="1.0",
    commit="3f9c1d7a20",
    committed_at=datetime(2026, 2, 3, 10, 12, tzinfo=UTC),
    summary="First release: every particle is compared with every other",
    neighbours=search_dense,
    stencil=diffuse,
    halo_exchange=exchange_with_neighbours,
)
_V1_1 = replace(
    _V1_0,
    label="1.1",
    commit="a85e0b46c1",
    committed_at=datetime(2026, 3, 17, 15, 40, tzinfo=UTC),
    summary="Find neighbours with a cell list",
    neighbours=search_cell_list,
)
_V1_2 = replace(
    _V1_1,
    label="1.2",
    commit="0d72f6e9b3",
    committed_at=datetime(2026, 4, 28, 9, 5, tzinfo=UTC),
    summary="Give the stencil private copies of what it reads and writes",
    stencil=diffuse_copying,
)
_V1_3 = replace(
    _V1_2,
    label="1.3",
    commit="c41b93f58e",
    committed_at=datetime(2026, 6, 9, 13, 22, tzinfo=UTC),
    summary="Gather all boundaries on every rank, to simplify the halo exchange",
    halo_exchange=exchange_by_gathering,
)
_V1_4 = replace(
    _V1_3,
    label="1.4",
    commit="78d6a2e10f",
    committed_at=datetime(2026, 7, 21, 8, 51, tzinfo=UTC),
    summary="Exchange halos with the two neighbours only, as before 1.3",
    halo_exchange=exchange_with_neighbours,
)
_V1_5 = replace(
    _V1_4,
    label="1.5",
    commit="e602c8b7d4",
    committed_at=datetime(2026, 9, 1, 16, 30, tzinfo=UTC),
    summary="Documentation only",
)

VERSIONS = (_V1_0, _V1_1, _V1_2, _V1_3, _V1_4, _V1_5)
"""Oldest first."""
