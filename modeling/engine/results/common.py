"""Properties that all kernels of a campaign share."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from modeling.engine.validation import FloatArray

_LISTS = ("by_scatter", "by_evidence", "by_process", "by_growth", "trend", "noise_range")


@dataclass(frozen=True)
class Common:
    """Properties that the kernels of a campaign share. Given these, kernels are modelled independently.

    by_scatter   frequencies of the families of noise, from the repetitions alone
    by_evidence  frequencies of these families and of deviating kernels, from the evidence of laws
    textbook     factor on the prior odds of whole powers of x and of log x
    between      factor on the prior odds of powers that are in no exponent pair, for one parameter
    by_process   frequencies of the Gaussian processes around laws; empty if no kernel deviates
    by_growth    frequencies of the classes of growth among deviating kernels, for one parameter
    trend        for each parameter, the weights of the growth between its last two values and of no growth
                 (`modelers.trending.forecasts`); empty if not learned
    once         whether no leading kernel has more than one value
    noise_range  smallest and largest width of the noise; adaptive modeler only
    repetitions  number of repetitions of a point; adaptive modeler only
    """

    by_scatter: tuple[float, ...]
    by_evidence: tuple[float, ...] = ()
    textbook: float = 1.0
    between: float = 1.0
    by_process: tuple[float, ...] = ()
    by_growth: tuple[float, ...] = ()
    trend: tuple[float, ...] = ()
    once: bool = False
    noise_range: tuple[float, ...] = ()
    repetitions: int = 0

    @property
    def by_family(self) -> tuple[float, ...]:
        """The frequencies of the families of noise: from the evidence of laws if known, else from the
        repetitions.
        """
        if not self.by_evidence:
            return self.by_scatter
        *families, _ = self.by_evidence
        return tuple(each / sum(families) for each in families)

    @classmethod
    def of_scatter(cls, by_scatter: FloatArray) -> "Common":
        """Return properties of which only `by_scatter` is known."""
        return cls(tuple(by_scatter.tolist()))

    def to_json(self) -> dict[str, Any]:
        """Return the properties as lists and numbers."""
        return asdict(self) | {name: list(getattr(self, name)) for name in _LISTS}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Common":
        """Return the properties from the result of `to_json`."""
        lists = {name: tuple(map(float, stored.get(name, ()))) for name in _LISTS}
        return cls(
            **lists,
            textbook=float(stored["textbook"]),
            between=float(stored.get("between", 1.0)),
            once=bool(stored["once"]),
            repetitions=int(stored.get("repetitions", 0)),
        )
