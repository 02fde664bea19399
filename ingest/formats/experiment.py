"""Extra-P's own experiments, version 4: a zip file with the extension .extra-p.

`experiment.json` holds, by kernel and metric, the statistics of each point; where values were kept they lie
in `values/N.vals`, and `[N, index]` tells which. An experiment without them is read as one value a point: the
mean.
"""

import io
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.lib import format as npy

from ingest.formats.campaign import Campaign, FloatArray
from ingest.formats.collector import Collector
from ingest.formats.document import Document
from ingest.formats.errors import FormatError, quoted
from ingest.formats.json_text import check_numbers, members
from ingest.formats.names import kernel_path, short_name
from ingest.formats.source import Source
from ingest.formats.text import decoded

NAME = "extra-p"
TITLE = "Extra-P experiment (.extra-p)"
PACKED = True
DOCUMENT = "experiment.json"
VALUES = b"Extra-P VALUES\0\0"


def recognises(source: Source) -> bool:
    """An archive with an experiment in it."""
    return DOCUMENT in source.names


def read(source: Source) -> Campaign:
    """Read entry by entry."""
    files = dict(source.files(lambda name: name == DOCUMENT or name.endswith(".vals")))
    if DOCUMENT not in files:
        raise FormatError("an archive without experiment.json", "an experiment saved by Extra-P 4")
    if len(files[DOCUMENT]) > source.limits.document_bytes:
        raise FormatError(
            "an experiment.json that is too large", f"{source.limits.document_bytes} bytes at most"
        )
    document: Document | None = None
    try:
        document = Document(decoded(files.pop(DOCUMENT), 1), source.limits)
        return _read(document, {name: _arrays(data, name) for name, data in files.items()}, source)
    except FormatError as error:
        line = document.line if document else 1
        raise (error if error.file else error.at(line).inside(DOCUMENT)) from None


def _read(document: Document, arrays: Mapping[str, list[FloatArray]], source: Source) -> Campaign:
    collector, spreads = Collector(source.limits), list[float]()
    document.enter("parameters")
    collector.declare([short_name(name, "a parameter", source.limits) for name in document.elements()])
    document.enter("measurements")
    for key in document.members():
        kernel = kernel_path(key, source.limits)
        for metric in document.members():
            series = collector.series(kernel, metric)
            for entry in document.elements():
                fields = _fields(entry)
                values = _values(fields, arrays, spreads)
                collector.add(series, collector.point(fields["coordinate"]), values, document.line)
    campaign = collector.campaign(NAME)
    if not spreads:
        return campaign
    spread = sorted(spreads)[len(spreads) // 2]
    note = f"only statistics were kept: means are read; their runs spread by {spread:.1%} in the median"
    return replace(campaign, notes=(note, *campaign.notes), metadata={"relative standard deviation": spread})


def _fields(entry: Any) -> dict[str, Any]:
    expected = 'an object with "coordinate", "mean" and "values"'
    fields = members(entry, expected)
    if not fields.keys() >= {"coordinate", "mean"} or not isinstance(fields["coordinate"], list):
        raise FormatError(f"an object with {quoted(', '.join(fields))}", expected)
    check_numbers(fields["coordinate"], "the coordinate")
    return fields


def _values(
    fields: dict[str, Any], arrays: Mapping[str, list[FloatArray]], spreads: list[float]
) -> list[float]:
    """The repetitions of an entry, or their mean where only that was kept."""
    place = fields.get("values")
    if place is None:
        check_numbers([fields["mean"]], "the mean")
        deviation = fields.get("std")
        if isinstance(deviation, float) and fields["mean"]:
            spreads.append(deviation / fields["mean"])
        return [fields["mean"]]
    try:
        chunk, index = map(int, place)
        array = arrays[f"values/{chunk}.vals"][index] if index >= 0 else None
    except (KeyError, IndexError, TypeError, ValueError, OverflowError):
        array = None
    if array is None:
        raise FormatError(f"values {quoted(place)}", "the number of a file of values, and a place in it")
    runs: list[float] = array.reshape(len(array), -1).mean(axis=1).tolist()  # ranks are no repetitions
    return runs


def _arrays(data: bytes, name: str) -> list[FloatArray]:
    """All arrays of a file of values.

    Raises:
        FormatError: it is none, or damaged.
    """
    file = io.BytesIO(data)
    found = []
    try:
        if file.read(len(VALUES)) != VALUES:
            raise ValueError("no file of values")
        while file.tell() < len(data):
            found.append(_array(file))
    except ValueError as error:
        raise FormatError(f"a damaged array: {quoted(error)}", "arrays of numbers").inside(name) from None
    return found


def _array(file: io.BytesIO) -> FloatArray:
    """The next array; nothing is made as large as a header merely says."""
    version = npy.read_magic(file)
    reader = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran, dtype = reader(file)
    if dtype.kind not in "fiu" or not 1 <= len(shape) <= 2 or not all(shape):
        raise ValueError(f"{shape} of {dtype}")
    size = int(np.prod(shape, dtype=object)) * dtype.itemsize
    if size > len(file.getbuffer()) - file.tell():
        raise ValueError(f"{shape} of {dtype} in too few bytes")
    values = np.frombuffer(file.read(size), dtype)
    return values.reshape(shape, order="F" if fortran else "C").astype(float)
