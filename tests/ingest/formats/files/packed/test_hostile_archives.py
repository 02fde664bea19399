"""Hostile archives, profiles and logs: each is refused within 2 seconds and 200 MiB."""

import gzip
import io
import json
import subprocess
import sys
import zipfile
import zlib

import pytest

from ingest.formats import FormatError, parse
from tests.ingest.formats import cubex

XML = b'<?xml version="1.0" encoding="UTF-8"?>'


def cube(anchor):
    """Return a run whose profile has this content of anchor.xml."""
    members = {name: data for name, data in cubex.files(*cubex.simple()).items() if name != "anchor.xml"}
    return cubex.tar({"app.p2/profile.cubex": cubex.tar({"anchor.xml": anchor, **members})})


def zeros(size):
    """Return zeros, compressed with gzip."""
    squeeze = zlib.compressobj(1, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    pieces = [squeeze.compress(bytes(1_000_000)) for _ in range(size // 1_000_000)]
    return b"".join([*pieces, squeeze.flush()])


def zipped(**files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), content)
    return data.getvalue()


def token(size):
    """Return XML whose only attribute is so long, and so regular, that it compresses to almost nothing."""
    return gzip.compress(XML + b'<cube a="' + b"a" * size + b'"/>', 1)


def billion_laughs():
    entities = b'<!ENTITY a0 "ha">' + b"".join(
        b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 12)
    )
    return XML + b"<!DOCTYPE cube [" + entities + b"]><cube>&a11;</cube>"


def overlapping():
    """Return a zip file in which many members share the same compressed bytes."""
    data = bytearray(zipped(app_p1__profile_cubex=bytes(40_000_000)))
    place = data.rindex(b"PK\x01\x02")
    end = data.rindex(b"PK\x05\x06")
    entry, tail = bytes(data[place:end]), bytearray(data[end:])
    entries = b"".join(entry.replace(b"app.p1", b"app.p%d" % n) for n in range(1, 10))
    tail[8:12] = (9).to_bytes(2, "little") * 2
    tail[12:16] = len(entries).to_bytes(4, "little")
    return bytes(data[:place]) + entries + bytes(tail)


HOSTILE = {
    "a zip bomb": lambda: zipped(app_p2__profile_cubex=bytes(100_000_000)),
    "members that share their bytes": overlapping,
    "a gzip bomb": lambda: zeros(100_000_000),
    "a tar bomb": lambda: gzip.compress(cubex.tar({"app.p2/profile.cubex": bytes(100_000_000)}), 1),
    "entities that multiply": lambda: cube(billion_laughs()),
    "a token of 60 MB in a few bytes": lambda: cube(token(60_000_000)),
    "a token of 100 MB in a few bytes": lambda: cube(token(100_000_000)),
    "XML nested a million levels": lambda: cube(gzip.compress(XML + b"<cube>" + b"<cnode>" * 1_000_000)),
    "an experiment nested a million levels": lambda: zipped(
        experiment_json='{"parameters": ["p"], "measurements": ' + "[" * 1_000_000
    ),
    "an experiment of quotes": lambda: zipped(experiment_json='{"' + '\\"' * 5_000_000),
    "a huge integer in an experiment": lambda: zipped(experiment_json='{"parameters": ' + "9" * 5_000_000),
    "counts that unpack to very much": lambda: cubex.tar({"app.p2/a.gcov.json.gz": zeros(100_000_000)}),
    "a thousand empty members of one name": lambda: cubex.tar({"a.cubex": b""})[:512] * 1000 + bytes(1024),
    "very many members": lambda: cubex.tar({"a": b""})[:512] * 100_000 + bytes(1024),
    "a log of a region in itself": lambda: (
        b"__rec=node,id=50,attr=8,data=x,parent=51\n__rec=node,id=51,attr=8,data=x,parent=51\n__rec=ctx,ref=51"
    ),
    "a log of ever longer paths": lambda: b"\n".join(
        [
            b"__rec=node,id=20,attr=10,data=256,parent=3",
            b"__rec=node,id=21,attr=8,data=region,parent=20",
            b"__rec=node,id=100,attr=21,data=" + b"x" * 50,
            *(b"__rec=node,id=%d,attr=21,data=x,parent=%d" % (n, n - 1) for n in range(101, 20_100)),
            *(b"__rec=ctx,ref=%d" % n for n in range(100, 20_100)),
        ]
    ),
    "a log of a line without end": lambda: b"__rec=" + b"a=" * 3_000_000,
    "a table of very many columns": lambda: b",".join(b"c%d" % n for n in range(9000)) + b"\n1,2\n",
    "results of very many parameters": lambda: json.dumps(
        {"results": [{"command": "a", "mean": 1, "parameters": {f"p{n}": str(n + 1) for n in range(20_000)}}]}
    ).encode(),
}


MEASURE = """
import resource, sys, time
import ingest.formats
from tests.ingest.formats.memory import most
before = most()
begun = time.process_time()
try:
    ingest.formats.parse(sys.argv[1])
except ingest.formats.FormatError as error:
    print(error)
    assert error.file.startswith("hostile") and error.expected
    of_children = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(time.process_time() - begun + of_children.ru_utime + of_children.ru_stime)
    print(max(most(), of_children.ru_maxrss) - before)
"""
"""Prints the seconds and KiB that refusing a file takes, including those of the child process
that reads it.
"""


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_is_refused_with_little_time_and_memory(name, tmp_path):
    path = tmp_path / "hostile"
    path.write_bytes(HOSTILE[name]())
    answer = subprocess.run(
        [sys.executable, "-c", MEASURE, path], stdout=subprocess.PIPE, text=True, check=True
    )
    _, seconds, kibibytes = answer.stdout.splitlines()
    assert float(seconds) < 2
    assert int(kibibytes) * 1024 < 200 * 1024**2


def test_an_archive_cut_anywhere_is_refused(tmp_path):
    path = tmp_path / "cut"
    profiles = {
        "app.p2/a.cubex": cubex.profile(*cubex.simple()),
        "app.p4/a.cubex": cubex.profile(*cubex.simple(2)),
    }
    whole = gzip.compress(cubex.tar(profiles))
    for size in range(1, len(whole), len(whole) // 40):
        path.write_bytes(whole[:size])
        with pytest.raises(FormatError):
            parse(path)
