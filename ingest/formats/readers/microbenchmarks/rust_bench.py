"""Outputs of `cargo bench` (libtest), and of Criterion.rs with `--output-format bencher`.

`test parse::small ... bench: 1,234.5 ns/iter (+/- 24) = 120 MB/s` is the result of a kernel, with modules as
levels of its call path. Times become nanoseconds. Other results, such as cycles, are metrics named after
their units. The spread is left out.
"""

from ingest.formats.campaign.units import SECONDS
from ingest.formats.printout import Line, Metric, Printout, Then

NAME, TITLE = "rust-bench", "cargo bench output"
NUMBER = r"[\d,.]{1,30}"
RESULT = (
    rf"test (?P<kernel>\S.{{0,200}}?)\s+\.\.\.\s+bench:\s+(?P<value>{NUMBER}) (?P<metric>\w{{1,20}})/iter"
    rf"(?: \(\+/- {NUMBER}\))?(?: = (?P<throughput>{NUMBER}) MB/s)?"
)
TIMES = {unit: Metric("time", "ns", round(SECONDS[unit] / SECONDS["ns"])) for unit in ("ns", "us", "ms", "s")}
PRINTOUT = Printout(
    NAME,
    begins=rf"{RESULT}$",
    lines=(Line(RESULT, Then.BEGIN, levels="::"),),
    metrics=TIMES | {"throughput": Metric("throughput", "MB/s")},
    expected="a line “test name ... bench: 1,234 ns/iter (+/- 24)”",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
