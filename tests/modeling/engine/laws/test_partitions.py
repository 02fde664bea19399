"""All ways to divide parameters into the terms of a law."""

from itertools import product

import pytest

from modeling.engine.laws.partitions import partition_count, partitions


def test_three_items():
    assert partitions("pnk") == [
        (("p", "n", "k"),),
        (("p", "n"), ("k",)),
        (("p", "k"), ("n",)),
        (("p",), ("n", "k")),
        (("p",), ("n",), ("k",)),
    ]


@pytest.mark.parametrize("count", range(7))
def test_every_division_occurs_once(count):
    """Numbers of groups, assigned to the items in all possible ways, give the same divisions."""
    labelled = product(range(count), repeat=count)
    expected = {
        frozenset(frozenset(item for item in range(count) if labels[item] == label) for label in set(labels))
        for labels in labelled
    }
    found = [frozenset(map(frozenset, groups)) for groups in partitions(range(count))]
    assert len(found) == len(set(found)) == partition_count(count)
    assert set(found) == expected
