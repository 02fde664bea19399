"""Chooses the parameters of a campaign among the numbers that are known about its runs.

Profilers record dozens of numbers with each run, including its date and its results. The choice depends on
the set of all runs, not on their order:

1. Numbers that the user sent with the runs, or named as wanted. If any are wanted, no others are chosen.
2. Varying numbers of processes and threads, and problem sizes, recognised by name (`roles`).
3. Other whole numbers that vary, if each value occurs in at least two runs, as in a designed experiment.
   The one with the fewest values is chosen in any case if the rules above give no parameter.
4. If nothing varies: one number of processes, the threads of each process, and all sizes.

A number is left out if earlier parameters determine it. Results, dates and identifiers are recognised by name
and left out. A note reports other numbers in which runs at one point differ.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ingest.formats.campaign.campaign import CONFIGURATION
from ingest.formats.campaign.roles import Kind, kind, precedence
from ingest.formats.collecting.entries import as_number
from ingest.formats.errors import FormatError, quoted
from ingest.formats.limits import Limits

Run = Mapping[str, float]

PROBLEM_SIZE = re.compile("problem_?size", re.IGNORECASE)
"""Part of names of sizes that end in another word, such as `ProblemSizeRunParam`."""
MOST_NUMBERS = 200
"""Limit on the numbers that are stored for one run."""
MOST_TOGETHER = 500_000
"""Limit on the numbers that are stored for all runs together."""
MOST_PARAMETERS = 8
"""Limit on the chosen parameters, unless the user asks for more. No campaign can distinguish more effects."""
SHOWN = 5
"""Limit on the names, values or points in one note."""

RESULTS = re.compile(
    r"elapsed|wall_?time|run_?time|launch|job_?id|merit|fom|clock|seed|version|hash|flops|checksum|residual"
    r"|(?<![a-z])(time(?!_?steps)|date|day|epoch|pid|uid|gid|rate|throughput|bandwidth|speed|energy|error"
    r"|performance|score)|(time|date)$|^(cali|spot|adiak)(?![a-z])",
    re.IGNORECASE,
)
"""Names of results of a run, or of numbers that identify a run."""
APART = "they cannot be parameters, because not all runs have them; send such runs as different campaigns"
HOW = "name the parameters in the option parameters, such as parameters={}, or on the campaign's page"


@dataclass(frozen=True)
class Shared:
    """Runs at one point that differ in numbers that are not parameters.

    Attributes:
        differing: name → ascending values, also of numbers that only some runs have.
    """

    point: Run
    runs: int
    differing: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True)
class Choice:
    """The result of `choose`.

    Attributes:
        parameters: names, numbers of processes first; `CONFIGURATION` alone if no number is usable.
        others: other varying numbers that are neither results nor identifiers nor equal to a parameter.
        shared: points whose runs differ in some of these others, in ascending order.
    """

    parameters: tuple[str, ...]
    others: tuple[str, ...]
    shared: tuple[Shared, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the notes for the campaign's owner."""
        named = [name for name in self.parameters if name != CONFIGURATION]
        how = HOW.format(",".join([*named, *self.others[:1]]))
        notes = [
            _note(found, how if not found.differing.keys().isdisjoint(self.others) else APART)
            for found in self.shared[:SHOWN]
        ]
        if len(self.shared) > SHOWN:
            notes.append(f"{len(self.shared) - SHOWN} more points have runs that differ like this")
        in_notes = {name for found in self.shared[:SHOWN] for name in found.differing}
        if rest := [name for name in self.others if name not in in_notes]:
            notes.append(f"{_listed(rest)} vary between runs but are not parameters; {how}")
        return tuple(notes)


