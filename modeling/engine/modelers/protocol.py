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
        """Model K kernels from R repetitions at P points, (K, P, R). Properties that kernels share are taken
        from `common`, or learned from the kernels if `common` is None.
        """
