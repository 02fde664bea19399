"""Both search algorithms find exactly the pairs that a loop over all pairs finds."""

from itertools import combinations

import numpy as np
import pytest

from perfweb.demo.application.neighbours import (
    CUTOFF,
    PER_CELL,
    WIDTH,
    draw_particles,
    search_cell_list,
    search_dense,
)


def pairs(found):
    i, j = found
    as_set = {frozenset(pair) for pair in zip(i.tolist(), j.tolist(), strict=True)}
    assert len(as_set) == i.size, "a pair was found twice, or a particle with itself"
    return as_set


@pytest.mark.parametrize("search", [search_dense, search_cell_list])
def test_it_finds_what_a_loop_over_all_pairs_finds(search):
    x, y = draw_particles(256, np.random.default_rng(1))
    distance = np.hypot(x[:, None] - x, y[:, None] - y)
    expected = {frozenset((i, j)) for i, j in combinations(range(256), 2) if distance[i, j] < CUTOFF}
    assert expected
    assert pairs(search(x, y)) == expected


@pytest.mark.parametrize("n", [256, 320, 1024, 2048])
def test_both_searches_agree(n):
    x, y = draw_particles(n, np.random.default_rng(n))
    assert pairs(search_cell_list(x, y)) == pairs(search_dense(x, y))


def test_empty_cells_are_no_obstacle():
    x = np.array([0.8, 1.1, 5.1, 5.2, 9.9])
    y = np.array([0.1, 0.1, 15.2, 14.9, 7.0])
    assert pairs(search_cell_list(x, y)) == {frozenset((0, 1)), frozenset((2, 3))}


def test_every_cell_contains_the_same_number_of_particles():
    x, y = draw_particles(512, np.random.default_rng(2))
    cells = np.bincount(x.astype(int) * WIDTH + y.astype(int))
    assert cells.tolist() == [PER_CELL] * (512 // PER_CELL)
