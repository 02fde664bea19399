"""Reads execution counts of gcov (`gcov --json-format`), with one folder for each run.

An example is `app.p4.n100/solver.gcov.json.gz`. The point is in the folder's name or sent with it. There are
two metrics without noise: `visits` is the number of calls of a function, and `basic_blocks` the number of
times that its lines were executed.
"""

import zlib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import SEPARATOR
from ingest.formats.collecting.collector import Collector
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.document import Document
from ingest.formats.files.documents.json_text import check_numbers, members
from ingest.formats.files.source import Source
from ingest.formats.files.text import checked
from ingest.formats.limits import Limits
from ingest.formats.runs.run_points import runs_placed

NAME = "gcov"
TITLE = "gcov JSON"
PACKED = True
PLAIN, PACKED_NAME = ".gcov.json", ".gcov.json.gz"
Counts = dict[tuple[str, str], float]


def recognises(source: Source) -> bool:
    """Recognise an archive or a folder with files of gcov."""
    return any(map(_is_counts, source.names))


def _is_counts(name: str) -> bool:
    return name.endswith((PLAIN, PACKED_NAME))


def read(source: Source) -> Campaign:
    """Read run by run. The counts of a function in several files of a run are added."""
    names = list(filter(_is_counts, source.names))
    if not names:
        raise FormatError("no file of gcov's counts", "files that end in .gcov.json or .gcov.json.gz")
    folders = dict.fromkeys(name.rpartition("/")[0] + "/" for name in names)
    runs = runs_placed(list(folders), source.place)
    counted: defaultdict[str, Counts] = defaultdict(dict)
    for name, data in source.files(_is_counts):
        counts = counted[name.rpartition("/")[0] + "/"]
        try:
            for key, value in _counts(_plain(data, source), source.limits).items():
                counts[key] = counts.get(key, 0.0) + value
        except FormatError as error:
            raise error.inside(name) from None
    collector = Collector(source.limits)
    collector.declare(runs.parameters)
    for folder, coordinates in runs.points.items():
        point = collector.point(coordinates)
        for (function, metric), value in counted[folder].items():
            collector.add(collector.series(function, metric), point, [value], 0)
    campaign = collector.campaign(NAME)
    return replace(campaign, metadata=runs.metadata, notes=(*runs.notes, *campaign.notes))


def _plain(data: bytes, source: Source) -> bytes:
    if not data.startswith(b"\x1f\x8b"):
        return data
    inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        plain = inflate.decompress(data, source.limits.document_bytes)
    except zlib.error as error:
        raise FormatError(f"a damaged gzip file: {quoted(error)}", "an undamaged gzip file") from None
    if not inflate.eof:
        most = f"at most {source.limits.document_bytes} bytes when unpacked"
        raise FormatError("counts that are cut off or too large", f"a complete file of {most}")
    source.archive.budget.take(len(plain))
    return plain


def _counts(data: bytes, limits: Limits) -> Counts:
    document = Document(checked(data), limits)
    counts: Counts = {}
    try:
        document.enter("files")
        for element in document.elements():
            _add(counts, members(element, "an object for each source file"))
    except FormatError as error:
        raise error.at(document.line) from None
    return counts


def _add(counts: Counts, file: Mapping[str, Any]) -> None:
    names = {}
    for function in _rows(file, "functions", "name", "execution_count"):
        name = str(function.get("demangled_name", function["name"])).replace(SEPARATOR, "→")
        names[function["name"]] = name
        counts[name, "visits"] = counts.get((name, "visits"), 0.0) + function["execution_count"]
    for line in _rows(file, "lines", "function_name", "count"):
        if line["function_name"] in names:
            key = names[line["function_name"]], "basic_blocks"
            counts[key] = counts.get(key, 0.0) + line["count"]


def _rows(file: Mapping[str, Any], section: str, name: str, count: str) -> list[dict[str, Any]]:
    """Return the objects of a section, each with a name and a count under these keys."""
    found = file.get(section)
    if not isinstance(found, list):
        raise FormatError(f"a source file without a list of {section}", "such a list for each source file")
    rows = [members(row, f"an object for each of {section}") for row in found]
    rows = [row for row in rows if name in row]
    for row in rows:
        check_numbers([row.get(count)], count)
        if not isinstance(row[name], str):
            raise FormatError(f"the {name} {quoted(row[name])}", "a text")
    return rows
