"""Timesteps of the mini-application, timed kernel by kernel.

A kernel's time is one rank's processor time in this kernel alone, without waiting or a network's latency. The
work is the same on all ranks, so differences between calls come from the machine. The 10 % quantile of
the calls' times represents all calls.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from time import thread_time
from typing import ParamSpec, TypeVar

import numpy as np

from perfweb.demo.application.communication import Floats, allreduce
from perfweb.demo.application.deck import read_deck
from perfweb.demo.application.field import (
    COARSENING,
    COMPONENTS,
    apply_coarse,
    coarse_operator,
    sort_along,
    transform,
)
from perfweb.demo.application.neighbours import WIDTH, draw_particles
from perfweb.demo.application.versions import Version

Inputs = ParamSpec("Inputs")
Output = TypeVar("Output")

REDUCED = 512
"""Number of sums that the ranks reduce in every step."""

READ_INPUT = "main->read_input"
_STEP = "main->timestep->"

_FASTEST = 0.1
"""The quantile of the times over calls that represents all calls."""

_READS = 256
"""Number of times that a run reads its input."""

_FIELD_CALLS = 2
"""Number of consecutive calls of a field's kernel: during the first one the caches contain other data."""

_SAMPLES = 8
"""Number of timings of each communication in a step."""

_EXCHANGES = 64
"""Exchanges of single ranks that are timed together, because one round of few ranks is too short."""


@dataclass(frozen=True)
class Measured:
    """The measurements of one run by call path: seconds, and bytes received, each per rank and call."""

    time: dict[str, float]
    bytes_received: dict[str, float]


@dataclass
class _Clock:
    """Collects, per call path, how long one rank took for one call, and the bytes it received."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    received: dict[str, float] = field(default_factory=dict)

    def run(
        self,
        callpath: str,
        kernel: Callable[Inputs, Output],
        *args: Inputs.args,
        **kwargs: Inputs.kwargs,
    ) -> Output:
        start = thread_time()
        result = kernel(*args, **kwargs)
        self.seconds[callpath].append(thread_time() - start)
        return result

    def exchange(self, callpath: str, kernel: Callable[[], int], p: int) -> None:
        """Let all `p` ranks together call a kernel that communicates, several rounds in a row."""
        rounds = max(1, _EXCHANGES // p)
        for _ in range(_SAMPLES):
            start = thread_time()
            received = sum(kernel() for _ in range(rounds))
            self.seconds[callpath].append((thread_time() - start) / (rounds * p))
            self.received[callpath] = received / (rounds * p)

    def measured(self) -> Measured:
        time = {path: float(np.quantile(seconds, _FASTEST)) for path, seconds in self.seconds.items()}
        return Measured(time=time, bytes_received=dict(self.received))


@dataclass
class _Rank:
    """The data that one rank owns between steps."""

    field: Floats
    sums: Floats
    boundaries: Floats
    ghosts: Floats


class Simulation:
    """A run of one version on `p` ranks (a power of two) of `n` particles each (a multiple of 64)."""

    def __init__(self, version: Version, p: int, n: int, rng: np.random.Generator) -> None:
        _check_size(p, n)
        self._version = version
        self._n = n
        self._rng = rng
        self._operator = coarse_operator(n)
        self._coarse = np.empty((n // COARSENING, COARSENING * COMPONENTS))
        self._scratch = np.empty((n, COMPONENTS))
        self._ranks = [self._make_rank() for _ in range(p)]

    def measure(self, steps: int) -> Measured:
        """Measure the reading of the input and the run of `steps` timesteps."""
        clock = _Clock()
        for _ in range(_READS):
            clock.run(READ_INPUT, read_deck)
        for _ in range(steps):
            self._step(clock)
        return clock.measured()

    def _make_rank(self) -> _Rank:
        cross_section = (2, WIDTH * COMPONENTS)
        return _Rank(
            field=self._rng.random((self._n, COMPONENTS)),
            sums=self._rng.random(REDUCED),
            boundaries=np.empty(cross_section),
            ghosts=np.empty(cross_section),
        )

    def _step(self, clock: _Clock) -> None:
        for rank in self._ranks:
            self._local(rank, clock)
        boundaries = [rank.boundaries for rank in self._ranks]
        ghosts = [rank.ghosts for rank in self._ranks]
        sums = [rank.sums for rank in self._ranks]
        p = len(self._ranks)
        clock.exchange(_STEP + "halo_exchange", lambda: self._version.halo_exchange(boundaries, ghosts), p)
        clock.exchange(_STEP + "reduction", lambda: allreduce(sums), p)

    def _local(self, rank: _Rank, clock: _Clock) -> None:
        """Run the kernels that need no other rank; they fill the buffers for the communication.

        Every call gets new particles, because a processor learns the branches of a repeated sort.
        """
        x, y = draw_particles(self._n, self._rng)
        clock.run(_STEP + "sort", sort_along, x)
        clock.run(_STEP + "neighbours", self._version.neighbours, x, y)
        for _ in range(_FIELD_CALLS):
            clock.run(_STEP + "stencil", self._version.stencil, rank.field, self._scratch)
        rank.field, self._scratch = self._scratch, rank.field
        for _ in range(_FIELD_CALLS):
            clock.run(_STEP + "fft", transform, rank.field)
        for _ in range(_FIELD_CALLS):
            clock.run(_STEP + "matrix_product", apply_coarse, self._operator, rank.field, self._coarse)
        rank.boundaries[0] = rank.field[:WIDTH].ravel()
        rank.boundaries[1] = rank.field[-WIDTH:].ravel()
        rank.sums[:] = self._coarse.ravel()[:REDUCED]


def _check_size(p: int, n: int) -> None:
    if p < 1 or p & (p - 1):
        raise ValueError(f"p is {p}; the reduction needs a power of two")
    if n < 256 or n % 64:
        raise ValueError(f"n is {n}; a slab is made of whole columns of 64 particles, at least 4 of them")
