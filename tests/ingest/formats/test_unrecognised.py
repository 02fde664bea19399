"""Messages about files whose format is not recognised."""

import gzip
import io
import re
import tarfile
import zipfile

import pytest

from ingest.formats import FormatError, parse

LISTED = "one of the formats that the portal's help lists"
SIGN_IN = b"\n<!DOCTYPE html>\n<html><head><title> Sign in </title></head><body></body></html>"
HATCHET = (
    b'{"graph": [{"0": {"data": {"name": "main"}, "children": [1]}, "1": {"data": {"name": "solve"}, '
    b'"children": []}}], "dataframe": [{"node": 0, "time": 1.5, "name": "main"}, {"node": 1, "time": 1.0, '
    b'"name": "solve"}]}'
)

FILES = {
    "a text": (b"hello there\nworld", "a text .*, whose first line is “hello there”", LISTED),
    "an object": (b'{"a": 1, "b": [2]}', "JSON .*, an object with the keys “a”, “b”", LISTED),
    "an empty object": (b"{}", "an object with no keys", LISTED),
    "many keys": (b'{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}', "“e” and 2 more", LISTED),
    "a list": (b'[{"x": "a", "y": "b"}]', "a list with the keys “x”, “y”$", LISTED),
    "a log": (b"[12:30:01] begin\nend", "a text .*, whose first line is “.12:30:01. begin”", LISTED),
    "XML": (b"<?xml version='1.0'?><testsuite/>", "XML .*, whose first element is “testsuite”", LISTED),
    "unknown bytes": (b"\x01\x02\0\0abc", "begins with the bytes 01 02 00 00", LISTED),
    "a program": (b"\x7fELF\2\1\1\0", r"a program or library \(ELF\)", "not the program"),
    "a PDF": (b"%PDF-1.7\n", "a PDF document", "a file of measurements"),
    "an image": (b"\x89PNG\r\n\x1a\n", "a PNG image", "a file of measurements"),
    "an old experiment": (
        b"\x01\0\x11\0\0\0EXTRAP_EXPERIMENT\x09\0\0\0Parameter",
        "a binary experiment of Extra-P 3",
        "the file that Extra-P 4 saves",
    ),
    "an old experiment of another machine": (
        b"\0\x01\0\0\0\x11EXTRAP_EXPERIMENT\0\0\0\x09Parameter",
        "a binary experiment of Extra-P 3",
        "what Extra-P 3 had read",
    ),
    "a graph": (HATCHET, "the text that Hatchet prints", "the profile from which it was made"),
    "a page": (SIGN_IN, "an HTML page titled “Sign in”", "a download that needs a sign-in saves such a page"),
    "a page without title": (b"<html>", "an HTML page$", "a file of measurements"),
    "another packing": (b"\x28\xb5\x2f\xfd\0", "packed with zstd", "the file that is packed in it"),
    "numbers": (
        b"2, .379681024\n3, .361\n",
        "a table of numbers without names, .*“2, .379681024”",
        "processes,time",
    ),
    "numbers below a comment": (
        b"# p t\n512  5.08\n",
        "numbers without names, .*“512  5.08”",
        "the first line",
    ),
    "rows without a header": (
        b"2024-07-18 03:14\tstrong\tsize\t1\t795.9\n2024-07-18 03:22\tstrong\tsize\t2\t482.6\n"
        b"2024-07-18 03:28\tstrong\tsize\t3\t377.4\n",
        "a table without names of its columns, whose first line is “2024-07-18",
        "the names of the columns in the first line",
    ),
    "a number alone": (b"17\n18\n", "a text .*, whose first line is “17”", LISTED),
    "other texts of tools": (
        b"name  samples\nsort 12 x",
        "a text that was not recognised",
        "or a table with the names of its columns above the values",
    ),
    "hyperfine": (
        "Benchmark 1: ./a\n  Time (mean ± σ):  5 ms ± 1 ms".encode(),
        "hyperfine prints",
        "--export-json",
    ),
    "Criterion.rs": (b"sort    time:   [1.5 ms 1.6 ms 1.7 ms]", "Criterion.rs prints", "target/criterion"),
    "seff": (
        b"Job ID: 7\nCluster: c\nNodes: 4\nCPU Utilized: 10:00:00\nCPU Efficiency: 90.00% of 11:06:40",
        "seff prints",
        "sacct -P",
    ),
    "sacct": (
        b"JobID    JobName   MaxRSS\n-------- -------- --------\n7.0      solve     1024K",
        "sacct prints",
        "sacct -P",
    ),
    "nvprof": (b"==69== NVPROF is profiling process 69, command: ./a\n", "nvprof prints", "nvprof --csv"),
    "Nsight Compute": (b"==PROF== Connected to process 12 (a)\n[12] a@host\n", "Compute prints", "ncu --csv"),
    "pprof": (
        b"Reading Profile files in profile.*\n\nFUNCTION SUMMARY (mean):\n----\n%Time  Exclusive\n",
        "TAU’s pprof prints",
        "profile",
    ),
    "perf report": (
        b"# Samples: 10K of event 'cycles'\n#\n# Overhead  Command  Symbol\n    52.10%  a.out  [.] solve\n",
        "perf report prints",
        "perf stat",
    ),
    "HPCToolkit": (
        b'<?xml version="1.0"?>\n<HPCToolkitExperiment version="2.0"/>',
        "HPCToolkit prints",
        "Hatchet",
    ),
    "one packed file": (gzip.compress(b"p,time\n"), "whose first line is “p,time”", "one of"),
}


