"""Choose runs one after the other, which is near the optimum (Krause and Guestrin 2005).

Plans for measured programs use it (`following`). Designs for new programs are in `first` and `deduced`.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from modeling.engine.validation import FloatArray

LITTLE = 0.001
"""Every planned run reduces `State.open` by at least this share of it. With 0.01, plans of 21 replayed
campaigns took nearly twice the core hours (`tests/benchmarks/next_measurement.py`).
"""

LITTLE_TOGETHER = 0.05
"""If no further run would help, the whole plan must reduce `State.open` by at least this share."""

REMAINDER = 0.1
"""If a plan misses its goal with core hours left, the last runs that together have less than this share of
all gains are dropped. In a plan for the code RELeARN, eight of twelve runs took four fifths of the core hours
for 1 % of the interval.
"""

POWER = 0.5
"""Power of the cost by which gains are divided: 0 means gain per run, and 1 gain per core hour. In 14 replays
of measured campaigns, 0.5 took fewer core hours than 0.3 and 0.7. In 4 other replays, plans took as many core
hours as runs in random order (`tests/benchmarks/next_measurement.py`).
"""


class State(Protocol):
    """An open question: a variance, or missing evidence, that runs reduce."""

    def open(self) -> float:
        """Return what runs should reduce: a variance, or the missing logarithm of a Bayes factor."""

    def gains(self, noise: FloatArray) -> FloatArray:
        """Return by how much a run at each of C candidates reduces `open`, (C,)."""

    def after(self, candidate: int, noise: FloatArray) -> "State":
        """Return the state after a run at a candidate."""


@dataclass(frozen=True)
class Question:
    """An open question and the runs that may answer it.

    Attributes:
        candidates: (C, m) C points of m parameters.
        costs: (C,) core hours of a run at each candidate.
        noise: (K,) variance of a log run of each of K kernels.
        state: what runs should reduce, or None.
        enough: the goal is reached if `State.open` is at most this.
    """

    candidates: FloatArray
    costs: FloatArray
    noise: FloatArray
    state: State | None
    enough: float


@dataclass(frozen=True)
class Choice:
    """The chosen runs, and why the choice ended.

    Attributes:
        runs: indices of the candidates in the order of choice.
        gains: gain of each run.
        left: `State.open` after the runs.
        cost: core hours of all runs.
        stopped: "reached" (the goal), "budget" (too small for another run), "pointless" (further runs
            would hardly help) or "runs" (their limit).
        passed_over: share by which runs would reduce `State.open`, if it is below `LITTLE_TOGETHER`; else 0.
    """

    runs: tuple[int, ...]
    gains: tuple[float, ...]
    left: float
    cost: float
    stopped: str
    passed_over: float = 0.0

    @property
    def reached(self) -> bool:
        """Return whether these runs are expected to reach the goal."""
        return self.stopped == "reached"


def chosen(question: Question, budget: float, runs: int, power: float = POWER) -> Choice:
    """Choose at most `runs` runs within the budget by gain / cost^`power`, until the goal is reached."""
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
        score = np.where(worth & affordable, gain / question.costs**power, -np.inf)
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
        return unchosen(question, sum(gains) / question.state.open())
    if left <= question.enough:
        stopped = "reached"
    return Choice(tuple(made), tuple(gains), left, spent, stopped)


def unchosen(question: Question, passed_over: float = 0.0) -> Choice:
    """Return a choice of no runs, because runs would help too little (see `Choice.passed_over`)."""
    return Choice((), (), question.state.open() if question.state else 0.0, 0.0, "pointless", passed_over)


def _without_remainder(made: list[int], gains: list[float]) -> tuple[list[int], list[float]]:
    """Leave out the last runs that together contribute less than the share `REMAINDER` of all gains."""
    settled = np.cumsum(gains)
    kept = int(np.searchsorted(settled, (1 - REMAINDER) * settled[-1])) + 1 if len(gains) else 0
    return made[:kept], gains[:kept]


def _after(question: Question, made: list[int]) -> State | None:
    state = question.state
    for at in made:
        state = state.after(at, question.noise) if state is not None else None
    return state
