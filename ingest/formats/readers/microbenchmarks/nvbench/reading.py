"""Reads the JSON of nvbench (`--json results.json`): times of GPU kernels over the axes of a benchmark.

A state is a benchmark at one point of its axes. Axes with numbers are parameters. Types, texts and several
devices are part of the kernel's name. The file contains the mean of each time, in seconds. Skipped states are
left out.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.collecting.entries import Entry, as_number, campaign_of, entry, level_of
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.document import Document
from ingest.formats.files.documents.json_text import members
from ingest.formats.files.source import Source

NAME = "nvbench"
TITLE = "nvbench JSON"
TIMES = {
    "nv/cold/time/gpu/mean": "GPU time",
    "nv/batch/time/gpu/mean": "batch GPU time",
    "nv/cold/time/cpu/mean": "CPU time",
    "nv/cpu_only/time/cpu/mean": "CPU time",
}
"""Tag of a summary → metric."""


def recognises(source: Source) -> bool:
    """Recognise a JSON document with devices and benchmarks."""
    return source.keys >= {"devices", "benchmarks"} and "nvbench" in source.head


def read(source: Source) -> Campaign:
    """Read the document benchmark by benchmark."""
    document = source.document
    document.constants = True
    try:
        campaign = campaign_of(_states(document), source.limits, NAME)
    except FormatError as error:
        raise error.at(document.line) from None
    return replace(campaign, units=dict.fromkeys((metric for _, metric in campaign.series), "s"))


def _states(document: Document) -> Iterator[Entry]:
    document.enter("benchmarks")
    for _ in document.places():
        line = document.line_of_next
        of = members(document.value(), "an object for each benchmark")
        name, states = of.get("name"), _objects(of.get("states"), "each state")
        if not isinstance(name, str) or not states:
            raise FormatError(
                f"the benchmark {quoted(name)} without states", "a name and a list of states", line
            )
        several = len({repr(state.get("device")) for state in states}) > 1
        for state in states:
            parameters = _parameters(state, several=several)
            values = {metric: [value] for metric, value in _times(state)}
            if values and state.get("is_skipped") is not True:
                yield entry(level_of(name), parameters, values, line)


def _parameters(state: dict[str, Any], *, several: bool) -> dict[str, object]:
    """Return the values of the axes. The device is a text, because its number is not a size."""
    found: dict[str, object] = {}
    for fields in _objects(state.get("axis_values"), "each axis"):
        if isinstance(fields.get("name"), str):
            found[fields["name"]] = fields.get("value")
    device = state.get("device")
    return found | {"device": f"GPU {device:g}"} if several and isinstance(device, float) else found


def _times(state: dict[str, Any]) -> Iterator[tuple[str, float]]:
    for fields in _objects(state.get("summaries"), "each summary"):
        if metric := TIMES.get(str(fields.get("tag"))):
            for data in _objects(fields.get("data"), "each value"):
                if (value := as_number(data.get("value"))) is not None:
                    yield metric, value


def _objects(value: object, each: str) -> list[dict[str, Any]]:
    """Return the objects of a list, none if the list is missing. Raises FormatError for anything else."""
    expected = f"an object for {each}"
    if value is not None and not isinstance(value, list):
        raise FormatError(quoted(value), f"a list with {expected}")
    return [members(item, expected) for item in value or ()]
