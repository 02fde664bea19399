"""Reads Extra-P's own experiments, version 4, which are zip files with the extension .extra-p.

`experiment.json` has the statistics of each point, by kernel and metric. If Extra-P kept the values, they are
in `values/N.vals`, and `[N, index]` refers to them. Otherwise the mean is the value of a point.

Kept values have the shape (repetitions, ranks and threads). Extra-P masks gaps of ragged lists and, with
"weak_threaded" scaling, idle threads. The mask is not saved, and masked values are 0. The saved mean shows
whether the zeros of the values are masked. If the saved mean fits neither case, only this mean is read. It
never fits after Extra-P has added the statistics of a callee to those of its caller.
"""

import io
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.lib import format as npy

from ingest.formats.campaign.campaign import Campaign, FloatArray
from ingest.formats.campaign.names import kernel_path, short_name
from ingest.formats.collecting.collector import Collector
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.document import Document
from ingest.formats.files.documents.json_text import check_numbers, members
from ingest.formats.files.source import Source
from ingest.formats.files.text import checked

NAME = "extra-p"
TITLE = "Extra-P experiment (.extra-p)"
PACKED = True
DOCUMENT = "experiment.json"
VALUES = b"Extra-P VALUES\0\0"
TAGS = "\x03"
"""Separates a name from its tags in files of older versions."""
AGREE = 1e-6
"""Relative difference up to which means are equal. The order of summation changes a mean far less."""


def recognises(source: Source) -> bool:
    """Recognise an archive with an experiment in it."""
    return DOCUMENT in source.names


def read(source: Source) -> Campaign:
    """Read one entry of the experiment after the other."""
    files = dict(source.files(lambda name: name == DOCUMENT or name.endswith(".vals")))
    if DOCUMENT not in files:
        raise FormatError("an archive without experiment.json", "an experiment saved by Extra-P 4")
    if len(files[DOCUMENT]) > source.limits.document_bytes:
        raise FormatError(
            "an experiment.json that is too large", f"at most {source.limits.document_bytes} bytes"
        )
    document: Document | None = None
    try:
        document = Document(checked(files.pop(DOCUMENT)), source.limits)
        return _read(document, {name: _arrays(data, name) for name, data in files.items()}, source)
    except FormatError as error:
        line = document.line if document else 1
        raise (error if error.file else error.at(line).inside(DOCUMENT)) from None


@dataclass
class Kept:
    """The values that an experiment kept for its points.

    Attributes:
        arrays: file of values → its arrays.
        spreads: relative standard deviation of each point for which only statistics were kept.
        unlike: number of points whose values contradict their statistics.
    """

    arrays: Mapping[str, list[FloatArray]]
    spreads: list[float] = field(default_factory=list)
    unlike: int = 0


def _read(document: Document, arrays: Mapping[str, list[FloatArray]], source: Source) -> Campaign:
    collector, kept = Collector(source.limits), Kept(arrays)
    document.enter("parameters")
    collector.declare([short_name(name, "a parameter", source.limits) for name in document.elements()])
    document.enter("measurements")
    for key in document.members():
        kernel = kernel_path(_untagged(key), source.limits)
        for metric in document.members():
            series = collector.series(kernel, _untagged(metric))
            for entry in document.elements():
                fields = _fields(entry)
                values = _values(fields, kept)
                if values:
                    collector.add(series, collector.point(fields["coordinate"]), values, document.line)
    campaign = collector.campaign(NAME)
    return _described(campaign, kept)


def _untagged(name: object) -> object:
    return name.partition(TAGS)[0] if isinstance(name, str) else name


def _described(campaign: Campaign, kept: Kept) -> Campaign:
    """Return the campaign with notes about which values Extra-P kept."""
    notes, metadata = list[str](), dict[str, object]()
    if kept.spreads:
        spread = sorted(kept.spreads)[len(kept.spreads) // 2]
        notes.append(
            f"only statistics were kept, so means are read; the median spread of the runs is {spread:.1%}"
        )
        metadata["relative standard deviation"] = spread
    if kept.unlike:
        notes.append(
            f"the kept values at {kept.unlike} points of kernels contradict their statistics, as they do "
            "where Extra-P merged call paths, so the means are read"
        )
    return replace(campaign, notes=(*notes, *campaign.notes), metadata=metadata)


def _fields(entry: Any) -> dict[str, Any]:
    expected = 'an object with "coordinate", "mean" and "values"'
    fields = members(entry, expected)
    if not fields.keys() >= {"coordinate", "mean"} or not isinstance(fields["coordinate"], list):
        raise FormatError(f"an object with {quoted(', '.join(fields))}", expected)
    check_numbers(fields["coordinate"], "the coordinate")
    return fields


def _values(fields: dict[str, Any], kept: Kept) -> list[float]:
    """Return the repetitions of an entry, or its mean if none were kept; empty if the mean is NaN."""
    mean, place = fields["mean"], fields.get("values")
    if mean == "nan":
        return []
    check_numbers([mean], "the mean")
    if place is not None:
        runs = _repetitions(_array_at(place, kept.arrays), mean)
        if runs:
            return runs
        kept.unlike += 1
    deviation = fields.get("std")
    if place is None and isinstance(deviation, float) and mean:
        kept.spreads.append(deviation / mean)
    return [mean]


def _repetitions(array: FloatArray, mean: float) -> list[float]:
    """Return the means (R,) over all values that no mask hides; none if no mask agrees with `mean`."""
    table = array.reshape(len(array), -1)
    active = (table != 0) | ~table.any(axis=1, keepdims=True)
    for counts in (np.ones_like(active), active):
        if abs(table.sum(where=counts) / counts.sum() - mean) <= AGREE * abs(mean):
            runs: list[float] = table.mean(axis=1, where=counts).tolist()
            return runs
    return []


def _array_at(place: Any, arrays: Mapping[str, list[FloatArray]]) -> FloatArray:
    try:
        chunk, index = map(int, place)
        array = arrays[f"values/{chunk}.vals"][index] if index >= 0 else None
    except (KeyError, IndexError, TypeError, ValueError, OverflowError):
        array = None
    if array is None:
        expected = "the number of a file of values, and the index of an array in this file"
        raise FormatError(f"the reference {quoted(place)} to values", expected)
    return array


def _arrays(data: bytes, name: str) -> list[FloatArray]:
    """Return all arrays of a file of values.

    Raises:
        FormatError: the file holds no arrays, or is damaged.
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
    """Return the next array. A false size in a header reserves no memory."""
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
