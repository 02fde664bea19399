"""Reads the table that Google Benchmark prints: `BM_sort/1024   5.1 us   5.0 us   137000 items/s=1.2M`."""

import re
from collections.abc import Iterator

from ingest.formats.campaign.units import SECONDS
from ingest.formats.collecting.entries import as_number
from ingest.formats.files.source import Source
from ingest.formats.files.text import check_unmeasured
from ingest.formats.readers.microbenchmarks.google_benchmark.results import AGGREGATE, SPREADS, Result

HEADER = re.compile(r"^Benchmark\s+(?:Wall )?Time\s+CPU(?:\s+Time)?\s+Iterations", re.MULTILINE)
NUMBER = r"\d[\d.e+-]{0,30}"
ROW = re.compile(
    rf"(?P<name>\S.{{0,2000}}?)\s+(?P<real>{NUMBER}) (?P<real_unit>ns|us|ms|s)\s+"
    rf"(?P<cpu>{NUMBER}) (?P<cpu_unit>ns|us|ms|s)\s+\d{{1,19}}"
    r"(?P<counters>(?:\s+\S{1,100}=\S{1,40})*)(?:\s.{0,1000})?"
)
FAILED = re.compile(r"(?P<name>\S{1,2000})\s+(?:ERROR OCCURRED|SKIPPED): '(?P<message>.{0,300})'")
COUNTER = re.compile(
    rf"(?P<name>[^\s=]+)=(?P<value>-?{NUMBER})(?P<prefix>[kMGTPE]i?|[munpf]?)(?P<unit>(?:[BA-Za-z%]*/s)?s?)"
)
DECIMAL = {
    "": 1.0,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "P": 1e15,
    "E": 1e18,
    "m": 1e-3,
    "u": 1e-6,
    "n": 1e-9,
    "p": 1e-12,
    "f": 1e-15,
}
BINARY = {f"{prefix}i": 1024.0**power for power, prefix in enumerate("kMGTPE", 1)}
LINE = 4000
"""Lines are cut after this number of characters."""


def from_console(source: Source, failed: list[str]) -> Iterator[Result]:
    """Yield the results one by one. Names of failed benchmarks are appended to `failed`."""
    others = 0
    for line, text in source.lines():
        if row := ROW.fullmatch(text[:LINE]):
            yield _result(row, line)
        elif (failure := FAILED.fullmatch(text[:LINE])) and len(failed) < source.limits.results:
            failed.append(f"{failure['name']} ({failure['message']})"[:200])
        else:
            others += 1
            check_unmeasured(others, source.limits, line)


def _result(row: re.Match[str], line: int) -> Result:
    name, aggregate = row["name"], ""
    if looks := AGGREGATE.fullmatch(name):
        name, aggregate = looks[1], looks[2]
    if aggregate in SPREADS:
        return Result(name, aggregate, certain=False, values={}, labels={}, line=line)
    values = {f"{clock}_time": float(row[clock]) * SECONDS[row[f"{clock}_unit"]] for clock in ("real", "cpu")}
    for word in row["counters"].split():
        if (counter := COUNTER.fullmatch(word)) and (number := as_number(counter["value"])) is not None:
            values[counter["name"]] = number * (DECIMAL | BINARY)[counter["prefix"]]
    return Result(name, aggregate, certain=False, values=values, labels={}, line=line)
