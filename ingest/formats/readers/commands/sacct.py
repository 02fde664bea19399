"""Jobs in the accounting of Slurm, as `sacct -P` (or `--parsable`) writes them, with bars between columns.

A job is a kernel by its name, and its steps are below it: `lulesh->lulesh2.0`; the steps batch, extern and
interactive only repeat the job. Numbers of nodes, tasks, CPUs and GPUs of the job are parameters. Elapsed
time, time of CPUs, memory and energy are metrics; a job's memory is the largest of its steps. Jobs and steps
that did not complete are left out. Parameters and metrics keep Slurm's names.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import DEFAULT_KERNEL, SEPARATOR
from ingest.formats.campaign.origins import origin_of
from ingest.formats.collecting.entries import Entry, campaign_of, level_of, within_limits
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.source import Source
from ingest.formats.table.cells import CLOCK, seconds_of

NAME, TITLE = "sacct", "Slurm's accounting (sacct)"
BAR = "|"
COMPLETED = "COMPLETED"
REPEATED = frozenset(("batch", "extern", "interactive"))
"""Steps that Slurm adds to each job."""
PARAMETERS = (("NNodes", "AllocNodes"), ("NTasks",), ("AllocCPUS", "NCPUS"))
"""Columns with parameters; of several with the same one, the first is read."""
GPUS = re.compile(r"\bgres/gpu=(\d{1,9})")
SIZE = re.compile(r"([0-9.]{1,20})([KMGTP]?)[nc]?")
SIZES = {"": 1.0, **{letter: 1024.0**power for power, letter in enumerate("KMGTP", 1)}}
UNITS = {"Elapsed": "s", "TotalCPU": "s", "MaxRSS": "B", "ConsumedEnergy": "J"}
Row = Mapping[str, str]


@dataclass
class Job:
    """The row of a job, those of its steps, and the line of the first one."""

    line: int
    row: Row | None = None
    steps: list[tuple[Row, int]] = field(default_factory=list)

    @property
    def whole(self) -> Row:
        """Return the row of the job, or of its first step if the table has only steps."""
        return self.row if self.row is not None else self.steps[0][0]


def recognises(source: Source) -> bool:
    """Recognise the names of sacct's columns, separated by bars."""
    names = {name.strip().lower() for name in source.first_line.split(BAR)}
    return not names.isdisjoint(("jobid", "jobidraw")) and not names.isdisjoint(("elapsed", "elapsedraw"))


def read(source: Source) -> Campaign:
    """Read the table job by job."""
    jobs, failed = dict[str, Job](), 0
    for row, line in within_limits(_rows(source), source.limits, lambda each: len(each[0])):
        if not row.get("state", COMPLETED).startswith(COMPLETED):
            failed += 1
            continue
        identity = row.get("jobid") or row.get("jobidraw", "")
        base, _, step = identity.partition(".")
        job = jobs.setdefault(base, Job(line))
        if step:
            job.steps.append((row, line))
        else:
            job.row = row
    campaign = campaign_of(_entries(jobs), source.limits, NAME)
    metrics = {metric for _, metric in campaign.series}
    notes = [f"{failed} jobs and steps that did not complete were left out"] if failed else []
    units = {metric: unit for metric, unit in UNITS.items() if metric in metrics}
    return replace(campaign, units=units, notes=(*notes, *campaign.notes))


def _rows(source: Source) -> Iterator[tuple[Row, int]]:
    """Yield the rows by names of columns in lower case, with their lines."""
    names = list[str]()
    for number, line in source.lines():
        cells = [cell.strip() for cell in line.split(BAR)]
        if not names:
            names = [cell.lower() for cell in cells]
        elif len(cells) != len(names):
            raise FormatError(f"a row of {len(cells)} cells", f"{len(names)} cells, as in the header", number)
        elif [cell.lower() for cell in cells] != names:
            yield dict(zip(names, cells, strict=True)), number


def _entries(jobs: Mapping[str, Job]) -> Iterator[Entry]:
    for identity, job in jobs.items():
        whole = job.whole
        tasks = max((_whole(step.get("ntasks", "")) for step in _launched(job)), default=0.0)
        parameters = _parameters(whole, tasks)
        origin = origin_of(
            {"job_id": identity, "nodelist": whole.get("nodelist", ""), "time": whole.get("start", "")}
        )
        name = level_of(whole.get("jobname", "")) or DEFAULT_KERNEL
        memory = max((_bytes(step.get("maxrss", "")) for step, _ in job.steps), default=0.0)
        rows = [] if job.row is None else [(name, job.row, job.line, memory)]
        for step, line in job.steps:
            called = level_of(step.get("jobname", "")) or name
            if called not in REPEATED:
                path = called if job.row is None else f"{name}{SEPARATOR}{called}"
                rows.append((path, step, line, 0.0))
        for path, row, line, least in rows:
            if values := _values(row, line, least):
                yield Entry(path, parameters, values, line, origin)


def _launched(job: Job) -> Iterable[Row]:
    """Return the steps that the job's script launched, and the job itself."""
    rows = [step for step, _ in job.steps if step.get("jobname") not in REPEATED]
    return rows if job.row is None else [*rows, job.row]


def _parameters(row: Row, tasks: float) -> dict[str, float]:
    found = {}
    for columns in PARAMETERS:
        values = {name: tasks if name == "NTasks" else _whole(row.get(name.lower(), "")) for name in columns}
        if name := next(filter(values.get, columns), ""):
            found[name] = values[name]
    if gpus := GPUS.search(row.get("alloctres", "")):
        found["GPUs"] = float(gpus[1])
    return found


def _whole(cell: str) -> float:
    return float(cell) if cell.isascii() and cell.isdigit() and len(cell) < 19 else 0.0


def _values(row: Row, line: int, memory: float) -> dict[str, list[float]]:
    """Return the values in a row by metric. `memory` is the largest of the job's steps."""
    try:
        values = {
            "Elapsed": _seconds(row.get("elapsedraw") or row.get("elapsed", "")),
            "TotalCPU": _seconds(row.get("totalcpu", "")),
            "MaxRSS": max(memory, _bytes(row.get("maxrss", ""))),
            "ConsumedEnergy": _whole(row.get("consumedenergyraw", "")),
        }
    except FormatError as error:
        raise error.at(line) from None
    return {name: [value] for name, value in values.items() if value}


def _seconds(cell: str) -> float:
    """Return a time such as 1-02:03:04, 02:03.456 or 7384 in seconds; 0 for an empty cell."""
    if not cell or cell.isdigit():
        return _whole(cell)
    clock = CLOCK.fullmatch(cell)
    if clock is None:
        raise FormatError(f"the time {quoted(cell)}", "a time such as 1-02:03:04 or 02:03.456")
    return seconds_of(clock)


def _bytes(cell: str) -> float:
    """Return a size such as 29590.50K in bytes; 0 for an empty cell."""
    size = SIZE.fullmatch(cell)
    try:
        return float(size[1]) * SIZES[size[2]] if size else 0.0
    except ValueError:
        return 0.0
