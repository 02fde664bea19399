"""Ways to join the terms of several parameters, found again by enumeration."""

import numpy as np
import pytest

from modeling.engine.modelers.structures import all_sums_of_products, allowed, plain, structures, term_masks


def reduced(structure, pattern):
    """Return a structure without the parameters that have no term, in terms of the remaining ones; None if a
    term becomes empty or equal to another one.
    """
    kept = [bit for bit in range(10) if pattern >> bit & 1]
    terms = [frozenset(kept.index(bit) for bit in kept if term >> bit & 1) for term in structure]
    return frozenset(terms) if all(terms) and len(set(terms)) == len(terms) else None


def as_sets(structure):
    """Return a structure as a set of terms, which are sets of parameters."""
    return frozenset(frozenset(bit for bit in range(10) if term >> bit & 1) for term in structure)


@pytest.mark.parametrize(("count", "bell"), [(1, 1), (2, 2), (3, 5), (4, 15), (5, 52), (6, 203)])
def test_there_are_as_many_sums_of_products_as_partitions(count, bell):
    found = {as_sets(structure) for structure in all_sums_of_products(count)}
    assert len(found) == len(all_sums_of_products(count)) == bell
    assert all(sorted(bit for term in each for bit in term) == list(range(count)) for each in found)


@pytest.mark.parametrize("count", [2, 3, 4, 5, 7])
def test_every_structure_is_tried_once(count):
    assert len({as_sets(each) for each in structures(count)}) == len(structures(count))


@pytest.mark.parametrize("count", [2, 3, 4])
def test_parameters_without_a_term_make_no_difference(count):
    """With a term of some parameters only, the structures of these are tried, each once."""
    for pattern in range(1, 1 << count):
        usable = np.flatnonzero(allowed(count)[:, pattern])
        found = [reduced(structures(count)[row], pattern) for row in usable]
        few = pattern.bit_count()
        tried = [each for each, kept in zip(structures(few), plain(few), strict=True) if kept or count < 4]
        if few == count:
            tried = structures(count)
        assert len(set(found)) == len(found)
        assert set(found) == {as_sets(each) for each in tried}


@pytest.mark.parametrize("count", [1, 3, 7])
def test_masks_list_the_terms_of_each_structure(count):
    masks = term_masks(count)
    assert masks.shape == (len(structures(count)), count)
    assert [tuple(mask for mask in row if mask) for row in masks.tolist()] == list(structures(count))
