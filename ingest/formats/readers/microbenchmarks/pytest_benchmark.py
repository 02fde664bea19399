"""Reads the JSON of all versions of pytest-benchmark (`--benchmark-json`, `--benchmark-save`).

Rounds of one test are rounds of one process. Without `--benchmark-save-data`, the median replaces them.
Numeric arguments of a test are parameters; others become part of the kernel's name. Old versions write
arguments only in the test's name: `test_sort[8-quick]`.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any

import numpy as np

from ingest.formats.campaign.campaign import Campaign, FloatArray
from ingest.formats.collecting.entries import Entry, as_number, campaign_of, entry, level_of
from ingest.formats.collecting.metadata import metadata_of
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.document import Document, LengthError
from ingest.formats.files.documents.json_text import members
from ingest.formats.files.source import Source

NAME = "pytest-benchmark"
TITLE = "pytest-benchmark JSON"
ABOUT = ("machine_info", "commit_info", "datetime", "version")
STATISTICS = ("median", "mean", "min")
"""Statistics that replace missing rounds, the best one first."""
MOST_ROUNDS = 2_000_000
"""Limit on the rounds in a file."""
LONGEST_TEXT = 60
"""Limit on the characters of an argument in the kernel's name. The id in the test's name replaces longer
ones.
"""


@dataclass
class Found:
    """Notes that are collected while the benchmarks are read."""

    most: int
    rounds: int = 0
    thinned: int = 0
    without_rounds: dict[str, int] = field(default_factory=dict)
    unmeasured: list[str] = field(default_factory=list)

    def notes(self) -> Iterator[str]:
        """Return the notes for the file's owner."""
        for statistic, count in self.without_rounds.items():
            yield (
                f"the {statistic} of the rounds replaces them in {count} benchmarks, because the file has "
                "no rounds; --benchmark-save-data keeps them"
            )
        if self.thinned:
            yield (
                f"{self.thinned} benchmarks have more than {self.most} rounds; this number was kept, evenly "
                "spread over the sorted rounds, with the same median"
            )
        if self.unmeasured:
            names = ", ".join(self.unmeasured[:5]) + (" …" if len(self.unmeasured) > 5 else "")
            yield f"{len(self.unmeasured)} benchmarks have no times and were left out: {names}"


def recognises(source: Source) -> bool:
    """Recognise a JSON document with benchmarks and a description of the machine."""
    return source.keys >= {"benchmarks", "machine_info"}


def read(source: Source) -> Campaign:
    """Read the document test by test."""
    document, found = source.document, Found(source.limits.repetitions)
    document.constants = True
    try:
        metadata = metadata_of(document, ABOUT)
        campaign = campaign_of(_entries(document, found), source.limits, NAME, rounds=True)
    except FormatError as error:
        raise error.at(document.line) from None
    notes = (*found.notes(), *campaign.notes)
    return replace(campaign, units={"time": "s"}, metadata=metadata, notes=notes)


def _entries(document: Document, found: Found) -> Iterator[Entry]:
    document.enter("benchmarks")
    for _ in document.places():
        line = document.line_of_next
        try:
            yield _entry(_fields(document, MOST_ROUNDS - found.rounds), found, line)
        except FormatError as error:
            raise error.at(line) from None


def _fields(document: Document, most: int) -> dict[str, Any]:
    """Return the fields of a benchmark; with very many rounds, only the needed fields."""
    try:
        return members(document.value(), "an object for each benchmark")
    except LengthError:
        pass
    fields = dict[str, Any]()
    for key in document.members():
        if key == "stats" and document.begins("{"):
            fields[key] = tuple(
                (name, document.numbers(most) if name == "data" else document.value())
                for name in document.members()
            )
        elif key in ("name", "fullname", "params"):
            fields[key] = document.value()
        else:
            document.skip()
    return fields


def _entry(fields: Mapping[str, Any], found: Found, line: int) -> Entry:
    name = fields.get("fullname") or fields.get("name")
    if not isinstance(name, str):
        raise FormatError(f"the name {quoted(name)}", "a text")
    test, bracket, identity = name.partition("[")
    parameters = _parameters(fields.get("params"), identity.removesuffix("]") if bracket else "")
    return entry(level_of(test), parameters, {"time": _times(fields.get("stats"), name, found)}, line)


def _times(stats: object, name: str, found: Found) -> Sequence[float]:
    """Return the rounds, some of their quantiles, or a statistic; empty if the test was not measured."""
    statistics = dict(stats) if isinstance(stats, tuple) else {}
    rounds = _rounds(statistics.get("data"))
    if rounds is not None and rounds.size:
        found.rounds += rounds.size
        found.thinned += rounds.size > found.most
        if found.rounds > MOST_ROUNDS:
            raise FormatError(f"more than {MOST_ROUNDS} rounds", f"at most {MOST_ROUNDS} rounds in one file")
        return array("d", thinned(rounds, found.most) if rounds.size > found.most else rounds)
    for statistic in STATISTICS:
        if isinstance(time := statistics.get(statistic), float) and isfinite(time):
            found.without_rounds[statistic] = found.without_rounds.get(statistic, 0) + 1
            return [time]
    found.unmeasured.append(level_of(name))
    return []


def _rounds(data: object) -> FloatArray | None:
    """Return the finite times of a list of numbers."""
    if isinstance(data, list) and set(map(type, data)) == {float}:
        data = np.array(data, float)
    return data[np.isfinite(data)] if isinstance(data, np.ndarray) else None


def thinned(values: FloatArray, most: int) -> FloatArray:
    """Return at most `most` of the sorted values, evenly spaced, with the same median."""
    count = len(values)
    below = np.linspace(0, count // 2 - 1, (most - 1) // 2).round().astype(int)
    middle = [count // 2] if count % 2 else []
    return np.sort(values)[[*below, *middle, *(count - 1 - below[::-1])]]


def _parameters(params: object, identity: str) -> dict[str, object]:
    """Return the arguments of a test by name; texts that are too long are taken from the test's id."""
    pieces = [identity] if as_number(identity) is not None else identity.split("-")
    if not params:
        numbered = [each for each in pieces if as_number(each) is not None]
        texts = "-".join(each for each in pieces if as_number(each) is None)
        arguments: dict[str, object] = {f"arg{place + 1}": number for place, number in enumerate(numbered)}
        return arguments | ({"id": level_of(texts)} if texts else {})
    given = members(params, "params by name")
    shown = {name: value for name, value in given.items() if _is_short(value)}
    if len(shown) < len(given):
        numbers = {as_number(value) for value in shown.values()}
        texts = "-".join(each for each in pieces if as_number(each) not in numbers or as_number(each) is None)
        shown["id"] = level_of(texts)
    return shown


def _is_short(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST_TEXT and value.isprintable()
    return isinstance(value, float | bool) or value is None
