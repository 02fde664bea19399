"""Hostile files: each is either refused or read, within 2 seconds and 200 MiB."""

import itertools
import json
import subprocess
import sys
import time

import pytest

from ingest.formats import FormatError, parse
from tests.ingest.formats.memory import seconds_of_children

MEASURED = '{"params": {"p": 8}, "value": 1}'
DEEP = 100_000
MANY = 300_000


def sparse(kernels: int) -> str:
    """Return a file in which every kernel has its own point. A full table would grow with the square of the
    kernels.
    """
    rows = ({"params": {"p": index + 1}, "callpath": f"k{index}", "value": 1} for index in range(kernels))
    return "\n".join(map(json.dumps, rows))


def towers(paths: int) -> str:
    """Return call paths of 150 callers each, none of which is shared."""
    rows = (
        {"params": {"p": 1}, "callpath": "->".join(f"{path}.{level}" for level in range(150)), "value": 1}
        for path in range(paths)
    )
    return "\n".join(map(json.dumps, rows))


def permuted(lines: int) -> str:
    """Return lines that name the parameters in different orders."""
    orders = itertools.islice(itertools.permutations([f"p{index}" for index in range(20)]), lines)
    return "\n".join(json.dumps({"params": dict.fromkeys(names, 8), "value": 1}) for names in orders)


