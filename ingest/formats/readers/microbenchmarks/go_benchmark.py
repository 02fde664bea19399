"""Reads the output of Go's benchmarks (`go test -bench`, also with `-json`), as benchstat does.

`BenchmarkSort/size=64/kind=heap-8 1000 1234 ns/op 56 B/op 7 allocs/op`

Parts of a name such as `size=64`, and plain numbers (arg1, arg2 and so on), are parameters. The number of
processors at the end of the name is a parameter if it varies. Lines of the same name are rounds of one
process. Lines before the results, such as `goos: linux`, are metadata. Other lines are ignored.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.collecting.entries import Entry, as_number, campaign_of, entry, level_of, within_limits
from ingest.formats.collecting.metadata import LONGEST_TEXT, MOST_ENTRIES, flat
from ingest.formats.errors import FormatError
from ingest.formats.files.source import Source

NAME = "go-benchmark"
TITLE = "Go benchmarks"
RESULT = re.compile(r"(Benchmark\S*+)\s++[0-9]++\s++([0-9.+\-].*)")
STARTED = re.compile(r"(Benchmark\S*+)\s")
"""Matches the beginning of a result that the benchmark's own output interrupts."""
FINISHED = re.compile(r"\s*+[0-9]++\s++([0-9.+\-].*)")
"""Matches the end of an interrupted result, on a line of its own."""
CONFIGURATION_LINE = re.compile(r"([a-z][^\s:A-Z]{0,79}+):\s++(.+)")
PROCESSORS = re.compile(r"(.*)-([1-9][0-9]{0,6})", re.DOTALL)
EVENT = re.compile(r'\{.*"Action": ?"')
TIME, PER_OPERATION = "ns/op", "/op"
MOST_METRICS = 100
"""Limit on the metrics of a result."""
PIECES = 1_000
"""Limit on the events that form one line. Go writes a result as two."""
MOST_LINES = 500_000
"""Limit on the lines of a file, including ignored lines."""
SEEN = re.compile(r"^Benchmark\S*+\s++[0-9]++\s++[0-9.+\-]\S*+ \S", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Result:
    """A result line of a benchmark in a package."""

    name: str
    package: str
    values: Mapping[str, float]
    line: int


def recognises(source: Source) -> bool:
    """Recognise a result at the beginning of the file, or the lines that Go writes before results."""
    if EVENT.match(source.first_line):
        return "Benchmark" in source.head and "/op" in source.head
    return source.first_line.startswith("goos: ") or SEEN.search(source.beginnings) is not None


def read(source: Source) -> Campaign:
    """Read the output line by line."""
    metadata = dict[str, set[str]]()
    results = list(within_limits(_results(_lines(source), metadata), source.limits))
    if not results:
        raise FormatError("no result", "at least one line such as: BenchmarkSort/size=64-8  1000  1234 ns/op")
    places = _processors(results)
    same = {name: next(iter(values)) for name, values in metadata.items() if len(values) == 1}
    counts = {count for _, count in places}
    about = flat({**same, "GOMAXPROCS": float(*counts)} if len(counts) == 1 and counts != {0} else same)
    campaign = campaign_of(_entries(results, places), source.limits, NAME, rounds=True)
    units = {metric: _unit(metric) for _, metric in campaign.series}
    return replace(campaign, units=units, metadata=about)


def _lines(source: Source) -> Iterator[tuple[int, str, str]]:
    """Yield line number, package if `-json` names it, and text, with pieces of a line joined."""
    if not EVENT.match(source.first_line):
        yield from ((number, "", line) for number, line in source.raw_lines())
        return
    begun = dict[str, list[str]]()
    for number, line in source.raw_lines():
        package, output = _event(line)
        pieces = begun.setdefault(package, [])
        pieces.append(output)
        if len(pieces) > PIECES or len(begun) > source.limits.members:
            raise FormatError("events without the end of a line", "the output of go test -json", number)
        if "\n" in output:
            *whole, rest = "".join(pieces).split("\n")
            begun[package] = [rest]
            yield from ((number, package, text) for text in whole)


def _event(line: str) -> tuple[str, str]:
    """Return package and output of an event of `-json`; empty texts for a line that is no event."""
    try:
        event = json.loads(line) if EVENT.match(line) else {}
    except (ValueError, RecursionError):
        return "", ""
    package, output = event.get("Package", ""), event.get("Output", "")
    return (package, output) if isinstance(package, str) and isinstance(output, str) else ("", "")


def _results(lines: Iterable[tuple[int, str, str]], metadata: dict[str, set[str]]) -> Iterator[Result]:
    """Yield the results. Lines before them are added to the metadata."""
    packages, begun = dict[str, str](), dict[str, str]()
    for number, package, line in lines:
        if number > MOST_LINES:
            raise FormatError(
                f"more than {MOST_LINES} lines",
                f"at most {MOST_LINES} lines; only the lines with results are needed",
                number,
            )
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
                # a key with several texts is left out
                texts |= {said[2].strip()} if len(texts) < 2 else set()


def _values(text: str) -> dict[str, float]:
    """Return metric → value of `1234 ns/op  56 B/op`, up to the first other text."""
    words, found = text.split(maxsplit=2 * MOST_METRICS)[: 2 * MOST_METRICS], dict[str, float]()
    for value, unit in zip(words[::2], words[1::2], strict=False):
        number = as_number(value)
        if number is None:
            break
        found["time" if unit == TIME else unit] = number
    return found


def _unit(metric: str) -> str:
    """Return the unit after the last dash of a metric: `ns` for `p99-ns/op`. Counts have no unit."""
    unit = "ns" if metric == "time" else metric.rpartition("-")[2].removesuffix(PER_OPERATION)
    return "" if unit == "allocs" else unit


def _processors(results: Sequence[Result]) -> list[tuple[str, int]]:
    """Split each name into the benchmark's name and the number of processors, 0 if unknown.

    Go omits the number 1. In names such as `size-64`, the number counts only if all benchmarks have the same
    numbers.
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
