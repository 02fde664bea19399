"""The protocol that all modelers follow."""

from typing import Protocol

from modeling.engine.results.common import Common
from modeling.engine.results.models import Models
from modeling.engine.validation import FloatArray


class Modeler(Protocol):
    """A modeler of kernels that were measured at the points for which it was made."""

    @property
    def kernels_at_once(self) -> int:
        """The largest number of kernels whose temporary arrays stay in the processor's cache."""

    def __call__(self, values: FloatArray, common: Common | None = None) -> Models:
        """Model the kernels of `values` (K, P, R).

        The properties that kernels share are taken from `common`. If `common` is None, they are learned from
        the kernels of `values`.
        """
