"""Runs chosen one after the other, each by what it is expected to tell given the earlier ones.

Gains shrink as more is known, so that the greedy choice is near the best one (Krause and Guestrin 2005). With
costs it may be far from it if gains per core hour alone decide: hence several powers of the cost.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from modeling.engine.validation import FloatArray

LITTLE = 0.01
"""Share of what is still open that a run has to settle to be worth its place in a plan: it trades cheap runs
that barely move the interval against plans that end early. Chosen, not tuned: with it plans of a few dozen
runs occur already. Where costs differ by powers of ten, many cheap runs below it may be worth more than one
dear
run
above."""

POWERS = (1.0, 0.5, 0.0)
"""Powers of the cost by which gains are divided: per core hour, in between, and per run."""


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
    there: "reached", "budget", "pointless" or "runs"."""

    runs: tuple[int, ...]
    gains: tuple[float, ...]
    left: float
    cost: float
    stopped: str

    @property
    def reached(self) -> bool:
        """Whether the goal is expected to be reached."""
        return self.stopped == "reached"


NEARLY = 1.05
"""Factor on the least that any choice leaves open, within which the cheapest one is taken. With 1 the last
percent of the variance may double a plan's cost; with 1.2 plans stop before what a further run of theirs
would
settle."""


def cheapest(question: Question, budget: float, runs: int) -> Choice:
    """The cheapest choice that reaches the goal.

    Where none does, since a budget ends or nothing else is worth its cost: the cheapest of those that leave
    nearly least open. Where only the number of runs ends them: what settles most per core hour, since more
    will follow.
    """
    choices = [chosen(question, budget, runs, power) for power in POWERS]
    reached = [choice for choice in choices if choice.reached]
    if not reached and all(choice.stopped == "runs" for choice in choices):
        return max(choices, key=lambda choice: sum(choice.gains) / choice.cost)
    least = min(choice.left for choice in choices)
    good = reached or [choice for choice in choices if choice.left <= max(least * NEARLY, least)]
    return min(good, key=lambda choice: (choice.cost, choice.left))


def chosen(question: Question, budget: float, runs: int, power: float) -> Choice:
    """Runs until the goal is reached, by gain over cost to a power."""
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
    left = 0.0 if state is None else state.open()
    if left <= question.enough:
        stopped = "reached"
    return Choice(tuple(made), tuple(gains), left, spent, stopped)