def numbers(
    about: Mapping[str, object], limits: Limits, runs: int = 1, wanted: Iterable[str] = ()
) -> dict[str, float]:
    """Return the numbers of a run that could be coordinates: positive and of limited size.

    Args:
        runs: number of runs, which share the limit on stored numbers.
        wanted: names that are stored first. Names of results are stored last.
    """
    least, most = limits.coordinate
    found = {}
    for name, value in about.items():
        number = as_number(value)
        if number is not None and least <= number <= most and 0 < len(name) <= limits.name_characters:
            found[name] = number
    if len(found) > (kept := max(min(MOST_NUMBERS, MOST_TOGETHER // runs), limits.parameters)):
        first = set(wanted)
        names = sorted(
            found, key=lambda name: (name not in first, RESULTS.search(name) is not None, _order(name))
        )
        found = {name: found[name] for name in names[:kept]}
    return found


def choose(runs: Sequence[Run], wanted: Sequence[str] = (), given: Sequence[str] = ()) -> Choice:
    """Choose the parameters of these runs by the rules above.

    Args:
        runs: the known numbers of each run, by name. Their order does not matter.
        wanted: names that the user wants as parameters.
        given: names that the user sent with the runs. They always become parameters.

    Raises:
        FormatError: a wanted or given number is not known for every run.
    """
    common = sorted(set.intersection(*(set(run) for run in runs)))
    chosen = list(dict.fromkeys([*given, *wanted]))
    if missing := [name for name in chosen if name not in [*common, CONFIGURATION]]:
        expected = f"a number that all runs have: {', '.join(common)}" if common else "metadata with numbers"
        raise FormatError(f"some runs without a number {quoted(missing[0])}", expected)
    varying = [name for name in common if not RESULTS.search(name) and len({run[name] for run in runs}) > 1]
    if not wanted:
        chosen = _varied(varying, chosen, runs)
    chosen = chosen or _known(common) or [CONFIGURATION]
    others = [
        name
        for name in sorted(varying, key=_order)
        if not any(all(run[name] == run.get(known) for run in runs) for known in chosen)
    ]
    return Choice(tuple(chosen), tuple(others), tuple(_shared(runs, chosen)))


def coordinates(run: Run, parameters: Sequence[str]) -> list[float]:
    """Return the point of a run for these parameters."""
    return [run.get(name, 1.0) if name == CONFIGURATION else run[name] for name in parameters]


def _varied(varying: Sequence[str], given: Sequence[str], runs: Sequence[Run]) -> list[str]:
    """Return the given parameters, and varying numbers that earlier parameters do not determine."""
    chosen = list(given)
    for name in sorted(filter(_is_known, varying), key=_order):
        if not _determined(name, chosen, runs):
            chosen.append(name)
    counts = {name: Counter(run[name] for run in runs) for name in varying if not _is_known(name)}
    for name in sorted(counts, key=lambda name: (len(counts[name]), name)):
        whole = all(value.is_integer() for value in counts[name])
        designed = not chosen or min(counts[name].values()) > 1
        if whole and designed and not _determined(name, chosen, runs):
            chosen.append(name)
    return chosen[: max(MOST_PARAMETERS, len(given))]


def _determined(name: str, chosen: Sequence[str], runs: Sequence[Run]) -> bool:
    """Return whether the parameters that were chosen before determine this number."""
    seen: dict[tuple[float, ...], float] = {}
    return all(seen.setdefault(tuple(coordinates(run, chosen)), run[name]) == run[name] for run in runs)


def _known(common: Sequence[str]) -> list[str]:
    """Choose among constant numbers: one number of processes, the threads of each process, and the sizes."""
    names = sorted((name for name in common if _is_known(name) and not RESULTS.search(name)), key=_order)
    processes = [name for name in names if _kind(name) not in (Kind.THREADS, Kind.SIZE)]
    return [name for name in names if name not in processes[1:]][:MOST_PARAMETERS]


def _kind(name: str) -> Kind:
    found = kind(name)
    return Kind.SIZE if found is Kind.OTHER and PROBLEM_SIZE.search(name) else found


def _is_known(name: str) -> bool:
    return _kind(name) is not Kind.OTHER


def _order(name: str) -> tuple[tuple[int, int], str]:
    """Return a sort key: numbers of processes, then threads and sizes by name, then everything else."""
    return precedence("size" if _kind(name) in (Kind.THREADS, Kind.SIZE) else name), name


def _shared(runs: Sequence[Run], parameters: Sequence[str]) -> list[Shared]:
    """Return the points whose runs differ in numbers other than results."""
    groups: dict[tuple[float, ...], list[Run]] = {}
    for run in runs:
        groups.setdefault(tuple(coordinates(run, parameters)), []).append(run)
    found = []
    for point, group in sorted(groups.items(), key=lambda item: item[0]):
        names = {name for run in group for name in run if not RESULTS.search(name)}
        differing = {
            name: tuple(sorted({run[name] for run in group if name in run}))
            for name in sorted(names, key=_order)
            if len({run.get(name) for run in group}) > 1
        }
        if differing:
            found.append(Shared(dict(zip(parameters, point, strict=True)), len(group), differing))
    return found


def _note(found: Shared, how: str) -> str:
    where = ", ".join(f"{name} = {value:g}" for name, value in found.point.items() if name != CONFIGURATION)
    named = [
        f"{name} ({_listed([f'{value:g}' for value in values])})" for name, values in found.differing.items()
    ]
    return (
        f"{found.runs} runs share {f'the point {where}' if where else 'one point'} and count as its "
        f"repetitions, although they differ in {_listed(named)}; {how}"
    )


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words[:SHOWN]) + (f" and {len(words) - SHOWN} more" if len(words) > SHOWN else "")
