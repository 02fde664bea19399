"""The properties that all kernels of a campaign share. They are learned in `modelers.evidence.pooling`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from modeling.engine.validation import FloatArray

_LISTS = ("by_scatter", "by_evidence", "by_process", "by_growth", "trend", "noise_range")


@dataclass(frozen=True)
class Common:
    """Properties that the kernels of a campaign share. Given these, the models of the kernels are
    independent of each other.

    by_scatter   frequencies of the families of noise, estimated from the repetitions alone
    by_evidence  frequencies of these families and of deviating kernels, estimated from the evidence of laws
    textbook     factor on the prior odds of whole powers of x and of log x, which are the usual functions
    by_process   frequencies of the Gaussian processes around laws; empty if no kernel deviates
    by_growth    frequencies of the classes of growth among deviating kernels, if there is one parameter
    trend        two weights for each parameter. Beyond its largest measured value, predictions grow by a
                 weighted mean of three growths: that between its last two measured values, none, and that of
                 the law. The weights are those of the first two; the third has the rest
                 (`modelers.trending.forecasts`). Empty if the weights were not learned
    once         whether none of the kernels from which the properties were learned has more than one value
    noise_range  the smallest and the largest width of the noise; only for the adaptive modeler
    repetitions  the number of repetitions of a point; only for the adaptive modeler
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
        """Return properties of which only the frequencies `by_scatter` are known."""
        return cls(tuple(by_scatter.tolist()))

    def to_json(self) -> dict[str, Any]:
        """Return the properties as lists and numbers, for `from_json`."""
        return asdict(self) | {name: list(getattr(self, name)) for name in _LISTS}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Common":
        """Return the properties from what `to_json` returned."""
        lists = {name: tuple(map(float, stored.get(name, ()))) for name in _LISTS}
        return cls(
            **lists,
            textbook=float(stored["textbook"]),
            once=bool(stored["once"]),
            repetitions=int(stored.get("repetitions", 0)),
        )
