"""How far beyond the measured values the automatic target lies."""

import pytest

from ingest.guessing.automatic_target import spans, target
from modeling.engine.laws.synthetic import grid

ROLES = {
    "p": "processes",
    "ranks": "processes",
    "nodes": "processes",
    "threads": "processes",
    "n": "problem_size",
    "nx": "problem_size",
}
SCALING = [4, 8, 16, 32, 64]


def of(*campaigns, roles=ROLES):
    """Return the target's values, if each campaign has measured all combinations of these values."""
    measured = [spans(list(axes), grid(list(axes.values()))) for axes in campaigns]
    return target(measured, roles)[1]


def test_it_works():
    assert of({"p": SCALING, "n": [256, 512, 1024]}) == {"p": 1024, "n": 1024}


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([4, 8, 16, 32, 64], 1024),
        ([1, 4, 16, 64, 256, 1024], 16_384),  # The target is at most 16 times the largest value.
        ([64, 128, 256, 512, 1024, 2048], 32_768),
        # The measured values span a factor of 8, so the target is 8 times the largest value.
        ([4, 8, 12, 16, 32], 256),
        ([6, 12, 24, 48, 96], 1536),
        ([10, 20, 40, 60, 80], 640),
        ([100, 110, 120, 130, 140], 280),  # The target is at least 2 times the largest value.
        ([4, 64], 128),  # Two values show too little to go farther, whatever their distance.
        ([4, 16, 64], 256),
        ([8, 16, 32, 64], 256),
        ([1, 8, 64, 512], 8192),
        ([0.1, 0.2, 0.4, 0.8, 1.6], 25.6),
    ],
)
def test_the_target_is_as_far_as_the_values_allow(values, wanted):
    assert of({"p": values}) == {"p": pytest.approx(wanted)}


def test_a_single_point_is_the_target():
    assert of({"p": [64], "n": [100]}) == {"p": 64, "n": 100}


def test_sizes_are_extrapolated_less_far_and_only_if_no_processes_vary():
    assert of({"p": [8], "n": [100, 200, 400, 800, 1600], "x": [1, 2]}) == {"p": 8, "n": 6400, "x": 2}
    assert of({"n": SCALING, "nx": SCALING}) == {"n": 256, "nx": 256}
    assert of({"x": SCALING}) == {"x": 256}


def test_ranks_take_precedence_over_nodes_and_threads():
    assert of({"threads": [1, 2, 4, 8, 16]}) == {"threads": 256}
    assert of({"threads": [1, 2, 4, 8, 16], "ranks": [4]}) == {"threads": 256, "ranks": 4}
    everything = {"threads": [1, 2, 4], "nodes": [1, 2], "ranks": SCALING}
    assert of(everything) == {"threads": 4, "nodes": 2, "ranks": 1024}
    assert of(everything, roles=ROLES | {"ranks": "other"}) == {"threads": 4, "nodes": 4, "ranks": 64}


def test_all_campaigns_share_the_target_of_the_widest_one():
    narrow, wide = {"p": [4, 8, 16], "n": [512]}, {"p": SCALING, "n": [1024]}
    assert of(narrow, wide) == of(wide, narrow) == {"p": 1024, "n": 1024}
    assert of({"p": SCALING}, {"p": [4096]}) == {"p": 1024}, "one value is no way to grow along"
    assert of({"p": SCALING}, {"p": [4], "x": [1, 2]}) == {"p": 1024, "x": 2}


def test_the_name_of_the_target_contains_the_extrapolated_parameter():
    measured = [spans(["p", "n"], grid([SCALING, [100]])), spans(["p", "n"], [[4, 100], [8, 100]])]
    assert target(measured, ROLES)[0] == "p = 1,024"
    assert target([spans(["p", "n"], [[8, 100]])], ROLES)[0] == "p = 8, n = 100"
    names = [f"parameter_{at}" for at in range(20)]
    assert len(target([spans(names, [[1.0] * 20])], {})[0]) == 80
