"""Parameters that were always varied together."""

import numpy as np
import pytest

from modeling.engine.measured.relations import relations

P = np.array([8.0, 16, 32, 64, 128, 256])


def test_a_multiple_is_found_exactly():
    found = relations(np.stack([P / 8, P], axis=1), first=1)
    assert found.together.tolist() == [True, False]
    assert found.kept(np.array([[1.0, 4096.0]]))[0] == pytest.approx([512.0, 4096.0], rel=1e-12)
    assert found.broken(np.array([[512.0, 4096.0], [512.0, 2048.0]])).tolist() == [[False] * 2, [True, False]]


@pytest.mark.parametrize("power", [1 / 3, 0.5, 1, 2, -1])
def test_powers_are_found_although_sizes_were_rounded(power):
    found = relations(np.stack([P, np.round(3000 * P**power)], axis=1))
    assert found.together.tolist() == [False, True]
    assert found.power[1, 0] == pytest.approx(power)
    assert np.exp(found.offset[1]) == pytest.approx(3000, rel=0.01)


def test_a_product_follows_from_the_parameters_with_fewer_values():
    points = np.array(
        [(nodes * tasks, nodes, tasks) for nodes in (1, 2, 4, 8, 16) for tasks in (1, 4)], float
    )
    found = relations(points)
    assert found.together.tolist() == [False, True, False]
    assert found.power[1] == pytest.approx([1, 0, -1])
    assert found.kept(np.array([[64.0, 1, 4]]))[0] == pytest.approx([64, 16, 4])


@pytest.mark.parametrize(
    "points",
    [
        [(p, n) for p in P for n in (100, 200)],
        [*zip(P, 100 * P, strict=True), (8, 1600)],  # one point off the line
        list(zip(P, [100, 300, 700, 900, 2000, 7000], strict=True)),  # input decks without a rule
        [(1, 1), (2, 2)],  # any two points lie on a line
        [(8, 3), (16, 3), (32, 3)],
        [(8.0,), (16.0,)],
    ],
)
def test_other_points_have_no_relation(points):
    assert not relations(np.array(points, float)).together.any()


def test_a_parameter_with_one_value_is_unknown_elsewhere_but_not_varied_together():
    found = relations(np.stack([P, P**2, np.full(6, 3.0)], axis=1))
    assert (found.bound.tolist(), found.together.tolist()) == ([False, True, True], [False, True, False])
    assert found.broken(np.array([[8.0, 64.0, 4.0]])).tolist() == [[False, False, True]]
    assert found.kept(np.array([[8.0, 1.0, 4.0]])).tolist() == [pytest.approx([8, 64, 4])]
