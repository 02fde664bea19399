"""What every parser returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Campaign:
    """A campaign as it was read from a file.

    Attributes:
        parameters: m names, in the order of a point's coordinates.
        points: (P, m), in the order of the file.
        series: (kernel path, metric) → values (P, R), NaN = missing; R is the most repetitions of the series.
            A large campaign's are not all in memory: go through them in their order.
        units: metric → unit, where the file names one.
        metadata: what else the file says of the runs.
        notes: what its owner should know, such as points that a kernel lacks.
        format: name of the format it was read as.
    """

    parameters: tuple[str, ...]
    points: FloatArray
    series: Mapping[tuple[str, str], FloatArray]
    units: dict[str, str] = field(default_factory=dict)
    metadata: dict[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    format: str = ""
