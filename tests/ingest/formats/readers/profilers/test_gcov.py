"""Counts of executed lines, measured with gcov."""

import gzip
import json

import pytest

from ingest.formats import FormatError, parse
from tests.ingest.formats import cubex


def counts(n, **more):
    """Return the counts of main, and of a function with three nested loops of n iterations."""
    lines = [
        {"line_number": 1, "function_name": "_Z4cubei", "count": n**3 + n**2 + n + 1, "branches": []},
        {"line_number": 2, "function_name": "_Z4cubei", "count": n**3, "branches": []},
        {"line_number": 5, "function_name": "main", "count": 1, "branches": []},
        {"line_number": 6, "count": 1},
    ]
    functions = [
        {"name": "_Z4cubei", "demangled_name": "cube(int)", "execution_count": 2},
        {"name": "main", "execution_count": 1},
    ]
    file = {"file": "a.c", "functions": functions, "lines": lines, **more}
    return {"gcc_version": "12", "format_version": "1", "files": [file]}


@pytest.fixture
def read(tmp_path):
    def read(files, point=""):
        path = tmp_path / "runs.tar"
        contents = {
            name: content if isinstance(content, bytes) else json.dumps(content, indent=1).encode()
            for name, content in files.items()
        }
        path.write_bytes(cubex.tar(contents))
        return parse(path, point=point)

    return read


def test_gcov(read):
    campaign = read({f"app.n{n}/a.gcov.json": counts(n) for n in (2, 4)})
    assert campaign.format == "gcov"
    assert campaign.parameters == ("n",)
    assert campaign.points.tolist() == [[2.0], [4.0]]
    assert campaign.series["cube(int)", "basic_blocks"].tolist() == [[23.0], [149.0]]
    assert campaign.series["cube(int)", "visits"].tolist() == [[2.0], [2.0]]
    assert campaign.series["main", "basic_blocks"].tolist() == [[1.0], [1.0]]


def test_files_of_one_run_are_added_and_may_be_packed(read):
    packed = gzip.compress(json.dumps(counts(2)).encode())
    campaign = read({"app.n2.r1/a.gcov.json.gz": packed, "app.n2.r1/b.gcov.json": counts(2)})
    assert campaign.series["cube(int)", "visits"].tolist() == [[4.0]]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (counts(2, functions=7), "without a list of functions"),
        (counts(2, lines=None), "without a list of lines"),
        (counts(2, functions=[7]), "“7.0”"),
        (counts(2, functions=[{"name": "f"}]), "execution_count “[null]”"),
        (counts(2, functions=[{"name": 7, "execution_count": 1}]), "the name “7.0”"),
        (counts(2, lines=[{"function_name": "f", "count": "x"}]), 'count “["x"]”'),
        ({"gcc_version": "12"}, "no key “files”"),
        (b"hello", "“hello”"),
        (b"\x1f\x8bhello", "a damaged gzip file"),
        (gzip.compress(b"{}", mtime=0)[:-3], "cut off"),
    ],
)
def test_invalid_counts_are_refused(read, content, found):
    name = "app.n2/a.gcov.json.gz" if isinstance(content, bytes) else "app.n2/a.gcov.json"
    with pytest.raises(FormatError) as raised:
        read({name: content})
    assert found in raised.value.found
    assert raised.value.file == f"runs.tar, {name}"


def test_without_a_point_counts_are_one_configuration(read):
    campaign = read({"a.gcov.json": counts(2)})
    assert (campaign.parameters, campaign.points.tolist()) == (("configuration",), [[1.0]])
    assert campaign.notes[0].startswith("the file names no parameters")
    campaign = read({f"run{n}/a.gcov.json": counts(n) for n in (2, 4)}, point="run{n}/")
    assert (campaign.parameters, campaign.points.tolist()) == (("n",), [[2.0], [4.0]])
