"""Reads the table that JMH prints at the end of a run, among other output.

The header is `Benchmark  (size)  Mode  Cnt  Score  Error  Units`. Columns in brackets are parameters, N/A
where a benchmark lacks one. A score is the mean of Cnt iterations. A row such as `Sort.heap:gc.alloc.rate`
holds a secondary metric.
"""

import re
from collections.abc import Iterator

from ingest.formats.collecting.entries import level_of
from ingest.formats.files.source import Source
from ingest.formats.files.text import check_unmeasured
from ingest.formats.readers.microbenchmarks.jmh.benchmark import Benchmark, Score, metric_of, score_of

HEADER = re.compile(
    r"(?:.{0,100}[\]:] )?Benchmark(?P<parameters>(?:\s+\([\w.$]{1,80}\)){0,40})\s+Mode\s+(?:Cnt|Samples)"
    r"\s+Score(?:\s+Error| error|\s+Score error)?(?:\s+\([\d.]{1,8}%\))?\s+Units"
)
"""Matches the header, perhaps with a build tool's mark: `[info] Benchmark …`."""
ROW = re.compile(
    r"(?:.{0,20}\] )?(?P<before>\S.{0,2000}?)\s+(?P<mode>thrpt|avgt|sample|ss)(?:\s+\d{1,12})?\s+"
    r"(?:≈\s*)?(?P<score>[-+\d.,eE⁻⁰¹²³⁴⁵⁶⁷⁸⁹]{1,40})(?:\s+(?:±|\?|\+-|\xb1|�)\s*\S{1,40}|\s+NaN)?\s+(?P<unit>[A-Za-z#%\u00b5]\S{0,30})"
)
LINE = 3000
"""Lines are cut after this number of characters."""


def has_table(head: str) -> bool:
    """Return whether a text has the header of a table."""
    return any(HEADER.fullmatch(line.strip()[:LINE]) for line in head.splitlines())


def benchmarks(source: Source) -> Iterator[Benchmark]:
    """Yield a benchmark for each row."""
    names, others = list[str](), 0
    for line, text in source.lines():
        if header := HEADER.fullmatch(text[:LINE]):
            names = re.findall(r"\(([\w.$]+)\)", header["parameters"])
        elif (row := ROW.fullmatch(text[:LINE])) and (found := _benchmark(row, names, line)):
            yield found
        else:
            others += 1
            check_unmeasured(others, source.limits, line)


def _benchmark(row: re.Match[str], names: list[str], line: int) -> Benchmark | None:
    """Return the benchmark in a row; None if the row does not fit the header."""
    cells = row["before"].rsplit(maxsplit=len(names)) if names else [row["before"]]
    score = score_of(row["score"])
    if len(cells) != len(names) + 1 or score is None or " " in cells[0]:
        return None
    parameters = {name: cell for name, cell in zip(names, cells[1:], strict=True) if cell != "N/A"}
    name, metric = metric_of(cells[0], row["mode"])
    scores = {metric: Score(row["unit"], [[score]])}
    return Benchmark(level_of(name), parameters, scores, {}, line)
