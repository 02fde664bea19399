"""Reads JMH's CSV (`-rff`, `-rf csv` or `scsv`), in which each row has the score of one benchmark.

The columns are Benchmark, Mode, Threads, Samples, Score, Score Error (99.9%), Unit and a `Param: …` for each
parameter, empty where a benchmark lacks it. A benchmark such as `Sort.heap:·gc.alloc.rate` is a secondary
metric.
"""

from collections.abc import Iterator

from ingest.formats.collecting.entries import level_of
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.source import Source
from ingest.formats.files.text import csv_cells
from ingest.formats.readers.microbenchmarks.jmh.benchmark import Benchmark, Score, metric_of, score_of

HEADER = ["Benchmark", "Mode", "Threads", "Samples", "Score"]
UNIT, PARAMETER = "Unit", "Param: "
SEPARATORS = ",;"


def is_separated(source: Source) -> bool:
    """Return whether the first line is the header of JMH's CSV."""
    return any(_cells(source.first_line, each)[: len(HEADER)] == HEADER for each in SEPARATORS)


def rows(source: Source) -> Iterator[Benchmark]:
    """Yield a benchmark for each row.

    Raises:
        FormatError: a row has another number of cells than the header, or an unknown score.
    """
    header, separator = list[str](), ""
    for line, text in source.lines():
        if not header:
            separator = max(SEPARATORS, key=text.count)
            header = _cells(text, separator)
            continue
        cells = _cells(text, separator)
        if len(cells) != len(header):
            raise FormatError(f"a row of {len(cells)} cells", f"{len(header)} cells, as in the header", line)
        yield _benchmark(dict(zip(header, cells, strict=True)), line)


def _cells(line: str, separator: str) -> list[str]:
    return csv_cells(line, separator)


def _benchmark(row: dict[str, str], line: int) -> Benchmark:
    score = score_of(row["Score"])
    if score is None:
        raise FormatError(f"the score {quoted(row['Score'])}", "a number", line)
    name, metric = metric_of(row["Benchmark"], row["Mode"])
    parameters = {
        key.removeprefix(PARAMETER): cell
        for key, cell in row.items()
        if key.startswith(PARAMETER) and cell.strip()
    }
    scores = {metric: Score(row.get(UNIT, ""), [[score]])}
    return Benchmark(level_of(name), parameters, scores, {"threads": score_of(row["Threads"])}, line)
