"""Outputs of programs that print names and values: `Processes : 16`, `Total time = 104.27 seconds`.

Names give the roles of values, as in the header of a table: `Processes` is a parameter, `Total time` a
metric. Another name is a parameter if it comes before the first metric with several different whole numbers.
A parameter that comes again begins another run, with the same values of the others. If a metric comes first,
parameters belong to the metrics above them. `PCG Setup:` is the kernel of the metrics below it. If no line
names the processes, commands such as `mpirun -np 16 ./app` do. A file without parameters is one
configuration.

Similar values of a metric in a run are repetitions. If they keep rising, the metric is a clock, of
which the last value is read. Anything else is refused. With options, users choose the names, and the meaning
of further values.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from ingest.formats.campaign.campaign import CONFIGURATION, Campaign
from ingest.formats.campaign.names import DEFAULT_KERNEL, SEPARATOR
from ingest.formats.campaign.roles import Kind, kind
from ingest.formats.campaign.units import SECONDS
from ingest.formats.collecting.entries import Entry, campaign_of, level_of
from ingest.formats.errors import FormatError, LimitError, quoted
from ingest.formats.files.source import Source
from ingest.formats.files.text import check_unmeasured
from ingest.formats.readers.generic.named_values.lines import Named, Names, is_printed
from ingest.formats.table.pivot import is_number

NAME = "named-values"
TITLE = "Lines of names and values"
GENERAL = True
OPTIONS = {
    "parameters": "names of the lines that hold parameters, such as: Processes, N; no other lines do",
    "metrics": "names of the lines that hold measured values, such as: Total time; no other lines do",
    "repeated": "what further values of a metric in a run mean: one of repetitions, sum and last",
}
SECTION = re.compile(r"(?P<name>[A-Za-z][^\d:]{0,60})\s?:")
RULE = re.compile(r"[^\w]*")
CLOCK = 4
"""A metric with at least this many rising values in a run is a clock. Four repetitions rise by chance in 4 %
of all cases, three in 17 %.
"""
DOUBLED = 2.0
ALIKE = 3.0
"""Largest ratio of two repetitions. Values that differ more belong to different steps or phases."""
REPEATED: dict[str, Callable[[list[float]], list[float]]] = {
    "repetitions": lambda values: values,
    "sum": lambda values: [sum(values)],
    "last": lambda values: values[-1:],
}
"""Value of the option `repeated` → function from all values of a name to the repetitions of a run."""
SHARE = 20
"""Limit on the lines of text for each line with a name and a value. With more text, other lines have the
results.
"""
CELLS, ROWS = 3, 3
"""Lines of numbers with at least this many columns and rows are a table with the results."""
ENOUGH = 2
"""Smallest number of different values with which an unknown name can be a parameter."""
MOST_METRICS = 100
"""Limit on the different metrics of an output. Programs with more metrics print tables."""


@dataclass
class Run:
    """A run whose lines are being read.

    Attributes:
        line: its first line.
        parameters: values of all parameters, including those from lines before the run.
        own: names of the parameters that were set since the run began.
        behind: names of the parameters that are printed after their metrics.
        section: the kernel of further metrics, or "".
        values: kernel and metric → all values in the run's lines.
    """

    line: int
    parameters: dict[str, float] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)
    behind: set[str] = field(default_factory=set)
    section: str = ""
    values: dict[tuple[str, str], list[float]] = field(default_factory=dict)

    def ends(self, named: Named, first: Named) -> bool:
        """Return whether a line belongs to the next run.

        `first` is the output's first line with a parameter or a metric.
        """
        if named.measured:
            return first.measured is True and named.name == first.name and bool(self.own)
        known = self.own if named.name in self.behind else self.parameters
        return bool(self.values) and named.name in known

    def follow(self, line: int) -> "Run":
        """Return the next run, which begins with the parameters of this one."""
        return Run(line, dict(self.parameters), behind=self.behind)

    def set(self, named: Named) -> None:
        """Set a parameter."""
        if self.values and named.name not in self.parameters:
            self.behind.add(named.name)
        self.parameters[named.name] = named.value
        self.own.add(named.name)


def recognises(source: Source) -> bool:
    """Recognise a metric with a parameter or a unit of time near the beginning of a printed output."""
    if not is_printed(source):
        return False
    lines = [line.strip() for line in source.head.splitlines() if line.strip()]
    names = _names_of(source)
    found = _beginning(source, names)
    if "metrics" in names.chosen:
        return any(named.measured for named in found)
    if len(found) * SHARE < len(lines) or _has_table(lines):
        return False
    kinds = {named.measured for named in found}
    timed = any(named.measured and named.unit.lower() in SECONDS for named in found)
    return {True, False} <= kinds or timed or bool(_settings(found))


def _names_of(source: Source) -> Names:
    """Return what finds the file's lines of names and values."""
    names = Names(source.options)
    printed = [named.name for named in _beginning(source, names) if named.measured is False]
    names.launched = "parameters" not in names.chosen and all(kind(name) != Kind.RANKS for name in printed)
    return names


def _beginning(source: Source, names: Names) -> list[Named]:
    """Return the names and values near the beginning of the file."""
    return [named for line in source.head.splitlines() if (named := names.named(line.strip()))]


