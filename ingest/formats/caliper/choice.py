"""Which of the things known of runs are their parameters."""

import re
from collections.abc import Sequence

from ingest.formats.errors import FormatError, quoted
from ingest.formats.limits import Limits
from ingest.formats.roles import Kind, kind, precedence

Globals = Sequence["dict[str, float]"]
RESULTS = re.compile(
    r"time|date|day|elapsed|merit|fom|clock|seed|pid|jobid|job_id|version|hash|flops|^cali\.|^spot\.|^adiak",
    re.IGNORECASE,
)


def numbers(run: "dict[str, str]", limits: Limits) -> "dict[str, float]":
    """What could be a coordinate: positive numbers."""
    least, most = limits.coordinate
    found = {}
    for name, text in run.items():
        try:
            value = float(text)
        except ValueError:
            continue
        if least <= value <= most and len(name) <= limits.name_characters:
            found[name] = value
    return found


def choose(runs: Globals, wanted: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names of the parameters, and of what else varies between the runs.

    Those that are wanted; else what varies, leaving out what looks like a result and what the parameters
    chosen before determine, such as the number of nodes for that of processes. A single run, or several at
    one point, has those whose names are known.

    Raises:
        FormatError: a wanted one is not there, or none was found.
    """
    common = [name for name in runs[0] if all(name in run for run in runs)]
    if missing := [name for name in wanted if name not in common]:
        raise FormatError(
            f"runs that do not all have a number {quoted(missing[0])}", f"one of {', '.join(common)}"
        )
    varying = [name for name in common if len({run[name] for run in runs}) > 1]
    candidates = sorted(varying or filter(_is_known, common), key=_order)
    chosen = list(wanted)
    if not chosen:
        for name in candidates:
            if not RESULTS.search(name) and not (varying and _determined(name, chosen, runs)):
                chosen.append(name)
        if not varying:
            chosen = _once(chosen)
    if not chosen:
        expected = "the option “parameters” with one or more of " + (
            ", ".join(common) or "the run's metadata"
        )
        raise FormatError("runs whose metadata names no parameter that is known", expected)
    return chosen, [name for name in varying if name not in chosen]


def _is_known(name: str) -> bool:
    return kind(name) != Kind.OTHER


def _order(name: str) -> tuple[tuple[int, int], str]:
    """Numbers of processes first, then threads and sizes by name, then everything else.

    The order is part of what is stored: campaigns are compared where they have the same parameters in it.
    """
    return precedence("size" if kind(name) == Kind.THREADS else name), name


def _determined(name: str, chosen: Sequence[str], runs: Globals) -> bool:
    """Whether the parameters chosen so far tell this one."""
    seen: dict[tuple[float, ...], float] = {}
    return all(seen.setdefault(tuple(run[key] for key in chosen), run[name]) == run[name] for run in runs)


def _once(names: list[str]) -> list[str]:
    """One number of processes is enough, with the threads of each."""
    kinds = {name: kind(name) for name in names}
    processes = [name for name in names if kinds[name].counts_processes and kinds[name] != Kind.THREADS]
    return [name for name in names if name not in processes[1:]]
