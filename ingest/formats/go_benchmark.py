"""Output of Go's benchmarks (`go test -bench`, with `-json` as well), as benchstat reads it.

`BenchmarkSort/size=64/kind=heap-8   1000   1234 ns/op   56 B/op   7 allocs/op`

Parts of a name such as `size=64`, and plain numbers (arg1, arg2 and so on), are parameters. The number of
processors at the end is one where it varies. Lines of the same name, as by `-count`, are rounds of one
process. Lines before the results, such as `goos: linux`, are metadata; all other lines are passed over.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ingest.formats.about import LONGEST_TEXT, MOST_ENTRIES, flat
from ingest.formats.campaign import Campaign
from ingest.formats.entries import Entry, as_number, campaign_of, entry, level_of, within_limits
from ingest.formats.errors import FormatError
from ingest.formats.source import Source

NAME = "go-benchmark"
TITLE = "Go benchmarks"
RESULT = re.compile(r"(Benchmark\S*+)\s++[0-9]++\s++([0-9.+\-].*)")
STARTED = re.compile(r"(Benchmark\S*+)\s")
"""The beginning of a result, behind which the benchmark itself wrote something, and of which follows…"""
FINISHED = re.compile(r"\s*+[0-9]++\s++([0-9.+\-].*)")
"""… the end on a line of its own."""
CONFIGURATION_LINE = re.compile(r"([a-z][^\s:A-Z]{0,79}+):\s++(.+)")
PROCESSORS = re.compile(r"(.*)-([1-9][0-9]{0,6})", re.DOTALL)
EVENT = re.compile(r'\{.*"Action": ?"')
TIME, PER_OPERATION = "ns/op", "/op"
MOST_METRICS = 100
"""Metrics of a result that are read."""
PIECES = 1_000
"""Events that make one line; Go writes a result in two."""
MOST_LINES = 500_000
"""Lines of a file, with those that are passed over."""
SEEN = re.compile(r"^Benchmark\S*+\s++[0-9]++\s++[0-9.+\-]\S*+ \S", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Result:
    """A line of a benchmark in a package."""

    name: str
    package: str
    values: Mapping[str, float]
    line: int


def recognises(source: Source) -> bool:
    """A result in the beginning of the file, or the lines that stand before results."""
    if EVENT.match(source.first_line):
        return "Benchmark" in source.head and "/op" in source.head
    return source.first_line.startswith("goos: ") or SEEN.search(source.head) is not None


def read(source: Source) -> Campaign:
    """Read line by line."""
    metadata = dict[str, set[str]]()
    results = list(within_limits(_results(_lines(source), metadata), source.limits))
    if not results:
        raise FormatError("no line of a result", "such as: BenchmarkSort/size=64-8  1000  1234 ns/op")
    places = _processors(results)
    same = {name: next(iter(values)) for name, values in metadata.items() if len(values) == 1}
    counts = {count for _, count in places}
    about = flat({**same, "GOMAXPROCS": float(*counts)} if len(counts) == 1 and counts != {0} else same)
    campaign = campaign_of(_entries(results, places), source.limits, NAME, rounds=True)
    units = {metric: _unit(metric) for _, metric in campaign.series}
    return replace(campaign, units=units, metadata=about)


def _lines(source: Source) -> Iterator[tuple[int, str, str]]:
    """Line number, package if `-json` names it, and text; the texts of one package are put together."""
    if not EVENT.match(source.first_line):
        yield from ((number, "", line) for number, line in source.raw_lines())
        return
    begun = dict[str, list[str]]()
    for number, line in source.raw_lines():
        package, output = _event(line)
        pieces = begun.setdefault(package, [])
        pieces.append(output)
        if len(pieces) > PIECES or len(begun) > source.limits.members:
            raise FormatError("output without the end of a line", "the output of go test -json", number)
        if "\n" in output:
            *whole, rest = "".join(pieces).split("\n")
            begun[package] = [rest]
            yield from ((number, package, text) for text in whole)


def _event(line: str) -> tuple[str, str]:
    """Package and output of an event of `-json`; empty if the line is not an event."""
    try:
        event = json.loads(line) if EVENT.match(line) else {}
    except (ValueError, RecursionError):
        return "", ""
    package, output = event.get("Package", ""), event.get("Output", "")
    return (package, output) if isinstance(package, str) and isinstance(output, str) else ("", "")


def _results(lines: Iterable[tuple[int, str, str]], metadata: dict[str, set[str]]) -> Iterator[Result]:
    """The results; what is said before them goes to the metadata."""
    packages, begun = dict[str, str](), dict[str, str]()
    for number, package, line in lines:
        if number > MOST_LINES:
            raise FormatError(f"more than {MOST_LINES} lines", "those with results", number)
        if line.startswith("Benchmark"):
            result, started = RESULT.match(line), STARTED.match(line)
            values = _values(result[2]) if result else {}
            if result and values:
                yield Result(result[1], packages.get(package, package), values, number)
            begun[package] = started[1] if started and not values else ""
        elif begun.get(package) and (rest := FINISHED.match(line)) and (values := _values(rest[1])):
            yield Result(begun.pop(package), packages.get(package, package), values, number)
        elif said := CONFIGURATION_LINE.match(line):
            if said[1] == "pkg":
                packages[package] = said[2].strip()
            if len(metadata) < MOST_ENTRIES and len(line) < LONGEST_TEXT:
                texts = metadata.setdefault(said[1], set())
                texts |= {said[2].strip()} if len(texts) < 2 else set()  # of several, none is kept


def _values(text: str) -> dict[str, float]:
    """Metric → value of `1234 ns/op  56 B/op`, up to where there are no such pairs any more."""
    words, found = text.split(maxsplit=2 * MOST_METRICS)[: 2 * MOST_METRICS], dict[str, float]()
    for value, unit in zip(words[::2], words[1::2], strict=False):
        number = as_number(value)
        if number is None:
            break
        found["time" if unit == TIME else unit] = number
    return found


def _unit(metric: str) -> str:
    """`ns` of `p99-ns/op`: what stands before the last dash names the metric; a count has no unit."""
    unit = "ns" if metric == "time" else metric.rpartition("-")[2].removesuffix(PER_OPERATION)
    return "" if unit == "allocs" else unit


def _processors(results: Sequence[Result]) -> list[tuple[str, int]]:
    """Names without the number of processors, and that number; 0 where it is not known.

    Go leaves it out where it is 1. Then a number at the end may be part of a name, `size-64`: it is none
    where not all benchmarks have the same numbers.
    """
    split = [
        (found[1], int(found[2])) if (found := PROCESSORS.fullmatch(each.name)) else (each.name, 1)
        for each in results
    ]
    if any(name == each.name for (name, _), each in zip(split, results, strict=True)):
        counts = dict[str, set[int]]()
        for name, count in split:
            counts.setdefault(name, set()).add(count)
        if len({frozenset(found) for found in counts.values()}) > 1 or {1} in counts.values():
            return [(each.name, 0) for each in results]
    return split


def _entries(results: Sequence[Result], places: Sequence[tuple[str, int]]) -> Iterator[Entry]:
    several = len({count for _, count in places}) > 1
    packages = len({each.package for each in results}) > 1
    for each, (name, count) in zip(results, places, strict=True):
        kernel, parameters = _arguments(name)
        if several:
            parameters["GOMAXPROCS"] = float(count)
        if packages:
            parameters["pkg"] = each.package
        yield entry(kernel, parameters, {metric: [value] for metric, value in each.values.items()}, each.line)


def _arguments(name: str) -> tuple[str, dict[str, object]]:
    first, *parts = name.split("/")
    kernel, parameters, count = [first], dict[str, object](), 0
    for part in parts:
        key, equals, value = part.partition("=")
        if equals and key and value:
            parameters[key] = value
        elif as_number(part) is not None:
            count += 1
            parameters[f"arg{count}"] = part
        else:
            kernel.append(part)
    return level_of("/".join(kernel)), parameters
