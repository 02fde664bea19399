"""Describes a file that no format recognises, so that its sender understands what was sent."""

import re
from collections.abc import Iterable

from ingest.formats.dependencies.perf_taint import recognises as holds_dependencies
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.source import Source

BEGIN = 16
"""Number of first bytes by which kinds of binary files are distinguished."""
SHOWN = 5
"""Limit on the keys or names that a message lists."""

MEASUREMENTS = "a file of measurements"
UNPACKED = "the file that is packed in it, or one packed with gzip, bzip2, xz or zip"
EXTRAP_3 = "a binary experiment of Extra-P 3"
EXTRAP_4 = "the file that Extra-P 4 saves (.extra-p) after it has opened this one, or what Extra-P 3 had read"
BINARY = (
    (b"\x7fELF", "a program or library (ELF)", "what the program's measurement wrote, not the program"),
    (b"%PDF-", "a PDF document", MEASUREMENTS),
    (b"\x89PNG", "a PNG image", MEASUREMENTS),
    (b"\xff\xd8\xff", "a JPEG image", MEASUREMENTS),
    (b"GIF8", "a GIF image", MEASUREMENTS),
    (b"SQLite format 3\0", "an SQLite database", MEASUREMENTS),
    (b"\x89HDF\r\n", "an HDF5 file", MEASUREMENTS),
    (b"PERFILE2", "the binary record of perf (perf.data)", "what perf stat prints, with -j or without"),
    (
        b"gmon",
        "the binary record of gprof (gmon.out)",
        "the flat profile that gprof prints: gprof app gmon.out",
    ),
    (b"\x01\0\x11\0\0\0EXTRAP_EXP", EXTRAP_3, EXTRAP_4),
    (b"\0\x01\0\0\0\x11EXTRAP_EXP", EXTRAP_3, EXTRAP_4),
    (b"NVIDIA Tegra", "a report of Nsight Systems (.nsys-rep)", "its export: nsys export --type sqlite"),
    (b"NVR\0", "a report of Nsight Compute (.ncu-rep)", "its table: ncu --import report.ncu-rep --csv"),
    (b"\x28\xb5\x2f\xfd", "a file packed with zstd", UNPACKED),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACKED),
)
"""First bytes of files that are often sent by mistake, their kinds, and what to send instead."""

SACCT = "a table with bars: sacct -P --format=JobID,JobName,NTasks,Elapsed,MaxRSS"
PRINTED = (
    (r"^ *Time \(mean ± σ\):", "hyperfine", "its JSON: --export-json results.json"),
    (r"^benchmark name +samples +iterations", "Catch2", "its XML: --reporter xml"),
    (r"^\S.*\btime: +\[[0-9.]+ ", "Criterion.rs", "the folder target/criterion, as an archive"),
    (r"^Name \(time in [num]?s\)", "pytest-benchmark", "its JSON: --benchmark-json=results.json"),
    (r"^CPU name:\s.*\n(?:.*\n){1,5}?Group 1", "LIKWID", "its CSV: likwid-perfctr -o results.csv"),
    (r"^Job ID: .*\n(?:.*\n){1,8}?CPU Efficiency:", "seff", SACCT),
    (r"^ *JobID +.*\n-{3,} -{3,}", "sacct", SACCT),
    (r'\A\{\s{0,20}"graph"\s{0,20}:', "Hatchet", "the profile from which it was made, such as a .cali file"),
    (r"^==\d+== NVPROF is profiling", "nvprof", "its table: nvprof --csv --log-file profile.csv"),
    (r"^==PROF== ", "Nsight Compute", "its table: ncu --csv --page raw"),
    (
        r"^FUNCTION SUMMARY \((?:total|mean)\):|^%Time +Exclusive +Inclusive",
        "TAU’s pprof",
        "the files profile.*",
    ),
    (r"^# Overhead +", "perf report", "what perf stat prints, with -j or without"),
    (r"<HPCToolkitExperiment ", "HPCToolkit", "a table of times by function, e.g. with Hatchet’s to_csv"),
    (r"^Path +.*Time \(E\)|^Path +Min time/rank", "Caliper’s runtime report", "the profile itself (.cali)"),
)
"""Pattern of a tool's printed output, the tool, and what to send instead."""
PROBED = 16 * 1024
"""Number of first characters in which the patterns of `PRINTED` are searched."""
FORMATS_READ = "one of the formats that the portal's help lists under “What can be uploaded”"
TABLE = (
    "or a table with the names of its columns above the values, e.g. “processes,time” above “64,1.73”; or "
    "lines such as “Total time: 1.73 s”, with the options parameters=…; metrics=… that name the lines to read"
)

WORKBOOKS = {
    "an Excel workbook": {"[Content_Types].xml", "xl/workbook.xml"},
    "an OpenDocument file, such as a spreadsheet of LibreOffice": {
        "mimetype",
        "content.xml",
        "META-INF/manifest.xml",
    },
}
"""Kind of a spreadsheet → files that every zip archive of this kind contains."""

DEPENDENCIES = (
    "the dependencies of functions, as Perf-Taint writes them, and no measurements",
    "measurements; a maintainer can send this file on the application's settings page, "
    "or by PUT to applications/<slug>/dependencies/",
)
"""A description of Perf-Taint's files, and where to upload them."""

