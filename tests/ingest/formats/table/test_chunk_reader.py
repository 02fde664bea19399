"""Reading many rows of a table at a time gives the same result as reading them row by row."""

import csv
import io
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ingest.formats import FormatError, Limits
from ingest.formats.files import source
from ingest.formats.files.source import Source
from ingest.formats.files.text import line_blocks, raw_lines
from ingest.formats.readers.generic.csv_table import csv_rows
from ingest.formats.readers.generic.csv_table import reading as csv_table
from ingest.formats.table import chunk_reader, profiles, reading
from ingest.formats.table.chunks import Chunk
from ingest.formats.table.row_reader import Reader

ODD = [
    *[
        "",
        " ",
        "nan",
        "+nan",
        "inf",
        "1_0",
        "١",
        "1,5",
        "1,234",
        "1,234.5",
        "1.234,5",
        "1'234",
        "12 ms",
        "3 s",
    ],
    *["4 KiB", "x", "-1", "0", "-0", "1e400", "#1", " 5", "5 ", "\xa05", ",5", ".5", "5.", "+5", "1e5"],
    *["9" * 70, "null", "1;2", "2024-01-01", '"q"', "a\nb", "'=x"],
]
NUMBER = st.sampled_from(["1", "2", "4", "8", "0.5", "1.25", "3e2"])
NAME = st.sampled_from(["main", "a->b", "f(a, b)", "time", "visits"])
UNIT = st.sampled_from(["s", "s", "ms", "", "visits"])
USUAL = {"kernel": NAME, "metric": NAME, "compiler": NAME, "unit": UNIT}
HEADERS = [
    *["p,n,kernel,time,visits", "p,kernel,metric,value", "p,kernel,metric,unit,value", "p,time1,time2"],
    *["p,kernel,compiler,time [s]", "kernel,time", "p,time", "a,b,c", "kernel,1,2,4"],
]
LIMITS = [
    Limits(),
    Limits(values=20),
    Limits(repetitions=3),
    Limits(points=2),
    Limits(series=2),
    Limits(kernels=2),
    Limits(unmeasured=1),
    Limits(line_bytes=40),
]


def quoted(cell, separator, whole):
    """Return the cell as it is written in a file.

    It is quoted if necessary, or if the whole row is quoted.
    """
    needed = whole or any(letter in cell for letter in f'{separator}"\n')
    return '"' + cell.replace('"', '""') + '"' if needed else cell


@st.composite
def texts(draw):
    """Draw tables with odd cells, rows that are too short or too long, and lines that are not rows."""
    separator, header = draw(st.sampled_from(",;\t")), draw(st.sampled_from(HEADERS)).split(",")
    odd = st.sampled_from(ODD)
    few = st.integers(0, draw(st.sampled_from([0, 8, 100])) + 1)  # Determines how rare odd cells are.
    lines = [separator.join(header)]
    for _ in range(draw(st.integers(1, 12))):
        cells = []
        for name in header:
            usual = USUAL.get(name, NUMBER)
            cells.append(draw(odd) if draw(few) == 1 else draw(usual))
        whole = draw(few) == 1
        line = separator.join(quoted(cell, separator, whole) for cell in cells)
        others = ["", "  ", "#x", separator * (len(header) - 1), line + separator, line + separator + "1"]
        others += ['"' + line, line.replace("1", "1\r", 1), line + "\0"]
        lines.append(draw(st.sampled_from(others)) if draw(few) == 1 else line)
    return draw(st.sampled_from(["\n", "\r\n"])).join(lines) + draw(st.sampled_from(["", "\n"]))


def outcome(text, limits):
    """Return the content of a table, or the reason and line for which it is refused."""
    try:
        found = csv_table.read(Source(Path("runs.csv"), limits, data=text.encode()))
    except FormatError as error:
        return type(error), error.found, error.expected, error.line
    series = {key: values.tolist() for key, values in found.series.items()}
    return repr((found.parameters, found.points, series, found.units, found.metadata, found.notes))


def one_by_one(blocks, separator, limits):
    """Yield the rows of a table as Python's own reader finds them, each with the number of its last line."""
    first, header = next(blocks)
    lines = chain(header, (line for _, lines in blocks for line in lines))
    reader = csv.reader(lines, delimiter=separator, strict=True, skipinitialspace=separator != "\t")
    try:
        for row in reader:
            if csv_rows._measured(row):
                yield Chunk([first + reader.line_num - 1], [row])
    except csv.Error as error:
        expected = "each cell either without quotes or wholly inside of quotes"
        raise FormatError(f"no table: {error}", expected, first + reader.line_num - 1) from None


def lines_one_by_one(file, limits):
    return ((number, [line]) for number, line in raw_lines(file, limits))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(texts(), st.sampled_from(LIMITS), st.sampled_from([10, 100, 10_000]))
@example("p;time1;time2\n1;+nan;1", Limits(), 10)
@example("p,kernel,time\n1,a,2\n1,b,\n2,a,x\n", Limits(), 10_000)
@example("p,kernel,time\n" + "".join(f"{p},a->{p},1\n" for p in range(1, 9)), Limits(kernels=4), 10_000)
def test_reading_in_chunks_gives_the_same_result_as_row_by_row(text, limits, block):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ingest.formats.files.text.BLOCK_BYTES", block)
        found = outcome(text, limits)
        patch.setattr(reading, "ChunkReader", Reader)
        patch.setattr(profiles.Profile, "_take_plain", lambda *_: False)
        if limits.unmeasured > 1 and limits.line_bytes > 40:
            patch.setattr(csv_table, "table_chunks", one_by_one)
        patch.setattr(source, "line_blocks", lines_one_by_one)
        assert outcome(text, limits) == found


@given(st.lists(st.sampled_from([b"a", b" ", b"\n", b"\r\n", b"\0", b"\xff", "é".encode(), b"\xef\xbb\xbf"])))
def test_lines_are_numbered_equally_in_blocks(pieces):
    found = []
    for read in (line_blocks, lines_one_by_one):
        lines = []
        try:
            for first, block in read(io.BytesIO(b"".join(pieces)), Limits(line_bytes=4, unmeasured=3)):
                lines.extend(enumerate(block, first))
        except FormatError as error:
            lines.append(str(error))
        found.append(lines)
    assert found[0] == found[1]


def test_remembered_names_are_limited(tmp_path, monkeypatch):
    path = tmp_path / "runs.csv"
    rows = [f"{p},k{k},{p * k}.5" for p in range(1, 5) for k in range(1, 3000)]
    path.write_text("\n".join(["p,kernel,time", *rows]))
    monkeypatch.setattr(chunk_reader, "KEPT_BYTES", 10_000)
    campaign = csv_table.read(Source(path, Limits()))
    assert len(campaign.series) == 2999
    np.testing.assert_array_equal(campaign.series["k7", "time"], [[7.5], [14.5], [21.5], [28.5]])
