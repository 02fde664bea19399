"""Reads TAU's profiles, with a text file `profile.<node>.<context>.<thread>` for every thread of a run.

Paths are `run.p4/profile.0.0.0`, or `run.p4/MULTI__PAPI_L2_TCM/profile.0.0.0` for several metrics. The point
is in folders' names, or consists of the numbers of processes and threads, as `runs` describes. Times are in
microseconds.

With call paths, such as `main() => solve()`, the kernels are these paths, and functions that end no path.
Other functions would be counted twice. Paths that TAU has cut off (TAU_CALLPATH_DEPTH) may begin with any
function.
"""

import re
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ingest.formats.campaign.campaign import Campaign, FloatArray
from ingest.formats.campaign.names import SEPARATOR
from ingest.formats.campaign.notes import bounded_notes
from ingest.formats.campaign.origins import Origin, listed_nodes, origin_of
from ingest.formats.collecting.collector import Collector
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.source import Source
from ingest.formats.files.text import decoded, numbers
from ingest.formats.limits import Limits
from ingest.formats.runs.run_names import is_hidden
from ingest.formats.runs.run_points import mixed_note, runs_placed

NAME = "tau"
TITLE = "TAU profiles"
PACKED = CONTAINED = True
OPTIONS = {
    "scaling": (
        "how a run's processes and threads are combined: weak (their mean, the default), strong (their sum), "
        "threaded (the mean of those that are not 0), ranks (each is a repetition)"
    ),
    "inclusive": "yes to include a kernel's callees in its values, else no",
}
FILE = re.compile(
    r"(?P<run>(?:[^/]+/)*?)(?:MULTI__[^/]*/)?"
    r"profile\.(?P<node>\d{1,9})\.(?P<context>\d{1,9})\.(?P<thread>\d{1,9})"
)
FIRST_LINE = re.compile(r"(\d{1,9}) templated_functions(?:_MULTI_(\S{1,80}))?")
STARTED = ("Local Time", "Starting Timestamp")
ORIGIN_ENTRY = re.compile(
    rb"<name>(Hostname|Local Time|Starting Timestamp|SLURM_JOB_ID|PBS_JOBID|LSB_JOBID)</name>"
    rb"<value>([^<]{1,200})</value>"
)
"""Matches the entries in a file's second line about where and when the run took place."""
LOCATION = re.compile(r" \[\{[^{}]*\}(?: \{[0-9,]*\}(?:-\{[0-9,]*\})?)?\]")
"""The position of a function in the source code, which changes between versions and is removed."""
CALLS, TIME = "calls", "time"
Levels = tuple[str, ...]
TIMES = re.compile(r"TIME|TIMERS", re.IGNORECASE)
CALLER = "=>"
COLUMN_COUNT = 5
"""Number of columns: calls, subroutine calls, exclusive value, inclusive value, profiled calls."""

SCALINGS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "weak": lambda values: values.mean(keepdims=True),
    "strong": lambda values: values.sum(keepdims=True),
    "threaded": lambda values: values[values != 0].mean(keepdims=True) if values.any() else np.zeros(1),
    "ranks": lambda values: values,
}