@pytest.mark.parametrize(("content", "found", "expected"), FILES.values(), ids=FILES)
def test_the_error_describes_what_the_file_looks_like(tmp_path, content, found, expected):
    path = tmp_path / "sent"
    path.write_bytes(content)
    with pytest.raises(FormatError) as raised:
        parse(path)
    assert re.search(found, raised.value.found)
    assert expected in raised.value.expected
    assert raised.value.file == "sent"


def test_an_archive_is_described_by_its_files(tmp_path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for number in range(7):
            file.writestr(f"notes-{number}.txt", "nothing")
    path = tmp_path / "notes.zip"
    path.write_bytes(packed.getvalue())
    with pytest.raises(FormatError, match=r"files that were not recognised: “notes-0.txt”, .* and 2 more"):
        parse(path)


def test_the_error_for_another_spreadsheet_advises_csv(tmp_path):
    path = tmp_path / "runs.ods"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("mimetype", "content.xml", "settings.xml", "META-INF/manifest.xml"):
            archive.writestr(name, "<office:document-content/>")
    with pytest.raises(FormatError, match=r"found an OpenDocument file, .* saved as “CSV UTF-8”"):
        parse(path)


def test_the_error_for_a_workbook_advises_csv(tmp_path):
    path = tmp_path / "results.csv"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("[Content_Types].xml", "xl/workbook.xml", "xl/worksheets/sheet1.xml"):
            archive.writestr(name, "<xml/>")
    with pytest.raises(
        FormatError, match=r"found an Excel workbook; expected its sheet .* saved as “CSV UTF-8”"
    ):
        parse(path)


def test_an_archive_of_links_alone_is_called_one(tmp_path):
    path = tmp_path / "runs.tar"
    with tarfile.open(path, "w") as archive:
        link = tarfile.TarInfo("p4.csv")
        link.type, link.linkname = tarfile.SYMTYPE, "/data/p4.csv"
        archive.addfile(link)
    with pytest.raises(FormatError, match="an archive of links only: “p4"):
        parse(path)


def test_json_of_mitata_is_not_taken_for_google_benchmark(tmp_path):
    path = tmp_path / "results.json"
    path.write_text('{"context": {}, "benchmarks": [{"alias": "sort", "runs": [{"name": "sort"}]}]}')
    with pytest.raises(FormatError, match="found JSON that was not recognised"):
        parse(path)
