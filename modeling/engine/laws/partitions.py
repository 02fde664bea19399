"""Set partitions: the ways to divide the parameters of a law into products that are added."""

from collections.abc import Sequence
from functools import cache
from math import comb
from typing import TypeVar

Item = TypeVar("Item")


def partitions(items: Sequence[Item]) -> list[tuple[tuple[Item, ...], ...]]:
    """Return all ways to divide the items into groups, the one with a single group first.

    Items keep their order within groups, and groups are ordered by their first items.
    """
    divisions: list[tuple[tuple[Item, ...], ...]] = [()]
    for item in items:
        divisions = [
            grown
            for groups in divisions
            for grown in [
                *((*groups[:at], (*group, item), *groups[at + 1 :]) for at, group in enumerate(groups)),
                (*groups, (item,)),
            ]
        ]
    return divisions


@cache
def partition_count(count: int) -> int:
    """Return the number of partitions of `count` items (the Bell number)."""
    return 1 if count == 0 else sum(comb(count - 1, k) * partition_count(k) for k in range(count))