def _has_table(lines: Sequence[str]) -> bool:
    """Return whether neighbouring lines have equally many cells, most of them numbers."""
    rows = [re.split(r"[,;\s]+", line) for line in lines]
    widths = [len(cells) if _is_row(cells) else 0 for cells in rows]
    return any(
        widths[place] >= CELLS and len(set(widths[place : place + ROWS])) == 1
        for place in range(len(lines) - ROWS + 1)
    )


def _is_row(cells: Sequence[str]) -> bool:
    return CELLS <= len(cells) < 2 * sum(map(is_number, cells))


def _settings(found: Iterable[Named]) -> set[str]:
    """Return unknown names that are parameters by their values.

    They are above the first metric, and have several values, all whole and above 0.
    """
    values, above, wrong = dict[str, set[float]](), True, set[str]()
    for named in found:
        above = above and not named.measured
        if named.measured is None and not named.unit and (above or named.name in values):
            known = values.setdefault(named.name, {named.value})
            if len(known) < ENOUGH:
                known.add(named.value)
            if named.value <= 0 or not named.value.is_integer():
                wrong.add(named.name)
    several = {name for name, known in values.items() if len(known) == ENOUGH}
    return set() if above else several - wrong


def read(source: Source) -> Campaign:
    """Read the output line by line."""
    repeated = source.options.get("repeated")
    if repeated is not None and repeated not in REPEATED:
        raise FormatError(f"the option repeated={quoted(repeated)}", f"one of {', '.join(REPEATED)}")
    units, names = dict[str, str](), _names_of(source)
    campaign = campaign_of(_entries(source, names, repeated, units), source.limits, NAME)
    metrics = dict.fromkeys(metric for _, metric in campaign.series)
    names.check_found([*campaign.parameters, *units])
    found = [name for name in campaign.parameters if name != CONFIGURATION]
    told = f"the parameters {', '.join(found)}, " if found else ""
    note = f"read from lines of names and values: {told}the metrics {', '.join(metrics)}"
    known = {metric: unit for metric, unit in units.items() if unit}
    return replace(campaign, units=known, notes=(note, *campaign.notes))


def _entries(source: Source, names: Names, repeated: str | None, units: dict[str, str]) -> Iterator[Entry]:
    """Yield an entry for each run, and collect the units of the metrics."""
    for run in _runs(source, names, units):
        for (section, metric), values in run.values.items():
            kernel = f"{DEFAULT_KERNEL}{SEPARATOR}{section}" if section else DEFAULT_KERNEL
            kept = REPEATED[repeated](values) if repeated else _repetitions(metric, values, run.line)
            if kept:
                yield Entry(kernel, run.parameters, {metric: kept}, run.line)


def _repetitions(metric: str, values: list[float], line: int) -> list[float]:
    """Return the repetitions of a metric in a run, given all its values.

    Of a clock, only the last value is returned, or none if its steps are equally long, as in simulated time.
    Values that double each time are no clock, but results of larger and larger problems.

    Raises:
        FormatError: the values differ too much to be repetitions.
    """
    rises = [latter / former for former, latter in pairwise(values)]
    if len(values) >= CLOCK and 1 < min(rises) < DOUBLED:
        steps = [latter - former for former, latter in pairwise(values)]
        return [] if max(steps) - min(steps) <= 1e-6 * max(steps) else values[-1:]
    if max(values) > ALIKE * min(values):
        found = f"{quoted(metric)} {len(values)} times in one run, from {min(values):g} to {max(values):g}"
        expected = (
            "one value in a run, or similar repetitions; choose with the option repeated=repetitions, "
            "repeated=sum or repeated=last what they mean, or name the lines to read: metrics=Total time"
        )
        raise FormatError(found, expected, line)
    return values


def _runs(source: Source, names: Names, units: dict[str, str]) -> Iterator[Run]:
    settings = _settings(_beginning(source, names))
    run, first, others = Run(1), None, 0
    for line, text in source.lines():
        named = names.named(text)
        if named is None or (named.measured is None and named.name not in settings):
            others += 1
            check_unmeasured(others, source.limits, line)
            run.section = _section(text, run.section)
            continue
        first = first or named
        if run.ends(named, first):
            yield run
            run = run.follow(line)
        if named.measured:
            _check_unit(named, units, line)
            values = run.values.setdefault((run.section, named.name), [])
            if len(values) >= source.limits.unmeasured:
                raise LimitError(
                    f"more than {source.limits.unmeasured} values of {quoted(named.name)} in one run",
                    "the lines with the results of each run, without those of single steps",
                    line,
                )
            values.append(named.value)
        else:
            run.set(named)
    yield run


def _section(text: str, before: str) -> str:
    """Return the kernel of the metrics below a line without a name and value."""
    if found := SECTION.fullmatch(text):
        return level_of(found["name"].strip())
    return before if RULE.fullmatch(text) else ""


def _check_unit(named: Named, units: dict[str, str], line: int) -> None:
    """Remember the unit of a metric.

    Raises:
        FormatError: it has another unit than before, or there are too many metrics.
    """
    unit = units.setdefault(named.name, named.unit)
    if unit != named.unit:
        raise FormatError(f"{quoted(named.name)} in {named.unit or 'no unit'}", f"{unit or 'no unit'}", line)
    if len(units) > MOST_METRICS:
        raise LimitError(f"more than {MOST_METRICS} names of metrics", f"at most {MOST_METRICS}", line)
