"""Partitions of a set, such as the parameters of a law divided into products."""

from collections.abc import Sequence
from functools import cache
from math import comb
from typing import TypeVar

Item = TypeVar("Item")


def partitions(items: Sequence[Item]) -> list[tuple[tuple[Item, ...], ...]]:
    """Return all ways to divide the items into ordered groups. The first way has a single group."""
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
