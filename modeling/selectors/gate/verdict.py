"""The verdict of a policy on a version: whether each condition is met, and why."""

from dataclasses import dataclass

from ingest.models import Kernel, Metric
from modeling.selectors.gate.subject import GateSubject
from modeling.selectors.gate.wording import Ratio

NO_RATIO = Ratio(None, None, None)


@dataclass(frozen=True)
class Reason:
    """A reason why a condition is met, or how far it is from being met. For the total, `kernel` is None."""

    sentence: str
    metric: Metric | None = None
    kernel: Kernel | None = None
    probability: float | None = None
    change: Ratio = NO_RATIO


@dataclass(frozen=True)
class Outcome:
    """The outcome of a condition: whether it is met (None if unknown), and its number of reasons.

    A reason is a kernel, a total, or a growth that all kernels of a metric share. `reasons` lists some of
    them.
    """

    condition: str
    met: bool | None
    count: int
    reasons: tuple[Reason, ...]


@dataclass(frozen=True)
class GateVerdict:
    """The verdict on a version. While work is in progress, no condition is judged."""

    subject: GateSubject
    outcomes: tuple[Outcome, ...]

    @property
    def waiting(self) -> bool:
        """Return whether work is still in progress."""
        return bool(self.subject.waiting)

    @property
    def failed(self) -> bool:
        """Return whether a condition is met, so that the version is refused."""
        return any(outcome.met for outcome in self.outcomes)

    @property
    def undecided(self) -> bool:
        """Return whether the verdict is unknown, because work is unfinished or failed."""
        return self.waiting or (not self.failed and any(outcome.met is None for outcome in self.outcomes))

    @property
    def passed(self) -> bool:
        """Return whether all conditions were judged, and no condition is met."""
        return not self.failed and not self.undecided

    @property
    def sentences(self) -> list[str]:
        """Return why the version failed or is undecided, or how far it is from failing."""
        wanted = {"failed": True, "undecided": None, "passed": False}[self.word]
        chosen = [outcome for outcome in self.outcomes if outcome.met is wanted]
        found = [reason.sentence for outcome in chosen for reason in outcome.reasons]
        return list(dict.fromkeys(found))

    @property
    def word(self) -> str:
        """Return the verdict in one word."""
        return "failed" if self.failed else "undecided" if self.undecided else "passed"
