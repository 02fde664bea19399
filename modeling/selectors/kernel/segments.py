"""The laws of a segmented kernel, in the order of the values for which they hold."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Protocol

from ingest.models import Campaign


class Row(Protocol):
    """A stored model, or a row with some of its columns."""

    @property
    def segments(self) -> dict[str, Any] | None: ...  # noqa: D102 -- see `modeling.models.Model`
    @property
    def constant(self) -> float | None: ...  # noqa: D102
    @property
    def coefficients(self) -> list[float]: ...  # noqa: D102
    @property
    def exponents(self) -> list[float]: ...  # noqa: D102


@dataclass(frozen=True)
class Segment:
    """A law, as in `modeling.models.Model`, and the range in which it holds: from `begin` to below `end`.

    `first` and `last` are the smallest and the largest measured value in it, `values` the number of values.
    """

    first: float
    last: float
    values: int
    begin: float | None
    end: float | None
    constant: float | None
    coefficients: tuple[float, ...]
    exponents: tuple[float, ...]


@dataclass(frozen=True)
class Segmented:
    """The segments along one parameter, and the probability that there are several."""

    axis: int
    parameter: str
    probability: float
    segments: tuple[Segment, ...]

    @property
    def breaks(self) -> tuple[float, ...]:
        """Return the values at which the law changes, geometric middles of measured values."""
        return tuple(segment.end for segment in self.segments if segment.end is not None)


def segmented(model: Row, campaign: Campaign) -> Segmented | None:
    """Return the segments of a stored model; None if one law holds for all values."""
    if not model.segments:
        return None
    axis, earlier = model.segments["parameter"], model.segments["earlier"]
    measured = sorted({point[axis] for point in campaign.points})
    last = {
        "first": earlier[-1]["following"],
        "last": measured[-1],
        "constant": model.constant,
        "coefficients": model.coefficients,
    }
    flat = [_flattened(each["exponents"]) for each in earlier] + [tuple(model.exponents)]
    ends = [sqrt(each["last"] * each["following"]) for each in earlier]
    rows = zip([*earlier, last], flat, [None, *ends], [*ends, None], strict=True)
    return Segmented(
        axis,
        campaign.parameters[axis],
        model.segments["probability"],
        tuple(
            Segment(
                first=each["first"],
                last=each["last"],
                values=sum(each["first"] <= value <= each["last"] for value in measured),
                begin=begin,
                end=end,
                constant=each["constant"],
                coefficients=tuple(each["coefficients"]),
                exponents=exponents,
            )
            for each, exponents, begin, end in rows
        ),
    )


def _flattened(exponents: Sequence[Sequence[Sequence[float]]]) -> tuple[float, ...]:
    return tuple(number for term in exponents for pair in term for number in pair)
