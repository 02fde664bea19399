"""Convert the deviations of one kernel from its laws to bytes of a database row, and back.

A draw deviates by a Gaussian process, here called process, or not at all. The bytes are little-endian:

- number of distinct processes (u1), standard error of the values (f4), or `UNEQUAL`,
- logarithms of the points (points, parameters, f4) and of their values (points, f4),
- with `UNEQUAL`: standard errors of the values (points, f4),
- the processes (see `_record`),
- for each draw, 1 + the index of its process, or 0 without one (u1).

A process is stored by its properties. After a change of the engine's table, an old process becomes the
nearest new one.
"""

from functools import cache, lru_cache

import numpy as np

from modeling.engine.deviations.deviation import NO_PROCESS, Deviation
from modeling.engine.deviations.processes import processes
from modeling.engine.validation import FloatArray

_HEAD = np.dtype([("processes", "u1"), ("error", "<f4")])
UNEQUAL = -1.0
"""Stands for the standard error if the values of a kernel have different ones."""

_OTHER_PARAMETERS, _OTHER_TOGETHER = 1000.0, 100.0
"""Distances between processes that differ in parameters or in joint action, above all other distances."""


def pack_deviation(deviation: Deviation | None, kernel: int) -> tuple[int, bytes]:
    """Return the number of a kernel's points, and the bytes of its deviations; 0 and no bytes without any."""
    if deviation is None:
        return 0, b""
    process = deviation.process[kernel]
    used = np.unique(process[process != NO_PROCESS])
    if not len(used):
        return 0, b""
    values = deviation.values[kernel]
    measured = ~np.isnan(values)
    points, errors = deviation.points[kernel, measured], deviation.error[kernel, measured]
    equal = bool((errors == errors[0]).all())
    number = np.where(process == NO_PROCESS, 0, np.searchsorted(used, process) + 1)
    parts = (
        np.array((len(used), errors[0] if equal else UNEQUAL), _HEAD),
        points.astype("<f4"),
        values[measured].astype("<f4"),
        errors[:0] if equal else errors.astype("<f4"),
        _records(points.shape[1])[used],
        number.astype("u1"),
    )
    return int(measured.sum()), b"".join(part.tobytes() for part in parts)


def unpack_deviation(
    row: bytes, place: int, points: int, parameters: int, draws: int
) -> tuple[Deviation, int]:
    """Return the deviations of a kernel that start at `place` in a row, and the position after them."""

    def read(kind: str | np.dtype[np.void], count: int) -> np.ndarray:
        nonlocal place
        found = np.frombuffer(row, kind, count, place)
        place += found.nbytes
        return found

    head = read(_HEAD, 1)
    logs = read("<f4", points * parameters).astype(float)
    values = read("<f4", points).astype(float)
    error = head["error"].astype(float)
    errors = read("<f4", points).astype(float) if error[0] == UNEQUAL else np.repeat(error, points)
    records = read(_record(parameters), int(head["processes"][0]))
    process = np.array([NO_PROCESS, *(_number(one.tobytes(), parameters) for one in records)], np.int16)
    drawn = process[read("u1", draws)]
    return Deviation(logs.reshape(1, points, parameters), values[None], errors[None], drawn[None]), place


@cache
def _record(parameters: int) -> np.dtype[np.void]:
    """Return the type of a stored process; `together` says whether its parameters act together."""
    numbers = [(name, "<f4") for name in ("length", "size", "nugget")]
    return np.dtype([("together", "u1"), ("of", "u1", (parameters,)), *numbers])


@cache
def _records(parameters: int) -> np.ndarray:
    """Return the records of all processes in the engine's table."""
    among = processes(parameters)
    found = np.zeros(len(among), _record(parameters))
    found["size"], found["nugget"] = among.size, among.nugget
    for number, kind in enumerate(among.kinds):
        some = np.flatnonzero(among.kind == number)
        found["together"][some], found["length"][some] = kind.together, kind.length
        found["of"][np.ix_(some, np.array(kind.parameters))] = 1
    return found


@lru_cache(maxsize=4096)
def _number(stored: bytes, parameters: int) -> int:
    """Return the index of the engine's process that is nearest to a stored one."""
    one, other = np.frombuffer(stored, _record(parameters)), _records(parameters)
    distance = _OTHER_PARAMETERS * (one["of"] != other["of"]).sum(axis=1)
    distance = distance + _OTHER_TOGETHER * (one["together"] != other["together"])
    for name in ("length", "size", "nugget"):
        distance += np.abs(_logarithm(one[name]) - _logarithm(other[name]))
    return int(distance.argmin())


def _logarithm(numbers: FloatArray) -> FloatArray:
    """Return logarithms. The logarithm of 0, which means "none", is far below all others."""
    return np.asarray(np.log(np.maximum(numbers.astype(float), 1e-6)))
