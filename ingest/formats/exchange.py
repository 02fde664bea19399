"""A campaign as bytes, from a child process that may have been misled to a parent that must not be.

A length and as much JSON, then the points, then the tables of all series, as 8-byte floats.
"""

import json
import logging
import struct
from collections.abc import Mapping
from itertools import chain
from typing import Any, BinaryIO

import numpy as np

from ingest.formats.campaign import Campaign, FloatArray, Key
from ingest.formats.errors import FormatError, quoted
from ingest.formats.limits import Limits
from ingest.formats.names import kernel_path, short_name

LOG = logging.getLogger(__name__)
NUMBER = np.dtype("<f8")
LENGTH = struct.Struct("<Q")


def send(campaign: Campaign, file: BinaryIO) -> None:
    """Write a campaign."""
    header = {
        "parameters": campaign.parameters,
        "points": len(campaign.points),
        "series": _widths(campaign.series),
        "rounds": _widths(campaign.rounds),
        "units": campaign.units,
        "metadata": campaign.metadata,
        "notes": campaign.notes,
        "format": campaign.format,
        "runs": campaign.runs,
    }
    _send_header(header, file)
    for table in chain([campaign.points], campaign.series.values(), campaign.rounds.values()):
        file.write(table.astype(NUMBER).tobytes())


def _widths(series: Mapping[Key, FloatArray]) -> list[tuple[str, str, int]]:
    return [(kernel, metric, values.shape[1]) for (kernel, metric), values in series.items()]


def send_error(error: FormatError, file: BinaryIO) -> None:
    """Write what is wrong instead."""
    fields = {"found": error.found, "expected": error.expected, "line": error.line, "file": error.file}
    _send_header({"error": fields}, file)


def send_failure(trace: str, file: BinaryIO) -> None:
    """Write how reading failed in a way that nobody foresaw."""
    _send_header({"failure": trace}, file)


def stopped() -> FormatError:
    """What the file's owner is told of such a failure."""
    return FormatError(
        "a file that its reader failed on", "an undamaged file; if it is, tell those who run the portal"
    )


def _send_header(header: dict[str, Any], file: BinaryIO) -> None:
    data = json.dumps(header).encode()
    file.write(LENGTH.pack(len(data)) + data)


def receive(file: BinaryIO, limits: Limits) -> Campaign:
    """Read a campaign and check it.

    Raises:
        FormatError: one was sent, or what was sent is more than it may be.
        EOFError: it ends too early.
    """
    (size,) = LENGTH.unpack(_exactly(file, LENGTH.size))
    if size > limits.document_bytes:
        raise FormatError(f"names and metadata of {size} bytes", f"at most {limits.document_bytes} bytes")
    header = json.loads(_exactly(file, size))
    if "failure" in header:
        LOG.error("Reading failed in a child process: %s", header["failure"])
        raise stopped()
    if error := header.get("error"):
        raise FormatError(error["found"], error["expected"], error["line"]).inside(error["file"])
    parameters = tuple(short_name(name, "a parameter", limits) for name in header["parameters"])
    points = header["points"]
    columns = sum(width for _, _, width in chain(header["series"], header["rounds"]))
    if not 0 < points <= limits.points or not 0 < points * columns <= limits.values:
        raise FormatError(
            f"{points} points with {columns} values each", f"at most {limits.values} values in all"
        )
    places = _bounded(_table(file, points, len(parameters)), limits.coordinate)
    return Campaign(
        parameters=parameters,
        points=places,
        series=_series(header["series"], file, points, limits),
        units=header["units"],
        metadata=header["metadata"],
        notes=tuple(header["notes"]),
        format=header["format"],
        runs=header["runs"],
        rounds=_series(header["rounds"], file, points, limits),
    )


def _series(
    widths: list[tuple[str, str, int]], file: BinaryIO, points: int, limits: Limits
) -> dict[Key, FloatArray]:
    return {
        (kernel_path(kernel, limits), short_name(metric, "a metric", limits)): _bounded(
            _table(file, points, width), limits.value
        )
        for kernel, metric, width in widths
    }


def _table(file: BinaryIO, rows: int, columns: int) -> FloatArray:
    data = _exactly(file, rows * columns * NUMBER.itemsize)
    return np.frombuffer(data, NUMBER).reshape(rows, columns).astype(float)


def _bounded(table: FloatArray, bounds: tuple[float, float]) -> FloatArray:
    least, most = bounds
    wrong = table[~((table == 0) | np.isnan(table) | (table >= least) & (table <= most))]
    if wrong.size:
        raise FormatError(f"the number {quoted(wrong[0])}", f"0, or from {least:g} to {most:g}")
    return table


def _exactly(file: BinaryIO, size: int) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise EOFError
    return data