@dataclass
class Run:
    """The content of a run's files.

    Attributes:
        values: (kernel, metric) → a value for each thread that has one.
        origin_entries: name of an entry about the origin → its values in the files.
    """

    threads: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    values: dict[tuple[str, str], "array[float]"] = field(default_factory=dict)
    counted: set[tuple[str, str, str]] = field(default_factory=set)
    origin_entries: dict[str, set[str]] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Return the number of threads of all processes."""
        return sum(map(len, self.threads.values()))

    @property
    def origin(self) -> Origin | None:
        """Return the job, the nodes and the day of the run, as far as its files tell."""
        origin_entries = {
            name: listed_nodes(values) for name, values in self.origin_entries.items() if name not in STARTED
        }
        started = (value for name in STARTED for value in sorted(self.origin_entries.get(name, ())))
        return origin_of({**origin_entries, "time": next(started, "")})

    @property
    def counts(self) -> dict[str, float]:
        """Return the number of processes, and the largest number of threads of a process."""
        return {"processes": float(len(self.threads)), "threads": float(max(map(len, self.threads.values())))}


def recognises(source: Source) -> bool:
    """Recognise an archive or a folder with profiles, or a single profile."""
    if source.packed:
        return any(map(_is_profile, source.names))
    return FIRST_LINE.fullmatch(source.first_line) is not None


def _is_profile(name: str) -> bool:
    return not is_hidden(name) and FILE.fullmatch(name) is not None


def read(source: Source) -> Campaign:
    """Read the files. Runs with unreadable files are left out, unless no run is readable."""
    scaling, inclusive = _chosen(source.options)
    found, errors, units = _runs(source, inclusive=inclusive)
    if not found:
        raise next(iter(errors.values()))
    counts = (lambda: {path: run.counts for path, run in found.items()}) if source.packed else None
    runs = runs_placed(list(found), source.place, counts)
    collector, negative = Collector(source.limits), 0
    collector.declare(runs.parameters)
    for path, coordinates in runs.points.items():
        run = found[path]
        point = collector.point(coordinates, run.origin)
        for (kernel, metric), known in run.values.items():
            values = np.zeros(run.size)  # the value is 0 for threads that never called the function
            values[: len(known)] = known
            negative += int((values < 0).sum())
            collector.add(collector.series(kernel, metric), point, scaling(values.clip(0)).tolist(), 0)
    campaign = collector.campaign(NAME)
    mixed = mixed_note((point, name) for name, point in runs.points.items())
    notes = (*runs.notes, *mixed, *_notes(errors, negative), *campaign.notes)
    return replace(campaign, units=units, metadata=runs.metadata, notes=notes)


def _notes(errors: Mapping[str, FormatError], negative: int) -> tuple[str, ...]:
    left = [f"left out: {error}" for error in errors.values()]
    if negative:
        left.append(f"{negative} negative values, such as of compensated overhead, count as 0")
    return bounded_notes(left)


def _chosen(options: Mapping[str, str]) -> tuple[Callable[[FloatArray], FloatArray], bool]:
    scaling, inclusive = options.get("scaling", "weak"), options.get("inclusive", "no")
    if scaling not in SCALINGS:
        raise FormatError(f"the scaling {quoted(scaling)}", f"one of {', '.join(SCALINGS)}")
    if inclusive not in ("yes", "no"):
        raise FormatError(f"inclusive = {quoted(inclusive)}", "yes or no")
    return SCALINGS[scaling], inclusive == "yes"


def _runs(
    source: Source, *, inclusive: bool
) -> tuple[dict[str, Run], dict[str, FormatError], dict[str, str]]:
    """Return the runs by their folder, the errors of unreadable runs, and the units of metrics."""
    found, errors, units = dict[str, Run](), dict[str, FormatError](), {CALLS: ""}
    for name, data in source.files(_is_profile):
        place = FILE.fullmatch(name) if source.packed else None
        path = place["run"] or "/" if place else source.name
        node, context, thread = (
            (place["node"], place["context"], place["thread"]) if place else ("0", "0", "0")
        )
        try:
            metric, functions = _profile(data, source.limits)
        except FormatError as error:
            errors.setdefault(path, error.inside(name) if source.packed else error)
            continue
        run = found.setdefault(path, Run())
        for fact, value in ORIGIN_ENTRY.findall(data.split(b"\n", 2)[1]):
            run.origin_entries.setdefault(fact.decode(), set()).add(value.decode(errors="replace"))
        run.threads.setdefault((node, context), set()).add(thread)
        units[metric] = "us" if TIMES.search(metric) else ""
        _add(run, metric, functions, inclusive=inclusive, counts=(node, context, thread) not in run.counted)
        run.counted.add((node, context, thread))
    return {path: run for path, run in found.items() if path not in errors}, errors, units


def _add(run: Run, metric: str, functions: dict[str, list[float]], *, inclusive: bool, counts: bool) -> None:
    for kernel, (calls, exclusive, whole) in functions.items():
        run.values.setdefault((kernel, metric), array("d")).append(whole if inclusive else exclusive)
        if counts:  # the files of all metrics have the same counts
            run.values.setdefault((kernel, CALLS), array("d")).append(calls)


def _profile(data: bytes, limits: Limits) -> tuple[str, dict[str, list[float]]]:
    """Return the metric of a file, and calls, exclusive value and inclusive value of each kernel."""
    lines = decoded(data, 1).split("\n")
    first = FIRST_LINE.fullmatch(lines[0].strip())
    if first is None:
        expected = "a first line such as “16 templated_functions_MULTI_TIME”"
        raise FormatError(quoted(lines[0]), expected, 1)
    metric = first[2] if first[2] and first[2] != "TIME" else TIME
    count = int(first[1])
    if len(lines) < count + 2:
        raise FormatError(
            f"{max(len(lines) - 2, 0)} lines for {count} functions", "a line for each function", len(lines)
        )
    functions = dict[Levels, list[float]]()
    for number, line in enumerate(lines[2 : count + 2], 3):
        levels, values = _function(line, number)
        known = functions.get(levels, [0.0] * len(values))
        functions[levels] = [one + other for one, other in zip(known, values, strict=True)]
    return metric, _counted_once(functions)


def _function(line: str, number: int) -> tuple[Levels, list[float]]:
    """Return the names in a line's call path, and its calls, exclusive value and inclusive value."""
    head, _, _ = line.rpartition(' GROUP="')
    name, quote, rest = (head or line).rpartition('"')
    if not quote or not name.startswith('"'):
        raise FormatError(quoted(line), 'a line such as "main" 1 0 12.5 20 0 GROUP="TAU_DEFAULT"', number)
    try:
        values = numbers(rest)
    except FormatError as error:
        raise error.at(number) from None
    if len(values) != COLUMN_COUNT:
        raise FormatError(
            f"{len(values)} numbers after {quoted(name[1:])}", f"{COLUMN_COUNT} numbers", number
        )
    names = (LOCATION.sub("", level).strip().replace(SEPARATOR, "→") for level in name[1:].split(CALLER))
    return tuple(level or "unknown" for level in names), [values[0], values[2], values[3]]


def _counted_once(functions: Mapping[Levels, list[float]]) -> dict[str, list[float]]:
    """Return the call paths, and those functions with which no path ends."""
    called = {name for levels in functions for name in levels[1:]}
    return {
        SEPARATOR.join(levels): values
        for levels, values in functions.items()
        if len(levels) > 1 or levels[0] not in called
    }
