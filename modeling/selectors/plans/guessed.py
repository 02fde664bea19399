"""Guess the time and core hours of runs before anything was measured.

The time of the known run grows with powers of the parameters. The powers are uncertain, so guesses are
ranges.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from ingest.guessing.roles import parameter_role, process_parameter
from ingest.models import Application, Parameter
from modeling.engine import FloatArray
from modeling.engine.design.plans import value_told
from modeling.selectors.plans.question import Question

FACTOR = 1.5
"""Factor by which the known run's true time may differ from what the user remembers."""

TOLD = 0.25
"""Largest difference between the true power and the user's: the distance between exponents of laws."""


@dataclass(frozen=True)
class Growth:
    """The smallest, probable and largest power of a parameter with which a run's time grows."""

    least: float
    usual: float
    most: float


WITH_PROCESSES = Growth(-1.0, 0.0, 0.25)
"""Powers of the number of processes: perfect strong scaling, perfect weak scaling, growing communication."""

WITH_SIZE = Growth(0.0, 1.0, 3.0)
"""Powers of other parameters: constant work, linear work, and cubic work."""


@dataclass(frozen=True)
class Guess:
    """The guess that a run at `base` takes `seconds`, and that this time grows as `growths` say."""

    names: tuple[str, ...]
    base: tuple[float, ...]
    seconds: float
    growths: tuple[Growth, ...]

    def at(self, points: FloatArray) -> FloatArray:
        """Return the probable seconds of a run at each point."""
        return self._of(points, [growth.usual for growth in self.growths])

    def extremes(self, points: FloatArray) -> FloatArray:
        """Return the seconds of a run for all extreme powers, (2, 2^parameters, points).

        The first axis is for the shortest and the longest time of the known run.
        """
        ends = product(*((growth.least, growth.most) for growth in self.growths))
        found = np.array([self._of(points, powers) for powers in ends])
        return np.array([found / FACTOR, found * FACTOR])

    def _of(self, points: FloatArray, powers: Sequence[float]) -> FloatArray:
        return np.asarray(self.seconds * ((points / np.array(self.base)) ** np.array(powers)).prod(axis=1))


def guess_of(question: Question, processes: str | None) -> Guess:
    """Return the guess for a question. `processes` is the parameter that counts processes."""
    known, grows = dict(question.known), dict(question.grows)
    return Guess(
        names=question.names,
        base=tuple(known.get(name, min(series)) for name, series in question.values),
        seconds=question.seconds,
        growths=tuple(_growth(name, grows.get(name), processes) for name in question.names),
    )


def _growth(name: str, told: float | None, processes: str | None) -> Growth:
    if told is not None:
        return Growth(told - TOLD, told, told + TOLD)
    return WITH_PROCESSES if name == processes else WITH_SIZE


def guess_told(question: Question, guess: Guess) -> str:
    """Return sentences that state the assumptions of a guess."""
    where = ", ".join(
        f"{name} = {value_told(value)}" for name, value in zip(guess.names, guess.base, strict=True)
    )
    parts = " and ".join(
        _growth_told(name, growth) for name, growth in zip(guess.names, guess.growths, strict=True)
    )
    unsaid = [name for name in guess.names if name not in dict(question.grows)]
    more = f" Say how the time grows with {' and '.join(unsaid)} to narrow the range." if unsaid else ""
    return (
        f"Costs are guessed: a run at {where} takes {value_told(guess.seconds)} s, within a factor of "
        f"{FACTOR:g}, and its time {parts}.{more}"
    )


def _growth_told(name: str, growth: Growth) -> str:
    """Say how the time changes with a parameter: grows like n^2 (powers of n from 1.75 …)."""
    least, most = (f"{power:g}".replace("-", "−") for power in (growth.least, growth.most))
    possible = f"(powers of {name} from {least} to {most} are possible)"
    if growth.usual == 0:
        return f"does not depend on {name} {possible}"
    power = name if abs(growth.usual) == 1 else f"{name}^{abs(growth.usual):g}"
    return f"{'falls like 1/' if growth.usual < 0 else 'grows like '}{power} {possible}"


def parameters_named(
    application: Application, names: Sequence[str], roles: Mapping[str, str]
) -> tuple[Parameter, ...]:
    """Return unsaved parameters with stored or guessed roles. Only one parameter counts processes."""
    roles = {name: roles.get(name) or parameter_role(name) for name in names}
    counting = process_parameter(roles, names)
    other = Parameter.Role.OTHER
    return tuple(
        Parameter(
            application=application, name=name, position=at,
            role=other if roles[name] == Parameter.Role.PROCESSES and name != counting else roles[name],
        )
        for at, name in enumerate(names)
    )  # fmt: skip
