"""The classes that searches for longer laws try, out of all classes."""

from collections.abc import Mapping, Sequence

from modeling.engine.modelers.evidence.hypotheses.basis import Basis
from modeling.engine.modelers.evidence.hypotheses.classes import SLOWLY, classes_of

SURFACE = classes_of((-1 / 2, 0), (-2 / 3, 0), (2 / 3, 0))
"""Classes of communication over the surfaces of the parts into which the work is divided."""

SIMPLE = (*SLOWLY, *classes_of((1, 1), (2, 0), (3, 0), (-1, 0)), *SURFACE)
"""Classes of frequent terms."""


def usable(basis: Basis, classes: Mapping[int, Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Return the usable classes of each parameter, among the `classes` for this number of parameters."""
    some = classes[min(basis.parameter_count, max(classes))]
    return tuple(tuple(each for each in some if usable[each]) for usable in basis.usable)
