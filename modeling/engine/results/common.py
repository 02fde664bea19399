"""The properties that the kernels of a campaign share. They are learned in `modelers.evidence.pooling`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from modeling.engine.validation import FloatArray

_LISTS = ("by_scatter", "by_evidence", "by_process", "by_growth", "trend", "noise_range")


@dataclass(frozen=True)
class Common:
    """Properties that the kernels of a campaign share. Given these properties, the models of the kernels are
    independent of each other.

    `by_scatter` are the frequencies of the families of noise, estimated from the repetitions alone.
    `by_evidence` are the frequencies of the kinds of noise, estimated from the evidence of laws. `textbook`
    is the ratio of the odds of textbook factors to the prior odds. `by_process` are the frequencies of
    processes around laws, empty if no kernel deviates. `by_growth` are the frequencies of the classes of
    growth among deviating kernels of one parameter. `trend` has two weights for each parameter, one parameter
    after the other: the weight of the growth between the last two values, and the weight of no growth. The
    remaining weight is that of the growth that laws predict (`modelers.trending.forecasts`). `trend` is empty
    if the weights are not known. `once` is true if no kernel has more than one value.

    Two fields are used by the adaptive modeler and are 0 for other modelers: the smallest and the largest
    width of the noise in `noise_range`, and the number of `repetitions` of points.
    """

    by_scatter: tuple[float, ...]
    by_evidence: tuple[float, ...] = ()
    textbook: float = 1.0
    by_process: tuple[float, ...] = ()
    by_growth: tuple[float, ...] = ()
    trend: tuple[float, ...] = ()
    once: bool = False
    noise_range: tuple[float, ...] = ()
    repetitions: int = 0

    @classmethod
    def of_scatter(cls, by_scatter: FloatArray) -> "Common":
        """Return the part that repetitions alone determine."""
        return cls(tuple(by_scatter.tolist()))

    def to_json(self) -> dict[str, Any]:
        """Return plain lists and numbers, for `from_json`."""
        return asdict(self) | {name: list(getattr(self, name)) for name in _LISTS}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Common":
        """Return the inverse of `to_json`."""
        lists = {name: tuple(map(float, stored.get(name, ()))) for name in _LISTS}
        return cls(
            **lists,
            textbook=float(stored["textbook"]),
            once=bool(stored["once"]),
            repetitions=int(stored.get("repetitions", 0)),
        )
