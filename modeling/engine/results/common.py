"""What the kernels of a campaign have in common; how it is learned is in `modelers.evidence.pooling`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from modeling.engine.validation import FloatArray

_LISTS = ("by_scatter", "by_evidence", "by_process", "by_growth")


@dataclass(frozen=True)
class Common:
    """What the kernels of a campaign have in common; given this, each is modelled by itself.

    `by_scatter` is how often each family of noise occurs by the repetitions alone, `by_evidence` how often
    each kind of noise does by the evidence of its laws, and `textbook` by how much the odds of textbook
    factors differ from those that nothing is known of. `by_process` is how often each of `processes` occurs
    around laws; empty where no kernel deviates. `by_growth` is how often each class of growth does among
    kernels of one parameter that deviate. `once` tells that no kernel has more than one value.
    """

    by_scatter: tuple[float, ...]
    by_evidence: tuple[float, ...] = ()
    textbook: float = 1.0
    by_process: tuple[float, ...] = ()
    by_growth: tuple[float, ...] = ()
    once: bool = False

    @classmethod
    def of_scatter(cls, by_scatter: FloatArray) -> "Common":
        """What repetitions alone tell."""
        return cls(tuple(by_scatter.tolist()))

    def to_json(self) -> dict[str, Any]:
        """Plain lists and numbers, for `from_json`."""
        return asdict(self) | {name: list(getattr(self, name)) for name in _LISTS}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Common":
        """What `to_json` gave."""
        lists = {name: tuple(map(float, stored.get(name, ()))) for name in _LISTS}
        return cls(**lists, textbook=float(stored["textbook"]), once=bool(stored["once"]))
