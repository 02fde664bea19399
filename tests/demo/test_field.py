"""Kernels that work on the field, each compared with its definition."""

import cmath

import numpy as np
import pytest

from perfweb.demo.application.deck import DECK, read_deck
from perfweb.demo.application.field import (
    COARSENING,
    COMPONENTS,
    DIFFUSION,
    apply_coarse,
    coarse_operator,
    diffuse,
    diffuse_copying,
    sort_along,
    transform,
)


@pytest.fixture
def field():
    return np.random.default_rng(3).random((768, COMPONENTS))


@pytest.mark.parametrize("step", [diffuse, diffuse_copying])
def test_a_diffusion_step(step, field):
    expected = field.copy()
    for row in range(1, len(field) - 1):
        expected[row] += DIFFUSION * (field[row - 1] - 2 * field[row] + field[row + 1])
    before, out = field.copy(), np.full_like(field, np.nan)
    step(field, out)
    np.testing.assert_allclose(out, expected, rtol=1e-12)
    np.testing.assert_array_equal(field, before)


def test_the_transform_is_the_discrete_fourier_transform():
    field = np.random.default_rng(4).random((64, COMPONENTS))
    expected = [
        sum(row * cmath.exp(-2j * cmath.pi * k * t / 64) for t, row in enumerate(field)) for k in range(33)
    ]
    np.testing.assert_allclose(transform(field), expected, atol=1e-10)


def test_sorting_orders_the_particles():
    x = np.random.default_rng(5).random(500)
    assert x[sort_along(x)].tolist() == sorted(x.tolist())


def test_the_coarse_operator_inverts_an_implicit_step(field):
    size = len(field) // COARSENING
    right = field.reshape(size, -1)
    solved = np.empty_like(right)
    apply_coarse(coarse_operator(len(field)), field, solved)
    padded = np.pad(solved, ((1, 1), (0, 0)))
    implicit = solved - DIFFUSION * (padded[:-2] - 2 * solved + padded[2:])
    np.testing.assert_allclose(implicit, right, rtol=1e-12)


def test_the_deck_is_read_line_by_line():
    entries = read_deck()
    assert len(entries) == len(DECK.splitlines()) - 1
    assert entries["wall.2"] == ["fixed", 0.25]
    assert entries["material.3"] == [0.75, 0.0, 0.0045]
