"""Convert the region in which a kernel was measured to the column `Model.region`, and back.

The column is {} for the whole range of the campaign, if parameters were varied independently. Otherwise,
"lower" and "upper" are the smallest and the largest values. "bound" has an entry [parameter, offset,
tolerance, powers] for each parameter determined by others (see `modeling.engine.measured.relations`). The
column is null in rows from before engine 2.17, which are loaded with the campaign's region.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from modeling.engine.measured.relations import Relations, relations
from modeling.engine.results.models import Models
from modeling.engine.results.region import Place, Region
from modeling.engine.validation import FloatArray

Stored = dict[str, Any]


class HasRegion(Protocol):
    """A stored model, or another row with the column `region`."""

    region: Stored | None


def columns(models: Models) -> list[Stored]:
    """Return the stored column of every kernel."""
    region = models.measured
    stored = [_stored(place, models) for place in region.places]
    return [stored[at] for at in region.of.tolist()]


def _stored(place: Place, models: Models) -> Stored:
    known = place.relations
    whole = (place.lower == models.lower).all() and (place.upper == models.upper).all()
    if whole and not known.together.any():
        return {}
    return {
        "lower": place.lower.tolist(),
        "upper": place.upper.tolist(),
        "bound": [
            [at, float(known.offset[at]), float(known.tolerance[at]), known.power[at].tolist()]
            for at in np.flatnonzero(known.bound).tolist()
        ],
    }


def load(rows: Sequence[HasRegion], points: FloatArray) -> Region:
    """Return the regions in which the kernels of these rows were measured. `points` are the campaign's."""
    lower, upper, whole = points.min(axis=0), points.max(axis=0), relations(points)
    alone = Place(lower, upper, relations(np.stack([lower, upper])))
    numbers: dict[str, int] = {"{}": 0}
    places = [alone]
    of = np.zeros(len(rows), dtype=int)
    for at, row in enumerate(rows):
        key = "{}" if row.region == {} else repr(row.region)
        if key not in numbers:
            numbers[key] = len(places)
            places.append(_place(row.region) if row.region else Place(lower, upper, whole))
        of[at] = numbers[key]
    return Region(tuple(places), of)


def _place(stored: Stored) -> Place:
    count = len(stored["lower"])
    bound, power = np.zeros(count, dtype=bool), np.eye(count)
    offset, tolerance = np.zeros(count), np.zeros(count)
    for at, factor, most, powers in stored["bound"]:
        bound[at], offset[at], tolerance[at], power[at] = True, factor, most, powers
    found = Relations(bound, power, offset, tolerance)
    return Place(np.array(stored["lower"]), np.array(stored["upper"]), found)
