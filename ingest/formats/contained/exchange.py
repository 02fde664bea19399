"""Sends a campaign from a child process to its parent, which checks it.

The stream consists of a length, JSON of this length, the points, and the tables of all series as 8-byte
floats.
"""

import json
import logging
import struct
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from itertools import chain
from typing import Any, BinaryIO

import numpy as np

from ingest.formats.campaign.campaign import Campaign, FloatArray, Key
from ingest.formats.campaign.invisible import plain
from ingest.formats.campaign.names import kernel_path, short_name
from ingest.formats.campaign.origins import NO_RUN, Origin, Origins, named
from ingest.formats.errors import FormatError, quoted
from ingest.formats.limits import Limits

LOG = logging.getLogger(__name__)
NUMBER = np.dtype("<f8")
LENGTH = struct.Struct("<Q")
PIECE = 1 << 19
"""Number of values that are checked in one step."""


def send(campaign: Campaign, file: BinaryIO) -> None:
    """Write a campaign."""
    kernels, metrics = (list(dict.fromkeys(key[place] for key in campaign.series)) for place in (0, 1))
    header = {
        "parameters": campaign.parameters,
        "points": len(campaign.points),
        "names": (kernels, metrics),
        "series": _widths(campaign.series, kernels, metrics),
        "rounds": _widths(campaign.rounds, kernels, metrics),
        "units": campaign.units,
        "metadata": campaign.metadata,
        "notes": campaign.notes,
        "format": campaign.format,
        "runs": campaign.runs,
        "origins": _origins_sent(campaign.origins),
    }
    _send_header(header, file)
    for table in chain([campaign.points], campaign.series.values(), campaign.rounds.values()):
        file.write(np.ascontiguousarray(table, NUMBER).data)


def _widths(
    series: Mapping[Key, FloatArray], kernels: Sequence[str], metrics: Sequence[str]
) -> list[tuple[int, int, int]]:
    """Return, for each series, the indices of its names and its number of columns."""
    places, of_metrics = ({name: place for place, name in enumerate(names)} for names in (kernels, metrics))
    return [
        (places[kernel], of_metrics[metric], values.shape[1]) for (kernel, metric), values in series.items()
    ]


def send_error(error: FormatError, file: BinaryIO) -> None:
    """Write the error instead of a campaign."""
    fields = {"found": error.found, "expected": error.expected, "line": error.line, "file": error.file}
    _send_header({"error": fields}, file)


def send_failure(trace: str, file: BinaryIO) -> None:
    """Write the traceback of an unforeseen failure."""
    _send_header({"failure": trace}, file)


def stopped() -> FormatError:
    """Return the error about an unforeseen failure, worded for the file's owner."""
    return FormatError(
        "a file on which the portal's reader failed",
        "an undamaged file; if the file is undamaged, tell the operator of the portal",
    )


def _send_header(header: dict[str, Any], file: BinaryIO) -> None:
    data = json.dumps(header).encode()
    file.write(LENGTH.pack(len(data)))
    file.write(data)


def receive(file: BinaryIO, limits: Limits) -> Campaign:
    """Read a campaign and check it.

    Raises:
        FormatError: the child sent one, or the campaign exceeds the limits.
        EOFError: the stream ends too early.
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
    kernels = [kernel_path(name, limits) for name in header["names"][0]]
    metrics = [short_name(name, "a metric", limits) for name in header["names"][1]]
    places = _bounded(_table(file, points, len(parameters)), limits.coordinate)
    return Campaign(
        parameters=parameters,
        points=places,
        series=_series(header["series"], (kernels, metrics), file, points, limits),
        units={metric: plain(unit) for metric, unit in header["units"].items()},
        metadata={
            plain(key): plain(text) if isinstance(text, str) else text
            for key, text in header["metadata"].items()
        },
        notes=tuple(header["notes"]),
        format=header["format"],
        runs=header["runs"],
        rounds=_series(header["rounds"], (kernels, metrics), file, points, limits),
        origins=_origins(header["origins"], points, limits),
    )


def _origins_sent(origins: Origins | None) -> dict[str, Any] | None:
    if origins is None:
        return None
    return {"known": [astuple(origin) for origin in origins.known], "labels": origins.labels.tolist()}


def _origins(sent: dict[str, Any] | None, points: int, limits: Limits) -> Origins | None:
    """Return the origins. Labels that belong to no origin are refused."""
    if sent is None:
        return None
    known = tuple(Origin(*map(named, origin)) for origin in sent["known"])
    labels = np.array(sent["labels"], np.int64).reshape(points, -1)
    if labels.shape[1] > limits.repetitions or ((labels < NO_RUN) | (labels >= len(known))).any():
        raise FormatError("runs of unknown origins", f"one of {len(known)} known origins for each run")
    return Origins(known, labels)


def _series(
    widths: list[tuple[int, int, int]],
    names: tuple[Sequence[str], Sequence[str]],
    file: BinaryIO,
    points: int,
    limits: Limits,
) -> dict[Key, FloatArray]:
    kernels, metrics = names
    return {
        (kernels[kernel], metrics[metric]): _bounded(_table(file, points, width), limits.value)
        for kernel, metric, width in widths
    }


def _table(file: BinaryIO, rows: int, columns: int) -> FloatArray:
    table = np.empty((rows, columns), NUMBER)
    data = table.reshape(-1).view(np.uint8).data
    while data:
        read = file.readinto(data)  # type: ignore[attr-defined]  # of a file in binary mode
        if not read:
            raise EOFError
        data = data[read:]
    return table.astype(float, copy=False)


def _bounded(table: FloatArray, bounds: tuple[float, float]) -> FloatArray:
    least, most = bounds
    for rows in np.array_split(table, max(1, table.size // PIECE)):
        wrong = rows[~((rows == 0) | np.isnan(rows) | (rows >= least) & (rows <= most))]
        if wrong.size:
            raise FormatError(f"the number {quoted(wrong[0])}", f"0, or from {least:g} to {most:g}")
    return table


def _exactly(file: BinaryIO, size: int) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise EOFError
    return data
