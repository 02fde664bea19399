"""Find where present numbers differ from the frozen numbers of a report."""

from collections.abc import Mapping
from dataclasses import dataclass

from modeling.models import Alert
from modeling.selectors.reports.content import Amount, Content, KernelContent, LawContent
from modeling.selectors.run.snapshot import over
from modeling.verdicts import Verdict

MOVED = 0.01
"""Smallest relative difference that is listed."""


@dataclass(frozen=True)
class Moved:
    """A number that changed, with its values then and now in units of the metric."""

    what: str
    path: str
    target: str
    then: Amount | None
    now: Amount | None

    @property
    def ratio(self) -> float | None:
        """Return now / then."""
        before, after = (each["predicted"] if each else None for each in (self.then, self.now))
        return over(after, before)


@dataclass(frozen=True)
class LawMoved:
    """A kernel whose law now has a different form."""

    name: str
    path: str
    then: LawContent
    now: LawContent


@dataclass(frozen=True)
class VerdictMoved:
    """A kernel whose verdict since the previous version is now different."""

    name: str
    path: str
    then: Verdict
    now: Verdict


@dataclass(frozen=True)
class Since:
    """All differences since a report was made. `before` are the previous version's labels."""

    engines: tuple[str, str]
    before: tuple[str, str]
    totals: list[Moved]
    kernels: list[Moved]
    laws: list[LawMoved]
    verdicts: list[VerdictMoved]
    alerts: list[tuple[str, int, int]]

    @property
    def nothing(self) -> bool:
        """Return whether all numbers are still those of the report."""
        moved = (self.totals, self.kernels, self.laws, self.verdicts, self.alerts)
        return not any(moved) and self.before[0] == self.before[1]


def since(then: Content, now: Content) -> Since | None:
    """Return the differences between a report and its present content; None if parameters differ."""
    names = [[parameter["name"] for parameter in each["parameters"]] for each in (then, now)]
    if names[0] != names[1]:
        return None
    befores = [each["comparison"]["before"]["label"] if each["comparison"] else "" for each in (then, now)]
    return Since(
        engines=(then["engine"], now["engine"]),
        before=(befores[0], befores[1]),
        totals=_totals(then, now),
        kernels=_kernels(then, now),
        laws=_laws(then, now),
        verdicts=_verdicts(then, now),
        alerts=_alerts(then, now),
    )


def _totals(then: Content, now: Content) -> list[Moved]:
    pairs = zip(then["targets"], now["targets"], strict=True)
    found = [Moved("total", "", old["name"], old["total"], new["total"]) for old, new in pairs]
    return [each for each in found if _moved(each)]


def _kernels(then: Content, now: Content) -> list[Moved]:
    """Return the differences of the report's own kernels."""
    later = {kernel["path"]: kernel for kernel in now["kernels"]}
    names = [target["name"] for target in then["targets"]]
    found = [
        Moved(kernel["name"], kernel["path"], name, kernel["at"][at]["amount"], _amount(later, kernel, at))
        for kernel in then["kernels"]
        for at, name in enumerate(names)
    ]
    return [each for each in found if _moved(each)]


def _amount(later: Mapping[str, KernelContent], kernel: KernelContent, at: int) -> Amount | None:
    found = later.get(kernel["path"])
    return found["at"][at]["amount"] if found else None


def _moved(pair: Moved) -> bool:
    """Return whether a number differs by more than `MOVED`, or is known only then or now."""
    if pair.then is None or pair.now is None:
        return pair.then is not pair.now
    before, after = ((each["predicted"], each["lower"], each["upper"]) for each in (pair.then, pair.now))
    return any(_apart(old, new) for old, new in zip(before, after, strict=True))


def _apart(old: float | None, new: float | None) -> bool:
    if old is None or new is None:
        return old is not new
    return abs(new - old) > MOVED * max(abs(old), abs(new))


def _laws(then: Content, now: Content) -> list[LawMoved]:
    later = {kernel["path"]: kernel for kernel in now["kernels"]}
    pairs = [(kernel, later[kernel["path"]]) for kernel in then["kernels"] if kernel["path"] in later]
    return [
        LawMoved(old["name"], old["path"], old["law"], new["law"])
        for old, new in pairs
        if _terms(old["law"]) != _terms(new["law"])
    ]


def _terms(law: LawContent) -> tuple[bool, frozenset[tuple[float, ...]], int]:
    """Return a law without coefficients: whether it exists, its terms, its number of segments."""
    width = len(law["exponents"]) // max(len(law["coefficients"]), 1)
    terms = frozenset(
        tuple(law["exponents"][at * width : (at + 1) * width])
        for at, coefficient in enumerate(law["coefficients"])
        if coefficient
    )
    segments = len(law["segments"]["earlier"]) if law["segments"] else 0
    return law["constant"] is not None, terms, segments


def _verdicts(then: Content, now: Content) -> list[VerdictMoved]:
    old, new = _changed(then), _changed(now)
    same = Verdict.SAME.value
    found = [
        VerdictMoved(name, path, Verdict(old.get((name, path), same)), Verdict(new.get((name, path), same)))
        for name, path in sorted(old.keys() | new.keys())
    ]
    return [each for each in found if each.then is not each.now]


def _changed(report: Content) -> dict[tuple[str, str], str]:
    changes = report["comparison"]["changes"] if report["comparison"] else []
    return {(change["name"], change["path"]): change["verdict"] for change in changes}


def _alerts(then: Content, now: Content) -> list[tuple[str, int, int]]:
    """Return the numbers of the version's alerts then and now, for states with a difference."""
    old, new = then["alerts"]["here"], now["alerts"]["here"]
    states = [state for state in Alert.State.values if old.get(state, 0) != new.get(state, 0)]
    return [(state, old.get(state, 0), new.get(state, 0)) for state in states]
