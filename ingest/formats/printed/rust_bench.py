"""Outputs of `cargo bench` (libtest), and of Criterion.rs with `--output-format bencher`.

`test parse::small ... bench: 1,234.5 ns/iter (+/- 24) = 120 MB/s` is the result of a benchmark, which is a
kernel. Modules are levels of its call path. Times become nanoseconds; other results, such as cycles, are
metrics called like their units. The spread is left out.
"""

import re

from ingest.formats.campaign import Campaign
from ingest.formats.names import SEPARATOR
from ingest.formats.printed.printout import Printout, printout_read
from ingest.formats.source import Source
from ingest.formats.units import SECONDS

NAME = "rust-bench"
TITLE = "cargo bench output"
RESULT = re.compile(
    r"test (?P<name>\S.{0,200}?)\s+\.\.\.\s+bench:\s+(?P<value>[\d,.]{1,30}) (?P<unit>\w{1,20})/iter"
    r"(?: \(\+/- [\d,.]{1,30}\))?(?: = (?P<rate>[\d,.]{1,30}) MB/s)?"
)
BEGIN = re.compile(rf"^{RESULT.pattern}$", re.MULTILINE)
UNITS = {"time": "ns", "throughput": "MB/s"}
EXPECTED = "a line “test name ... bench: 1,234 ns/iter (+/- 24)”"


def recognises(source: Source) -> bool:
    """Recognise a result near the beginning of the file."""
    return "bench:" in source.head and BEGIN.search(source.head) is not None


def read(source: Source) -> Campaign:
    """Read the output line by line."""
    return printout_read(source, Benchmarks(), NAME, UNITS, EXPECTED)


class Benchmarks(Printout):
    """Reads the results of all benchmarks."""

    def take(self, text: str, line: int) -> bool:
        """Read a result."""
        result = RESULT.fullmatch(text)
        if result is None:
            return False
        kernel = SEPARATOR.join(result["name"].split("::"))
        run = self.begin(line, {})
        unit, value = result["unit"], result["value"].replace(",", "")
        run.add(kernel, "time" if unit in SECONDS else unit, value)
        if unit in SECONDS:
            run.values[kernel]["time"] *= round(SECONDS[unit] / SECONDS["ns"])
        if result["rate"]:
            run.add(kernel, "throughput", result["rate"].replace(",", ""))
        return True