HOSTILE = {
    "carriage returns within lines": (lambda: 'a,b\r,c"\rd\n' * 100, "not recognised|cells"),
    "a printed table of a million cells": (
        lambda: "Hello\nYou there\nranks time\n" + "2 8\n" * 600_000 + "Good bye then\n",
        "repetitions|cells",
    ),
    "deep lists": (lambda: "[" * DEEP, "not recognised"),
    "deep objects": (lambda: '{"a":' * DEEP, "nested deeper"),
    "deep value in a line": (lambda: '{"params": {"p": 8}, "value": ' + "[" * DEEP, "nested deeper"),
    "brackets in texts that hide the depth": (
        lambda: '{"params": {"p": 8}, "value": ' + '["]",' * DEEP,
        "nested deeper",
    ),
    "brackets in texts of a document": (lambda: '{"measurements": ' + '["]",' * DEEP, "nested deeper"),
    "quotes that never end": (lambda: '{"params": "' + '\\"' * MANY, "closing quote|no JSON"),
    "quotes that never end in a document": (lambda: '{"measurements": {"' + '\\"' * MANY, "closing quote"),
    "many brackets that never end": (lambda: '{"measurements": [' + "[1,2," * DEEP, "nested deeper"),
    "many empty lists": (lambda: '{"measurements": [' + "[]," * MANY + "[]]}", "no key “parameters”"),
    "many empty objects as points": (
        lambda: '{"parameters": ["p"], "measurements": {"a": {"t": [' + "{}," * MANY + "{}]}}}",
        "line 1: found an object with",
    ),
    "an entry without end": (
        lambda: '{"parameters": ["p"], "measurements": {"a": {"t": [[' + "1," * 4_300_000 + "1]]}}}",
        "an entry of over",
    ),
    "a line without end": (lambda: MEASURED + " " * 5_000_000, "a line of over"),
    "a huge integer": (lambda: MEASURED.replace("1}", "9" * MANY + "}"), "“inf”"),
    "a huge coordinate": (lambda: MEASURED.replace("8", "9" * MANY), "“inf”"),
    "a huge number in a text": (lambda: "PARAMETER p\nPOINTS 8\nDATA " + "9" * MANY, "“inf”"),
    "a coordinate whose powers overflow": (lambda: MEASURED.replace("8", "1e200"), "from 1e-30 to 1e[+]30"),
    "a value whose square overflows": (lambda: MEASURED.replace("1}", "1e308}"), "from 1e-60 to 1e[+]60"),
    "a value whose square is 0": (lambda: MEASURED.replace("1}", "5e-324}"), "from 1e-60 to 1e[+]60"),
    "digits of another script": (lambda: "PARAMETER p\nPOINTS 8\nDATA ١", "“١”"),
    "underscores in a number": (lambda: "PARAMETER p\nPOINTS 8\nDATA 1_000", "“1_000”"),
    "parentheses only": (lambda: "PARAMETER p n\nPOINTS " + "(" * MANY, "no points"),
    "a point a kernel": (lambda: sparse(5_000), "values with the missing ones"),
    "many callers": (lambda: towers(400), "more than 50000 kernels"),
    "a name without end": (
        lambda: MEASURED.replace("}, ", '}, "callpath": "' + "a" * MANY + '", '),
        "a name of",
    ),
    "many levels": (lambda: MEASURED.replace("}, ", '}, "callpath": "' + "a->" * MANY + 'a", '), "a name of"),
    "many columns": (
        lambda: "p,time\n".replace("p", ",".join(f"p{i}" for i in range(9_000))) + "1,2\n",
        "a row of 2|9001 columns",
    ),
    "columns of one name": (lambda: "p" + ",x" * 4_000 + "\n1" + ",1" * 4_000, "two columns"),
    "a table of long cells": (lambda: "p,time\n" + f"1,{'9' * 100_000}\n" * 100, "“inf”|in the column time"),
    "a header of numbers": (
        lambda: "kernel," + ",".join(map(str, range(1, 9_000))) + "\na,1\n",
        "a row of 2 cells",
    ),
    "cells that all differ": (
        lambda: "p,time\n" + "".join(f"{i},x{i}\n" for i in range(1, MANY)),
        "more than 5000 different texts in the column time",
    ),
    "many tables": (lambda: "| p | time |\n|---|---|\nx\n" * MANY, "no points"),
    "test cases of nothing": (
        lambda: '{"session_info": {}, "runs": [{"testcases": [' + "[]," * MANY + "[]]}]}",
        "“",
    ),
    "a log of no values": (
        lambda: "a|reframe 3|t|jobid=1|x=1|ref=0\n" + "|" * MANY,
        "expected a line with a test",
    ),
    "keys of nothing known": (
        lambda: "{" + ",".join(f'"k{index}": 1' for index in range(MANY)) + "}",
        "more than 10000 keys",
    ),
    "kernels without metrics": (
        lambda: (
            '{"parameters": ["p"], "measurements": {' + ",".join(f'"k{k}": {{}}' for k in range(MANY)) + "}}"
        ),
        "more than 100000 keys",
    ),
    "brackets, some of them in texts": (
        lambda: '{"measurements": [' + '["\\\\", "\\"]", [[], "["]],' * 100_000 + "[]]}",
        "no key “parameters”",
    ),
    "deep behind many flat ones": (
        lambda: '{"measurements": [' + "[[1]]," * 1_000 + "[" * DEEP,
        "nested deeper",
    ),
    "a text without end behind many lists": (
        lambda: '{"measurements": [' + "[[1]]," * 1_000 + '"',
        "closing quote",
    ),
    "parameters in every order": (lambda: permuted(10_001), "10001 repetitions"),
    "a document of letters that take four bytes": (
        lambda: '{"measurements": ["\U0001f600"' + ", 1" * 5_000_000 + "]}",
        "no key “parameters”",
    ),
    "null characters in a table": (lambda: "p,time\n1,2\n\0,\0\n", "line 3: found a null character"),
    "blank lines": (lambda: MEASURED + "\n" * 500_010, "more than 500000 lines without measurements"),
    "blank rows": (lambda: "p,time\n1,2\n" + ",\n" * 500_010, "more than 500000 lines without measurements"),
    "comments": (lambda: "PARAMETER p\n" + "#\n" * 500_010, "more than 500000 lines without measurements"),
    "lines between tables": (
        lambda: "# OSU MPI Latency Test\n# Size  Latency (us)\n" + "x\n" * 500_010,
        "more than 500000 lines without measurements",
    ),
    "results that failed": (
        lambda: '{"context": {}, "benchmarks": [' + '{"error_occurred": true},' * 50_000 + "{}]}",
        "more than 50000 results",
    ),
    "test cases that failed": (
        lambda: (
            '{"session_info": {}, "runs": [{"testcases": ['
            + '{"name": "a", "result": "fail"},' * 50_000
            + "{}]}]}"
        ),
        "more than 50000 test cases",
    ),
    "results with many metrics": (
        lambda: (
            '{"context": {}, "benchmarks": ['
            + ",".join(
                [
                    '{"name": "a", "time_unit": "s", '
                    + ",".join(f'"c{place}": 1' for place in range(999))
                    + "}"
                ]
                * 1_100
            )
            + "]}"
        ),
        "more than 1000000 metrics",
    ),
    "events that are never counted": (
        lambda: "".join(
            f'{{"counter-value": "<not counted>", "event": "e{event}"}}\n' for event in range(2_000)
        ),
        "more than 1000 events",
    ),
    "a log of many columns": (
        lambda: "name|" + "|".join(f"c{c}_value" for c in range(6_000)),
        "6001 columns",
    ),
    "columns in their thousands": (
        lambda: ",".join(f"c{place}" for place in range(100_000)) + "\n1" + ",1" * 99_999,
        "100000 columns",
    ),
    "columns of runs": (
        lambda: "p," + ",".join(f"run{run}" for run in range(4_900)) + ("\n1" + ",1" * 4_900) * 20,
        "24500 repetitions at one point",
    ),
    "packages of Go": (
        lambda: "".join(
            f'{{"Action":"output","Package":"{place}","Output":"BenchmarkA 1 1 ns/op\\n"}}\n'
            for place in range(30_000)
        ),
        "without the end of a line",
    ),
    "too many repetitions": (lambda: (MEASURED + "\n") * 10_001, "10001 repetitions"),
    "null characters": (lambda: "\0" * MANY, "not recognised"),
    "UTF-16 that is cut off": (
        lambda: MEASURED.encode("utf-16")[:-1],
        "which is not UTF-16; expected a text in UTF-8",
    ),
    "no UTF-8 behind the first line": (
        lambda: MEASURED.encode() + b"\n\xc3\x28",
        "line 2: found the byte 0xc3",
    ),
    "a number that is no name": (
        lambda: '{"params": {"p": 8}, "value": 1, "callpath": [[]]}',
        "as the name of a kernel",
    ),
    "a heading without end": (lambda: "time,p" + " " * MANY + "q\n1,2", "field larger than"),
    "a table of quotes": (lambda: "p,time\n1," + '"' * MANY, "no table"),
    "semicolons without end": (lambda: '{"parameters": {"p": 8}; "value": ' + ";" * MANY, "no JSON"),
    "many results": (
        lambda: (
            '{"context": {}, "benchmarks": ['
            + '{"name": "a", "real_time": 1},' * 50_000
            + '{"name": "a", "real_time": 1}]}'
        ),
        "more than 50000 results",
    ),
    "rounds without end": (
        lambda: (
            '{"machine_info": {}, "benchmarks": [{"name": "a", "stats": {"data": ['
            + "1," * 2_000_000
            + "1]}}]}"
        ),
        "more than 2000000 rounds",
    ),
    "a name of templates without end": (
        lambda: '{"context": {}, "benchmarks": [{"name": "' + "</" * 100_000 + '"}]}',
        "no results",
    ),
    "a name of aggregates without end": (
        lambda: '{"context": {}, "benchmarks": [{"name": "' + "_mean" * 100_000 + '"}]}',
        "no results",
    ),
    "many runs of commands": (
        lambda: '{"results": [' + '{"command": "a", "mean": 1},' * 50_000 + '{"command": "a", "mean": 1}]}',
        "more than 50000 results",
    ),
    "a row of lines without end": (
        lambda: "p,time\n1,2\n" + '"\n",' * 1_100_000,
        "a row of over 4194304 characters",
    ),
    "a command in quotes without end": (lambda: "command,mean,stddev\n" + '"a\n' * MANY, "no table"),
    "deep forks": (lambda: '[{"benchmark": "a", "primaryMetric": ' + "[" * DEEP, "nested deeper"),
    "many benchmarks of Java": (
        lambda: (
            '[{"benchmark":"a","mode":"avgt","primaryMetric":{}}'
            + ',{"benchmark":[],"mode":"ss"}' * MANY
            + "]"
        ),
        "the benchmark “\\[\\]”",
    ),
    "many results of Go": (lambda: "BenchmarkA-8 1 1 ns/op\n" * 50_001, "more than 50000 results"),
    "a result of Go that is never finished": (
        lambda: '{"Action":"output","Output":"Benchmark 1 ns/op"}\n' * MANY,
        "without the end of a line",
    ),
    "a deep event of Go": (
        lambda: '{"Action":"output","Output":"Benchmark 1 ns/op"}\n{"Action":"output","Output":' + "[" * DEEP,
        "found no result",
    ),
    "entities": (
        lambda: (
            '<?xml version="1.0"?><!DOCTYPE Catch [<!ENTITY a "'
            + "a" * 1000
            + '"><!ENTITY b "'
            + "&a;" * 1000
            + '">]><Catch name="&b;"/>'
        ),
        "the document type",
    ),
    "many elements": (lambda: '<Catch name="a">' + "<a/>" * MANY + "</Catch>", "without benchmarks"),
    "deep sections": (lambda: '<Catch name="a">' + '<Section name="a">' * DEEP, "no XML"),
    "an attribute without end": (lambda: '<Catch name="' + "a" * MANY, "no XML"),
    "a zip file": (lambda: b"PK\x03\x04" + bytes(1000), "a zip file that is cut off"),
}
"""Functions that return a hostile file, and what is found in it.

Each file is made only for its test: together they take a second and much memory, with which forking each
reader takes longer.
"""