HTML = re.compile(r"<(!doctype\s+html|html)\b", re.IGNORECASE)
TITLE = re.compile(r"<title[^<>]{0,200}>([^<]{1,200})", re.IGNORECASE)
ELEMENT = re.compile(r"<([A-Za-z_][\w.:-]{0,60})")
NUMBER = re.compile(r"[-+]?(\d{1,40}\.?\d{0,40}|\.\d{1,40})([eE][-+]?\d{1,4})?")
SEPARATORS = "\t;,|"
ROWS = 3
"""Number of lines with equally many cells that are a table."""
COMMENTS = 20
"""Largest number of comment lines above a table."""
HEADER = (
    "the names of the columns in the first line, separated as the numbers are, e.g. “processes,time” above "
    "“64,1.73”"
)
LIST = re.compile(r"\[\s{0,200}[\[{\"]")
"""Matches the beginning of a JSON list. Lines of a log may begin with [, too."""
KEY = re.compile(r'"([^"\\]{1,60})"\s{0,20}:')


def unrecognised(source: Source) -> FormatError:
    """Return the error for unrecognised content, with a description and what to send instead."""
    if source.packed:
        if workbook := workbook_of(source.names):
            return FormatError(workbook, "its sheet with the measurements, saved as “CSV UTF-8”")
        if source.archive.links and not source.names:
            found = f"an archive of links only: {_listed(list(source.archive.links))}"
            return FormatError(
                found, "the files to which they refer: tar --dereference, zip without --symlinks"
            )
        return FormatError(_archive(source.names), FORMATS_READ)
    with source.open() as file:
        begin = file.read(BEGIN)
    return _mistaken(source, begin) or FormatError(_content(source, begin), f"{FORMATS_READ}; {TABLE}")


def workbook_of(names: Iterable[str]) -> str:
    """Return which kind of spreadsheet an archive of files with these names is, or ""."""
    known = set(names)
    return next((kind for kind, files in WORKBOOKS.items() if files <= known), "")


def _mistaken(source: Source, begin: bytes) -> FormatError | None:
    """Return the error for content that is often sent by mistake, with what to send instead."""
    for signature, found, expected in BINARY:
        if begin.startswith(signature):
            return FormatError(found, expected)
    for pattern, tool, expected in PRINTED:
        if re.search(pattern, source.head[:PROBED], re.MULTILINE):
            return FormatError(f"the text that {tool} prints", expected)
    if HTML.match(source.head):
        return FormatError(
            _page(source.head), f"{MEASUREMENTS}; a download that needs a sign-in saves such a page"
        )
    if holds_dependencies(source):
        return FormatError(*DEPENDENCIES)
    return _without_names(source.head)


def _without_names(head: str) -> FormatError | None:
    """Return the error for a table without a header, if the text begins with one."""
    numbers = _numbers(head)
    line = _nameless(head) if numbers is None else numbers
    if line is None:
        return None
    kind = "a table without names of its columns" if numbers is None else "a table of numbers without names"
    return FormatError(f"{kind}, whose first line is {quoted(line.expandtabs(1))}", HEADER)


def _numbers(head: str) -> str | None:
    """Return the first line that is not a comment, if it consists of several numbers."""
    lines = (line.strip() for line in head.splitlines()[:COMMENTS])
    line = next((line for line in lines if line and not line.startswith(("#", "%"))), "")
    cells = re.split(r"[,;\s]+", line[:1000])
    return line if len(cells) > 1 and all(map(NUMBER.fullmatch, cells[:SHOWN])) else None


def _nameless(head: str) -> str | None:
    """Return the first line if all first lines have equally many cells, and one column has only numbers."""
    lines = head.splitlines()[:SHOWN]
    separator = max(SEPARATORS, key=lines[0].count) if lines else ""
    rows = [[cell.strip() for cell in line.split(separator)] for line in lines] if separator else []
    if len(rows) < ROWS or len(widths := set(map(len, rows))) > 1 or widths == {1}:
        return None
    columns = zip(*rows, strict=True)
    return lines[0] if any(all(map(NUMBER.fullmatch, column)) for column in columns) else None


def _archive(names: list[str]) -> str:
    return f"an archive of files that were not recognised: {_listed(names)}" if names else "an empty archive"


def _page(head: str) -> str:
    title = TITLE.search(head)
    return f"an HTML page titled {quoted(title[1].strip())}" if title else "an HTML page"


def _content(source: Source, begin: bytes) -> str:
    """Describe JSON by its keys, XML by its first element, text by its first line, others by their bytes."""
    head = source.head
    if "\0" in head or head.count("�") > len(head) // 20:
        return f"a binary file that was not recognised, which begins with the bytes {begin.hex(' ')}"
    if head.startswith("{"):
        keys = list(source.document.sections)
        return f"JSON that was not recognised, an object with {_keys(keys)}"
    if LIST.match(head):
        return f"JSON that was not recognised, a list with {_keys(list(dict.fromkeys(KEY.findall(head))))}"
    if element := ELEMENT.search(head) if head.startswith("<") else None:
        return f"XML that was not recognised, whose first element is {quoted(element[1])}"
    return f"a text that was not recognised, whose first line is {quoted(source.first_line)}"


def _keys(keys: list[str]) -> str:
    return f"the keys {_listed(keys)}" if keys else "no keys"


def _listed(names: list[str]) -> str:
    shown = ", ".join(map(quoted, names[:SHOWN]))
    return f"{shown} and {len(names) - SHOWN} more" if len(names) > SHOWN else shown
