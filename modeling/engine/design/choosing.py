"""Runs chosen one after the other, each by what it is expected to tell given the earlier ones.

Gains shrink as more is known, so that the greedy choice is near the best one (Krause and Guestrin 2005).
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from modeling.engine.validation import FloatArray

LITTLE = 0.001
"""Share of what is still open that a run has to settle to be worth its place in a plan: it trades cheap runs
that barely move the interval against plans that end early. Where costs differ by powers of ten, many cheap
runs tell more than one dear run: with 0.01, and the cheapest of plans by several powers of the cost, they
were passed over, and 21 replayed campaigns took nearly twice the core hours
(`tests/benchmarks/next_measurement.py`)."""

LITTLE_TOGETHER = 0.05
"""Share of what is open that all runs of a plan have to settle together: below it an interval narrows by less
than 3 %, which nobody starts jobs for."""

REMAINDER = 0.1
"""Share of what a plan settles that its last runs have to settle together, where the goal is out of reach: it
trades the last tenth of a gain against core hours that buy next to nothing. Of RELeARN's plan with three
parameters the last eight of twelve runs took four fifths of the core hours for 1 % of the interval."""

POWER = 0.5
"""Power of the cost by which gains are divided: half way from gain per run to gain per core hour. Costs are
known, while gains are guesses of a model that the next run may prove wrong, so that neither alone is
followed. In 14 replays of measured campaigns 0.5 took fewer core hours than 0.3 and 0.7; in 4 others, which
set nothing here, it took as many as random orders (`tests/benchmarks/next_measurement.py`)."""


class State(Protocol):
    """What is open, and what runs would tell about it."""

    def open(self) -> float:
        """How much is open."""

    def gains(self, noise: FloatArray) -> FloatArray:
        """How much of it a run at each candidate settles, (C,)."""

    def after(self, candidate: int, noise: FloatArray) -> "State":
        """What is open after a run."""


@dataclass(frozen=True)
class Question:
    """Candidates (C, m), the core hours of a run (C,), the noise (K,) of one, what is open, and what may
    stay so; `state` is None where nothing is open at all."""

    candidates: FloatArray
    costs: FloatArray
    noise: FloatArray
    state: State | None
    enough: float


@dataclass(frozen=True)
class Choice:
    """Candidates by number in the order of choice, what each settles, what is left open, and why it ends
    there: "reached", "budget", "pointless" or "runs". `passed_over`: the share of what is open that runs
    would settle which together tell too little to be chosen."""

    runs: tuple[int, ...]
    gains: tuple[float, ...]
    left: float
    cost: float
    stopped: str
    passed_over: float = 0.0

    @property
    def reached(self) -> bool:
        """Whether the goal is expected to be reached."""
        return self.stopped == "reached"


def chosen(question: Question, budget: float, runs: int) -> Choice:
    """Runs until the goal is reached, by gain over cost to `POWER`."""
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
    if stopped != "budget" and state is not None and state.open() > question.enough:
        made, gains = _without_remainder(made, gains)
        state, spent = _after(question, made), float(question.costs[made].sum())
    left = 0.0 if state is None else state.open()
    if stopped == "pointless" and question.state and sum(gains) < LITTLE_TOGETHER * question.state.open():
        start = question.state.open()
        return Choice((), (), start, 0.0, stopped, sum(gains) / start)
    if left <= question.enough:
        stopped = "reached"
    return Choice(tuple(made), tuple(gains), left, spent, stopped)


def _without_remainder(made: list[int], gains: list[float]) -> tuple[list[int], list[float]]:
    """The first runs, without the last ones that together settle hardly anything."""
    settled = np.cumsum(gains)
    kept = int(np.searchsorted(settled, (1 - REMAINDER) * settled[-1])) + 1 if len(gains) else 0
    return made[:kept], gains[:kept]


def _after(question: Question, made: list[int]) -> State | None:
    state = question.state
    for at in made:
        state = state.after(at, question.noise) if state is not None else None
    return state
