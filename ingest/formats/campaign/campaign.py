"""Defines the campaign, which every parser returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ingest.formats.campaign.origins import Origins

FloatArray = NDArray[np.float64]
Key = tuple[str, str]
"""A kernel's path and a metric."""
CONFIGURATION = "configuration"
"""The only parameter of a campaign whose file has none, with the value 1."""


@dataclass(frozen=True)
class Campaign:
    """A campaign as it was read from a file: m parameters, P points, R repetitions, W rounds.

    Attributes:
        parameters: m names, in the order of a point's coordinates.
        points: (P, m), in the order of the file.
        series: (kernel path, metric) → values (P, R), NaN = missing. In a large campaign, reading the series
            in their order is fastest.
        rounds: (kernel path, metric) → rounds (P, W) within processes, NaN = missing. The median of a point's
            rounds is its repetition. Rounds share everything that varies between processes, and are only
            displayed.
        units: metric → unit, where the file names one.
        metadata: everything else that the file contains about the runs.
        notes: sentences for the owner, such as on points that a kernel lacks.
        runs: all known numbers of each run, by name, if users choose the parameters among them.
        format: name of the format that the file was read as.
        origins: the jobs, nodes and days of the runs; None if none of them is known.
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
    origins: Origins | None = None
