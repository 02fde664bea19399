"""Ways to join one term per parameter to a law: sums of products (docs/methods.md#joining-parameters). A
structure is a tuple of products. A product is a bit mask of parameters. With parameters a, b, c the structure
abc + a is (0b111, 0b001).
"""

from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from modeling.engine.laws.partitions import partitions

Structure = tuple[int, ...]

_UP_TO_THREE = {
    1: "a",
    2: "ab a+b ab+a ab+b",
    3: "abc a+b+c abc+a abc+b abc+c abc+ab abc+bc abc+ac abc+ab+c abc+bc+a abc+ac+b abc+a+b abc+a+c abc+b+c "
    "ab+c ab+c+b ab+c+a ac+b ac+b+a ac+b+c bc+a bc+a+b bc+a+c",
}
"""The structures of Extra-P 4.2, in its order. The first of equally good structures is chosen."""

MOST_PARTITIONED = 6
"""Largest number of parameters for which all set partitions are tried: 203 for six. With more parameters, the
structures of `_one_pair` are tried.
"""

MOST_IN_TABLE = 3
"""Largest number of parameters for which the structures are those of Extra-P (`_UP_TO_THREE`)."""


@lru_cache
def structures(parameter_count: int) -> tuple[Structure, ...]:
    """Return all structures that are tried for a number of parameters."""
    if parameter_count in _UP_TO_THREE:
        return tuple(
            tuple(sum(1 << "abc".index(letter) for letter in term) for term in text.split("+"))
            for text in _UP_TO_THREE[parameter_count].split()
        )
    return _plain(parameter_count)


def _plain(count: int) -> tuple[Structure, ...]:
    """Return the structures that are tried without a table: set partitions or the ones of `_one_pair`, and
    the product of all parameters plus one of the first six.
    """
    single = [1 << parameter for parameter in range(count)]
    everything, first = sum(single), single[:MOST_PARTITIONED]
    split = all_sums_of_products(count) if count <= MOST_PARTITIONED else _one_pair(single)
    return (*split, *((everything, one) for one in first))


@lru_cache
def plain(parameter_count: int) -> NDArray[np.bool_]:
    """Return which of the structures for this number of parameters are also in `_plain`, (structures,)."""
    tried = {frozenset(structure) for structure in _plain(parameter_count)}
    return np.array([frozenset(structure) in tried for structure in structures(parameter_count)])


def all_sums_of_products(count: int) -> list[Structure]:
    """Return all set partitions of the parameters: sums of products in which each parameter occurs once."""
    bits = [1 << parameter for parameter in range(count)]
    return [tuple(sum(factors) for factors in terms) for terms in partitions(bits)]


def _one_pair(single: list[int]) -> list[Structure]:
    """Return the product and sum of all parameters, and sums with one product of a pair of the first six."""
    pairs = combinations(single[:MOST_PARTITIONED], 2)
    multiplied = [(a | b, *(one for one in single if one not in (a, b))) for a, b in pairs]
    return [(sum(single),), tuple(single), *multiplied]


@lru_cache
def allowed(parameter_count: int) -> NDArray[np.bool_]:
    """Return whether each structure is usable if only some of m parameters have a term, (structures, 2^m).
    The second index is the bit mask of the parameters with a term.

    A structure is reduced by removing the parameters without a term. It is usable if no product becomes empty
    or equal to another one. The result must also be tried for the remaining number of parameters. Of several
    structures with the same result, only the first is usable.
    """
    table = np.zeros((len(structures(parameter_count)), 1 << parameter_count), dtype=bool)
    for pattern in range(1, 1 << parameter_count):
        tried = {frozenset(structure) for structure in structures(pattern.bit_count())}
        for row, structure in enumerate(structures(parameter_count)):
            shrunk = frozenset(_relabel(term, pattern) for term in structure)
            if len(shrunk) == len(structure) and shrunk in tried:
                table[row, pattern] = True
                tried.remove(shrunk)
    return table


def _relabel(term: int, pattern: int) -> int:
    """Return a product's bit mask without parameters outside of the pattern, and renumbered."""
    bits = [1 << bit for bit in range(pattern.bit_length()) if pattern >> bit & 1]
    return sum(1 << place for place, bit in enumerate(bits) if term & bit)


@lru_cache
def term_masks(parameter_count: int) -> NDArray[np.intp]:
    """Return all structures of m parameters as bit masks, (structures, m). Places after the last product are
    0.
    """
    masks = np.zeros((len(structures(parameter_count)), parameter_count), dtype=np.intp)
    for row, structure in enumerate(structures(parameter_count)):
        masks[row, : len(structure)] = structure
    return masks
