"""Writes synthetic profiles in the format of Score-P."""

import gzip
import io
import struct
import tarfile
import zlib
from dataclasses import dataclass
from xml.sax.saxutils import escape

import numpy as np


@dataclass(frozen=True)
class Measured:
    """A metric. `values` has a row for each stored call, and `calls` has the positions of these calls in the
    metric's order.
    """

    name: str
    values: np.ndarray
    calls: tuple[int, ...]
    type: str = "DOUBLE"
    kind: str = "EXCLUSIVE"
    unit: str = "sec"


def system(locations):
    """Return the XML of the processes and their threads. A single number means one process with this number
    of threads.
    """
    processes, threads = (1, locations) if isinstance(locations, int) else locations
    groups = []
    for process in range(processes):
        places = "".join(
            f'<location Id="{process * threads + number}"><name>thread</name><rank>{number}</rank>'
            "<type>thread</type></location>"
            for number in range(threads)
        )
        groups.append(
            f'<locationgroup Id="{process}"><name>p</name><rank>{process}</rank><type>process</type>{places}'
            "</locationgroup>"
        )
    return "".join(groups)


def anchor(tree, metrics, locations):
    """Return the content of anchor.xml. A tree is (name, [trees])."""
    names: list[str] = []
    parts = ['<?xml version="1.0" encoding="UTF-8"?>\n<cube version="4.5">\n<metrics>']
    for number, metric in enumerate(metrics):
        parts.append(
            f'<metric id="{number}" type="{metric.kind}"><disp_name>{metric.name}</disp_name>'
            f"<uniq_name>{metric.name}</uniq_name><dtype>{metric.type}</dtype><uom>{metric.unit}</uom>"
            "<url></url><descr></descr></metric>"
        )
    calls = _calls(tree, names, [0])
    regions = "".join(
        f'<region id="{number}" mod="" begin="-1" end="-1"><name>{escape(name)}</name></region>'
        for number, name in enumerate(names)
    )
    parts.append(
        f'</metrics>\n<program>{regions}{calls}</program>\n<system><systemtreenode Id="0" class="machine">'
        f"<name>here</name>{system(locations)}</systemtreenode></system>\n</cube>"
    )
    return "".join(parts).encode()


def _calls(tree, names, count):
    name, children = tree
    number = count[0]
    count[0] += 1
    if name not in names:
        names.append(name)
    inner = "".join(_calls(child, names, count) for child in children)
    return f'<cnode id="{number}" calleeId="{names.index(name)}">{inner}</cnode>'


def index(metric, order="<"):
    head = struct.pack(order + "ihb", 1, 0, 1)
    return (
        b"CUBEX.INDEX"
        + head
        + struct.pack(f"{order}{1 + len(metric.calls)}i", len(metric.calls), *metric.calls)
    )


TYPES = {"DOUBLE": "f8", "MINDOUBLE": "f8", "MAXDOUBLE": "f8", "UINT64": "u8", "INT32": "i4"}


def data(metric, order="<", *, packed=False):
    raw = metric.values.astype(np.dtype(TYPES[metric.type]).newbyteorder(order)).tobytes()
    if not packed:
        return b"CUBEX.DATA" + raw
    half = len(raw) // 2
    pieces = [zlib.compress(raw[:half]), zlib.compress(raw[half:])]
    entries = [0, 0, len(pieces[0]), half, len(pieces[0]), len(pieces[1])]
    return b"ZCUBEX.DATA" + struct.pack(order + "7q", 2, *entries) + b"".join(pieces)


def files(tree, metrics, locations, order="<", *, packed=False):
    """Return the members of a profile by name."""
    described = anchor(tree, metrics, locations)
    found = {"anchor.xml": gzip.compress(described) if packed else described}
    for number, metric in enumerate(metrics):
        found[f"{number}.index"] = index(metric, order)
        found[f"{number}.data"] = data(metric, order, packed=packed)
    return found


def tar(members):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return file.getvalue()


def profile(tree, metrics, locations, order="<", *, packed=False):
    """Return the bytes of a `.cubex` file."""
    return tar(files(tree, metrics, locations, order, packed=packed))


def on_nodes(members, *nodes):
    """The members of a profile whose system tree names these nodes."""
    named = "".join(f"<name>node {node}</name>\n      <class>node</class>" for node in nodes)
    described = members["anchor.xml"].decode().replace("<name>here</name>", named)
    return {**members, "anchor.xml": described.encode()}


TREE = ("main", [("solve", [("MPI_Send", [])]), ("io", [])])


def simple(factor=1.0, processes=1, threads=2):
    """Return the tree, metrics and number of threads of a profile with four calls on two threads.

    The time is inclusive: 10, 6, 2 and 1 on the first thread, and twice as much on the second. All processes
    have the same values. With a single thread, only the values of the first thread are stored.
    """
    time = factor * np.array([[10, 20], [6, 12], [1, 2], [2, 4]])  # main, solve, io, MPI_Send: breadth first
    visits = np.array([[1, 1], [5, 7], [10, 14], [0, 1]])  # main, solve, MPI_Send, io: depth first
    every = (0, 1, 2, 3)
    time, visits = (np.tile(values[:, :threads], processes) for values in (time, visits))
    metrics = [
        Measured("visits", visits, every, "UINT64", unit="occ"),
        Measured("time", time, every, kind="INCLUSIVE"),
    ]
    return TREE, metrics, 2
