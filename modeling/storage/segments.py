"""Convert segments of kernels to columns of their models' rows, and back.

`Model.segments` has the index of the "parameter", the "probability" of several segments, and the "earlier"
segments in ascending order. Each has its "first" and "last" measured value, the first value of the next
segment ("following"), and its formula: "constant", "coefficients", "exponents". `Model.segment_posteriors`
contains the draws of the earlier segments. The last segment is the model itself.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from modeling.engine.results.models import Models
from modeling.engine.results.segments import Segments
from modeling.storage.formulas import formulas_only
from modeling.storage.posteriors import pack, unpack

Stored = dict[str, Any]
Packed = bytes | memoryview | None


class HasSegments(Protocol):
    """A stored model, or another row with the column `segments`."""

    segments: Stored | None


def columns(models: Models) -> tuple[list[Stored | None], list[bytes | None]]:
    """Return the columns `segments` and `segment_posteriors` of every kernel."""
    stored: list[Stored | None] = [None] * len(models)
    draws: list[bytes | None] = [None] * len(models)
    segments = models.segments
    if segments is None:
        return stored, draws
    packed = pack(segments.models.posterior) if segments.models.posterior else None
    for kernel, rows in segments.by_kernel():
        stored[kernel] = {
            "parameter": int(segments.parameter[rows[0]]),
            "probability": float(segments.probability[rows[0]]),
            "earlier": [_segment(segments, row) for row in rows.tolist()],
        }
        draws[kernel] = b"".join(packed[row] for row in rows.tolist()) if packed else None
    return stored, draws


def _segment(segments: Segments[Models], row: int) -> Stored:
    formula = segments.models
    return {
        "first": float(segments.first[row]),
        "last": float(segments.last[row]),
        "following": float(segments.following[row]),
        "constant": float(formula.constant[row]),
        "coefficients": formula.coefficients[row].tolist(),
        "exponents": formula.exponents[row].tolist(),
    }


def load(rows: Sequence[HasSegments], models: Models) -> Segments[Models] | None:
    """Return the segments of the kernels in these rows, without draws; None if there are none."""
    found = [(kernel, row.segments) for kernel, row in enumerate(rows) if row.segments]
    if not found:
        return None
    earlier = [
        (kernel, number, of_kernel, segment)
        for kernel, of_kernel in found
        for number, segment in enumerate(of_kernel["earlier"])
    ]
    bounds = np.array([[segment[name] for name in ("first", "last", "following")] for *_, segment in earlier])
    return Segments(
        kernel=np.array([kernel for kernel, *_ in earlier]),
        number=np.array([number for _, number, *_ in earlier]),
        parameter=np.array([of_kernel["parameter"] for _, _, of_kernel, _ in earlier]),
        probability=np.array([of_kernel["probability"] for _, _, of_kernel, _ in earlier]),
        first=bounds[:, 0],
        last=bounds[:, 1],
        following=bounds[:, 2],
        models=_formulas([segment for *_, segment in earlier], models),
    )


def with_draws(segments: Segments[Models] | None, packed: Sequence[Packed]) -> Segments[Models] | None:
    """Return the segments with their draws from the column `segment_posteriors`."""
    draws = [bytes(row) for row in packed if row is not None]
    if segments is None or not draws:
        return segments
    return replace(segments, models=replace(segments.models, posterior=unpack(draws)))


def _formulas(stored: Sequence[Stored], models: Models) -> Models:
    """Return the laws of the stored segments as models."""
    return formulas_only(
        [segment["constant"] for segment in stored],
        [segment["coefficients"] for segment in stored],
        [np.ravel(segment["exponents"]).tolist() for segment in stored],
        np.zeros(len(stored), int),
        (models.lower, models.upper),
    )
