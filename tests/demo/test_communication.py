"""Ranks of the demo receive the right data, and the counted bytes follow the laws."""

import numpy as np
import pytest

from perfweb.demo.application.communication import (
    allreduce,
    exchange_by_gathering,
    exchange_with_neighbours,
)

SIZE = 6


def exchanged(exchange, p):
    rng = np.random.default_rng(p)
    boundaries = [rng.random((2, SIZE)) for _ in range(p)]
    ghosts = [np.full((2, SIZE), np.nan) for _ in range(p)]
    return boundaries, ghosts, exchange(boundaries, ghosts)


@pytest.mark.parametrize("exchange", [exchange_with_neighbours, exchange_by_gathering])
@pytest.mark.parametrize("p", [2, 4, 8])
def test_ghosts_are_the_boundaries_of_both_neighbours(exchange, p):
    boundaries, ghosts, _ = exchanged(exchange, p)
    for rank, ghost in enumerate(ghosts):
        assert ghost[0].tolist() == boundaries[(rank - 1) % p][1].tolist()
        assert ghost[1].tolist() == boundaries[(rank + 1) % p][0].tolist()


def test_both_exchanges_fill_identical_ghosts():
    _, ghosts, _ = exchanged(exchange_with_neighbours, 16)
    _, same, _ = exchanged(exchange_by_gathering, 16)
    np.testing.assert_array_equal(ghosts, same)


@pytest.mark.parametrize("p", [2, 4, 8, 16])
def test_in_the_gathering_exchange_every_rank_receives_all_boundaries(p):
    message = 2 * SIZE * 8
    assert exchanged(exchange_with_neighbours, p)[2] == p * message
    assert exchanged(exchange_by_gathering, p)[2] == p * p * message


@pytest.mark.parametrize(("p", "steps"), [(1, 0), (2, 1), (8, 3), (16, 4)])
def test_allreduce_sums_over_all_ranks_in_log_p_steps(p, steps):
    values = list(np.random.default_rng(p).random((p, SIZE)))
    total = np.sum(values, axis=0)
    assert allreduce(values) == p * steps * SIZE * 8
    np.testing.assert_allclose(values, np.tile(total, (p, 1)), rtol=1e-12)