@pytest.fixture(params=HOSTILE)
def hostile(request, tmp_path):
    content, found = HOSTILE[request.param]
    path = tmp_path / "hostile"
    write(path, content())
    return path, found


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def test_a_hostile_file_is_refused_in_time(hostile):
    path, found = hostile
    assert seconds_to_refuse(path, found) < 2 or seconds_to_refuse(path, found) < 2


def seconds_to_refuse(path, found):
    """Return the processor time that refusing a file takes, including that of child processes.

    Children that an earlier test has left behind count as well if they end meanwhile.
    """
    begun = time.process_time() + seconds_of_children()
    with pytest.raises(FormatError, match=found):
        parse(path)
    return time.process_time() + seconds_of_children() - begun


MEASURE = """
import sys
import ingest.formats
from tests.ingest.formats.memory import most, most_of_children
before = most()
for path in sys.argv[1:]:
    try:
        ingest.formats.parse(path)
    except ingest.formats.FormatError:
        pass
print(max(most(), most_of_children()) - before)
"""


def test_all_hostile_files_together_take_less_than_200_mib(tmp_path):
    paths = []
    for index, (content, _) in enumerate(HOSTILE.values()):
        paths.append(tmp_path / str(index))
        write(paths[-1], content())
    answer = subprocess.run(
        [sys.executable, "-c", MEASURE, *paths], capture_output=True, text=True, check=True
    )
    assert int(answer.stdout) * 1024 < 200 * 1024**2


def test_a_million_values_take_little_more_memory_than_their_text(tmp_path):
    path = tmp_path / "campaign.jsonl"
    values = json.dumps([1.25] * 1000)
    with path.open("w") as file:
        for kernel in range(1000):
            file.write(f'{{"params": {{"p": 8}}, "callpath": "k{kernel}", "value": {values}}}\n')
    answer = subprocess.run([sys.executable, "-c", MEASURE, path], capture_output=True, text=True, check=True)
    assert int(answer.stdout) * 1024 < 100 * 1024**2
