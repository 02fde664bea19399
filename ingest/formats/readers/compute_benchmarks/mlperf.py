"""Reads MLPerf's logs (`:::MLLOG {…}` in each line): intervals between events such as run_start and run_stop.

An interval is a kernel, and its length is a repetition, so that epochs are repetitions. Batch sizes, samples,
processes and nodes are parameters. A further init_start or run_start begins another run.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.collecting.entries import Entry, campaign_of
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.json_text import load, members
from ingest.formats.files.source import Source
from ingest.formats.files.text import check_unmeasured

NAME, TITLE = "mlperf", "MLPerf log"
MARK = ":::MLL"
LINE = re.compile(r".{0,200}?:::MLL(?:OG)?\s+(?P<event>\{.*\})")
"""Matches an event, perhaps after the number of the process."""
DEPTH = 8
START, STOP = re.compile(r"(\w{1,80})_start"), re.compile(r"(\w{1,80})_(?:stop|end)")
RUNS = {"init", "run"}
PARAMETERS = {
    "global_batch_size",
    "train_samples",
    "eval_samples",
    "sequence_length",
    "gradient_accumulation_steps",
    "number_of_ranks",
    "number_of_nodes",
    "accelerators_per_node",
}
"""Keys of the events whose values are parameters."""


@dataclass
class Run:
    """A run. For each interval: when it began on the clock, and its lengths, in milliseconds."""

    line: int
    parameters: dict[str, float] = field(default_factory=dict)
    begun: dict[str, float] = field(default_factory=dict)
    ended: dict[str, list[float]] = field(default_factory=dict)


def recognises(source: Source) -> bool:
    """Recognise the mark of an event."""
    return MARK in source.head and any(LINE.match(line) for line in source.head.splitlines())


def read(source: Source) -> Campaign:
    """Read the log event by event."""
    campaign = campaign_of(_entries(source), source.limits, NAME)
    return replace(campaign, units={"time": "ms"})


def _entries(source: Source) -> Iterator[Entry]:
    for run in _runs(source):
        for kernel, times in run.ended.items():
            yield Entry(kernel, run.parameters, {"time": times}, run.line)


def _runs(source: Source) -> Iterator[Run]:
    run, others = Run(1), 0
    for line, text in source.lines():
        event = _event(text)
        if event is None:
            others += 1
            check_unmeasured(others, source.limits, line)
            continue
        key, time = event.get("key"), event.get("time_ms")
        if not isinstance(key, str) or not isinstance(time, float):
            raise FormatError(f"the event {quoted(key)} at {quoted(time)}", "a text and a number of ms", line)
        if (start := START.fullmatch(key)) and start[1] in RUNS and "run" in run.ended:
            yield run
            run = Run(line)
        _take(run, key, time, event.get("value"))
    yield run


def _event(text: str) -> dict[str, Any] | None:
    found = LINE.fullmatch(text) if MARK in text else None
    if found is None:
        return None
    try:
        return members(load(found["event"], DEPTH), "an object for each event")
    except FormatError:
        return None  # processes that print at once may have mixed their lines


def _take(run: Run, key: str, time: float, value: object) -> None:
    """Add an event to a run."""
    if start := START.fullmatch(key):
        run.begun[start[1]] = time
    elif (stop := STOP.fullmatch(key)) and stop[1] in run.begun:
        run.ended.setdefault(stop[1], []).append(time - run.begun.pop(stop[1]))
    elif key in PARAMETERS and isinstance(value, float):
        run.parameters[key] = value
