"""Hostile Caliper files: each is either refused or read, within 2 seconds of processor time."""

import contextlib
import json
import resource

import pytest

from ingest.formats import FormatError, parse
from tests.ingest.formats.cali import DOUBLE, NESTED, STRING, VALUE, Cali

MANY = 100_000


def started():
    """Return a file with a metric and a region, and the ids of both."""
    cali = Cali()
    return cali, cali.attribute("t", DOUBLE, VALUE), cali.attribute("region", STRING, NESTED)


def deep(levels):
    """Return a file in which each region calls the next one."""
    cali, time, region = started()
    node = cali.node(region, "x")
    for _ in range(levels):
        node = cali.node(region, "x", node)
    cali.record(node, {time: 1})
    return cali.content.decode()


def line(text):
    """Return a file that contains this line after some valid ones, and before others."""
    return f"{deep(2)}\n{text}\n{deep(2)}"


def split(nodes):
    return json.dumps(
        {
            "data": [[0, 1]],
            "columns": ["path", "time"],
            "column_metadata": [{"is_value": False}, {"is_value": True}],
            "nodes": [{"label": "x"}, *({"label": "x" * 20, "parent": number} for number in range(nodes))],
        }
    )


RECORD = '{"path": "main", "time": 1}'
HOSTILE = {
    "deep regions": (deep(5_000), "a call path of more than 1000 levels"),
    "a node inside itself": (line("__rec=node,id=99,attr=8,data=x,parent=99"), "inside itself"),
    "commas without end": (line("__rec=ctx," + "," * MANY), "read"),
    "backslashes without end": (line("__rec=ctx,ref=" + "\\" * (2 * MANY + 1)), "no record"),
    "escaped commas without end": (line("__rec=ctx,ref=" + "\\," * MANY), "no record"),
    "a huge number of a node": (line("__rec=node,attr=8,id=" + "9" * MANY), "no record"),
    "an infinite value": (json.dumps([{"path": "main", "time": 1e308}]).replace("308", "999"), "“inf”"),
    "deep nodes": (split(20_000), "201 levels"),
    "deep lists": (f"[{RECORD},{RECORD}," + "[" * MANY, "nested deeper"),
    "a record without end": (f"[{RECORD},{RECORD}," + '{"a' * MANY, "no JSON|nested|closing quote"),
    "a path without end": (f'[{RECORD},{{"time": 1, "path": "{"a/" * MANY}"}}]', "a name of|levels"),
    "metrics without end": (
        f"[{RECORD},{{{','.join(f'{json.dumps(str(key))}: 1' for key in range(MANY))}}}]",
        "read",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_or_read_in_time(name, tmp_path):
    content, found = HOSTILE[name]
    path = tmp_path / "hostile"
    path.write_text(content)
    begun = child_seconds()
    with contextlib.nullcontext() if found == "read" else pytest.raises(FormatError, match=found):
        parse(path, "caliper")
    assert child_seconds() - begun < 2


def child_seconds():
    """Return the processor time of child processes so far.

    Their memory is limited by the operating system.
    """
    taken = resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken.ru_utime + taken.ru_stime
