"""Reads the XML (`-r xml`) that Catch2, versions 2 and 3, writes for tests with `BENCHMARK`s.

Test case, sections and benchmark are the levels of a kernel's path. Catch2 writes only the mean of the
samples with an interval, so a benchmark has one value. Three or more names that differ only in one number,
as in `Fibonacci 20`, become one kernel `Fibonacci {n}` with the parameter n. Otherwise the number stays, as
in `SHA 256`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from xml.etree import ElementTree

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import SEPARATOR
from ingest.formats.collecting.entries import Entry, as_number, campaign_of, entry, level_of, within_limits
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.source import Source

NAME = "catch2"
TITLE = "Catch2 XML"
CONTAINED = True
ROOTS = ("<Catch2TestRun", "<Catch ", "<Catch>")
LEVELS = {"TestCase", "Section"}
BENCHMARK, MEAN, DEVIATION = "BenchmarkResults", "mean", "standardDeviation"
ENOUGH = 3
"""Smallest number of benchmarks with different numbers for which the number becomes a parameter."""
NUMBER = re.compile(r"(?<![\w.])[0-9]+(?:\.[0-9]+)?(?![\w.])")
MOST_BYTES = 16 * 1024 * 1024
"""Limit on the bytes of a report; a benchmark takes about 500."""
UNIT = "ns"
ONE_VALUE = (
    "Catch2 writes only the mean of its samples, which are all of one process, so the mean "
    "counts as one repetition; run the benchmarks several times for repetitions"
)


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark's mean time.

    Attributes:
        name: sections and name of the benchmark, as levels of a path.
        mean: in nanoseconds.
        half: distance from the mean to the farther end of its confidence interval, relative to the mean.
    """

    test: str
    name: str
    mean: float
    half: float


@dataclass
class Target:
    """Receives the elements of the report one by one, so that the report is never in memory as a whole."""

    levels: list[str] = field(default_factory=list)
    found: list[Benchmark] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    about: dict[str, object] = field(default_factory=dict)
    benchmark: str | None = None
    damaged: int = 0

    def doctype(self, name: str, _public: str | None, _system: str | None) -> None:
        """Refuse a document type, which could define entities.

        Raises:
            FormatError: always.
        """
        raise FormatError(f"the document type {quoted(name)}", "XML without a document type")

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Handle the beginning of an element."""
        name = level_of(attributes.get("name", ""))
        if tag in LEVELS:
            self.levels.append(name)
        elif tag == BENCHMARK:
            self.benchmark = name
        elif tag == MEAN and self.benchmark is not None:
            test, *sections = self.levels or [""]
            path = SEPARATOR.join(filter(None, (*sections, self.benchmark)))
            self.found.append(_benchmark(test, path, attributes))
        elif tag == "failed" and self.benchmark is not None:
            self.failed.append(self.benchmark)
        elif tag in ("Catch2TestRun", "Catch"):
            about = {"program": name, "catch2": attributes.get("catch2-version", "")}
            self.about = {key: text for key, text in about.items() if text}

    def end(self, tag: str) -> None:
        """Handle the end of an element."""
        if tag in LEVELS:
            self.levels.pop()
        elif tag == BENCHMARK:
            self.benchmark = None

    def close(self) -> None:
        """Handle the end of the document."""


def recognises(source: Source) -> bool:
    """Recognise the XML of a test run, perhaps below a program's output."""
    return any(root in source.head for root in ROOTS)


def read(source: Source) -> Campaign:
    """Read the report element by element."""
    target = _parsed(source)
    if not target.found:
        raise FormatError(
            "a report without benchmarks", "tests with BENCHMARK, run without --skip-benchmarks"
        )
    entries = _entries(list(within_limits(target.found, source.limits)))
    campaign = campaign_of(entries, source.limits, NAME, rounds=True)
    notes = (*_notes(target), *campaign.notes)
    return replace(campaign, units={"time": UNIT}, metadata=target.about, notes=notes)


def _parsed(source: Source) -> Target:
    target = Target()
    parser = ElementTree.XMLParser(target=target)  # noqa: S314 -- the target refuses a document type
    data = source.whole
    if len(data) > MOST_BYTES:
        raise FormatError(f"a report of {len(data)} bytes", f"{MOST_BYTES} at most")
    begin = min(place for mark in (b"<?xml", b"<Catch") if (place := data.find(mark)) >= 0)
    try:
        # The report is parsed at once: given pieces, some versions of expat parse an endless element again
        # and again.
        parser.feed(data[begin:])
        parser.close()
    except ElementTree.ParseError as error:
        line = data.count(b"\n", 0, begin) + error.position[0]
        if not target.found:
            raise FormatError(f"no XML: {quoted(error)}", "the XML report of a test run", line) from None
        target.damaged = line
    return target


def _benchmark(test: str, name: str, mean: Mapping[str, str]) -> Benchmark:
    value, low, high = (as_number(mean.get(key, "")) for key in ("value", "lowerBound", "upperBound"))
    if value is None:
        raise FormatError(f"the mean {quoted(mean.get('value'))} of {quoted(name)}", "a number")
    half = 0.0 if low is None or high is None or value <= 0 else max(value - low, high - value) / value
    return Benchmark(test, name, value, half)


def _entries(found: Sequence[Benchmark]) -> Iterator[Entry]:
    numbers = dict[tuple[str, str], set[str]]()
    for each in found:
        if len(number := NUMBER.findall(each.name)) == 1:
            numbers.setdefault((each.test, _template(each.name)), set()).add(number[0])
    for each in found:
        name, parameters = each.name, dict[str, object]()
        if len(numbers.get((each.test, _template(name)), ())) >= ENOUGH:
            parameters, name = {"n": NUMBER.findall(name)[0]}, _template(name)
        path = (each.test, name) if name != each.test else (name,)
        yield entry(SEPARATOR.join(filter(None, path)), parameters, {"time": [each.mean]}, 0)


def _template(name: str) -> str:
    return NUMBER.sub("{n}", name)


def _notes(target: Target) -> Iterator[str]:
    half = max(each.half for each in target.found)
    yield ONE_VALUE + (f"; the intervals of the means are at most ± {half:.1%}" if half else "")
    if target.failed:
        shown = ", ".join(target.failed[:5]) + (" …" if len(target.failed) > 5 else "")
        yield f"{len(target.failed)} benchmarks failed and were left out: {shown}"
    if target.damaged:
        yield f"the report is cut off or damaged in line {target.damaged}; what follows was left out"
