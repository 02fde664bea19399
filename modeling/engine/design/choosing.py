"""Chooses runs one after the other, each by its expected information given the earlier ones.

Gains shrink as more is known, so the greedy choice is near the best one (Krause and Guestrin 2005).
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from modeling.engine.validation import FloatArray

LITTLE = 0.001
"""Smallest share of the open variance that a run in a plan has to settle. The value trades cheap runs that
barely narrow the interval against plans that end early. Where costs differ by powers of ten, many cheap
runs inform more than one expensive run: with 0.01 these cheap runs were excluded, and 21 replayed
campaigns took nearly twice the core hours (`tests/benchmarks/next_measurement.py`).
"""

LITTLE_TOGETHER = 0.05
"""Smallest share of the open variance that all runs of a plan have to settle together: below it an
interval narrows by less than 3 %, for which nobody starts jobs.
"""

POWER = 0.5
"""Power of the cost by which gains are divided: half way from gain per run to gain per core hour. Costs
are known, while gains are estimates by a model that the next run may refute, so neither is followed
alone. In 14 replays of measured campaigns 0.5 took fewer core hours than 0.3 and 0.7; in 4 others,
which were not used to set it, it took as many as random orders
(`tests/benchmarks/next_measurement.py`).
"""


class State(Protocol):
    """An open question, and the information that runs would add."""

    def open(self) -> float:
        """Return how much is open, in the question's own measure."""

    def gains(self, noise: FloatArray) -> FloatArray:
        """Return how much of it a run at each candidate settles, (C,)."""

    def after(self, candidate: int, noise: FloatArray) -> "State":
        """Return the state after a run."""


@dataclass(frozen=True)
class Question:
    """The input of a choice.

    It consists of candidates (C, m), core hours of a run (C,), noise (K,) of a run, the open state, and the
    amount that may stay open; `state` is None if nothing is open at all.
    """

    candidates: FloatArray
    costs: FloatArray
    noise: FloatArray
    state: State | None
    enough: float


@dataclass(frozen=True)
class Choice:
    """The result of a choice: candidates by index in the order of choice, what each settles, and what
    stays open.

    `ended` is the reason for the end: "reached", "budget", "pointless" or "runs".
    """

    runs: tuple[int, ...]
    gains: tuple[float, ...]
    left: float
    cost: float
    stopped: str

    @property
    def reached(self) -> bool:
        """Return whether the goal is expected to be reached."""
        return self.stopped == "reached"


def chosen(question: Question, budget: float, runs: int) -> Choice:
    """Choose runs until the goal is reached, by gain over cost to the power `POWER`."""
    state, spent = question.state, 0.0
    made: list[int] = []
    gains: list[float] = []
    stopped = "runs"
    while state is not None and len(made) < runs and state.open() > question.enough:
        gain = state.gains(question.noise)
        worth = gain >= LITTLE * state.open()
        affordable = question.costs <= budget - spent
        if not (worth & affordable).any():
            stopped = "budget" if worth.any() else "pointless"
            break
        score = np.where(worth & affordable, gain / question.costs**POWER, -np.inf)
        best = int(np.argmax(score))
        made.append(best)
        gains.append(float(gain[best]))
        spent += float(question.costs[best])
        state = state.after(best, question.noise)
    left = 0.0 if state is None else state.open()
    if stopped == "pointless" and question.state and sum(gains) < LITTLE_TOGETHER * question.state.open():
        return Choice((), (), question.state.open(), 0.0, stopped)
    if left <= question.enough:
        stopped = "reached"
    return Choice(tuple(made), tuple(gains), left, spent, stopped)
