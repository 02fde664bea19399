"""What every parser returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Key = tuple[str, str]


@dataclass(frozen=True)
class Campaign:
    """A campaign as it was read from a file.

    Attributes:
        parameters: m names, in the order of a point's coordinates.
        points: (P, m), in the order of the file.
        series: (kernel path, metric) → values (P, R), NaN = missing; R is the most repetitions of the series.
            A large campaign's are not all in memory: go through them in their order.
        rounds: (kernel path, metric) → rounds (P, W) within processes, NaN = missing, of series whose
            repetitions are the median round of a process. Rounds share all that differs from process to
            process, so they are kept to be looked at but do not count as repetitions.
        units: metric → unit, where the file names one.
        metadata: what else the file says of the runs.
        notes: what its owner should know, such as points that a kernel lacks.
        runs: all numbers that are known of each run, by name, where parameters are chosen among them.
        format: name of the format it was read as.
    """

    parameters: tuple[str, ...]
    points: FloatArray
    series: Mapping[Key, FloatArray]
    units: dict[str, str] = field(default_factory=dict)
    metadata: dict[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    format: str = ""
    runs: Sequence[Mapping[str, float]] = ()
    rounds: Mapping[Key, FloatArray] = field(default_factory=dict)
