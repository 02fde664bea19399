"""Designs deduced from profiles: the two examples of the paper, and the runs that each rule of deduction
saves.
"""

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeling.engine import PlanError, full_factorial, plan_minimal

PROCESSES = (8, 16, 32, 64, 128)
PACE3D = {
    "procs": (10, 20, 40, 80, 160),
    "vol": (216_000, 432_000, 864_000, 1_728_000, 2_592_000),
    "cubes": (1_000, 2_000, 8_000, 16_000, 27_000),
    "iters": (20, 40, 60, 80, 100),
}
PACE3D_PROFILE = {
    "read_config": set(),
    "solve_fine": {"procs", "vol", "iters"},
    "solve_coarse": {"procs", "cubes", "iters"},
    "project": {"cubes", "spacing"},
    "smooth": {"vol"},
    "exchange": {"procs"},
}


def rows(plan: Any) -> set[tuple[float, ...]]:
    return {tuple(row) for row in plan.points.tolist()}


def test_kripke_needs_the_five_points_of_the_paper() -> None:
    profile = {"sweep": {"dirsets", "iters"}, "reduce": {"procs", "iters"}, "setup": set()}
    values = {"procs": PROCESSES, "dirsets": (8, 16, 24, 32, 64), "iters": (2, 4, 6, 8, 10)}
    plan = plan_minimal(profile, values, linear={"iters"})
    assert plan.points[:, :2].tolist() == [[8, 8], [16, 16], [32, 24], [64, 32], [128, 64]]
    # 6 is the smallest of the offered values that has at least five iterations.
    assert plan.points[:, 2].tolist() == [6] * 5
    assert plan.repetitions.tolist() == [1] * 5
    assert full_factorial(values).runs == 625


def test_pace3d_needs_25_of_3125_runs() -> None:
    plan = plan_minimal(
        PACE3D_PROFILE, PACE3D, linear={"iters"}, dependent={"spacing": {"vol", "cubes"}},
        iteration_times={"iters": 1 + 0.05 * np.tile([-1, 1], 50)},
    )  # fmt: skip
    together = list(zip(PACE3D["vol"], PACE3D["cubes"], strict=True))
    assert rows(plan) == {(p, *pair, 20) for p, pair in product(PACE3D["procs"], together)}
    assert plan.runs == len(plan) == 25
    assert full_factorial(PACE3D).runs == 3125
    told = " ".join(plan.reasons)
    for part in ("read_config", "spacing", "iters", "5.00 %", "vol and cubes need not be crossed"):
        assert part in told


def test_exponents_determine_the_values_of_a_computed_parameter() -> None:
    exact = {"spacing": {"vol": 1.0, "cubes": -1.0}}
    plan = plan_minimal(PACE3D_PROFILE, PACE3D, linear={"iters"}, dependent=exact)
    assert plan.runs == 25
    alone = plan_minimal({**PACE3D_PROFILE, "fill": {"spacing"}}, PACE3D, linear={"iters"}, dependent=exact)
    assert alone.runs == 125  # A function of only vol / cubes needs all combinations of vol and cubes.


def test_a_main_loop_whose_iterations_differ_stays() -> None:
    plan = plan_minimal(
        {"sweep": {"n", "iters"}}, {"n": (1, 2, 3, 4, 5), "iters": (5, 10)}, linear={"iters"},
        iteration_times={"iters": [1, 2, 3, 4, 5]},
    )  # fmt: skip
    assert len(plan) == 10
    assert plan.runs == 50
    assert "47 %" in plan.reasons[0]


def test_short_main_loops_are_repeated_to_compensate() -> None:
    plan = plan_minimal({"f": {"n", "iters"}}, {"n": (1, 2, 3), "iters": (1, 2)}, linear={"iters"})
    assert plan.repetitions.tolist() == [3, 3, 3]
    free = plan_minimal({"f": {"n", "iters"}}, {"n": (1, 2, 3)}, linear={"iters"})
    assert free.repetitions.tolist() == [1, 1, 1]


def test_parameters_that_no_function_depends_on_keep_their_smallest_value() -> None:
    plan = plan_minimal({"f": {"p"}}, {"p": (2, 4, 8), "verbosity": (3, 1, 2)})
    assert plan.points.tolist() == [[2, 1], [4, 1], [8, 1]]
    assert plan.repetitions.tolist() == [5, 5, 5]


def test_costs_include_all_repetitions() -> None:
    plan = plan_minimal({"f": {"p"}}, {"p": (2, 4)}, cost=lambda points: points[:, 0] / 10)
    assert plan.costs.tolist() == [1.0, 2.0]
    assert plan.cost == 3.0
    assert plan_minimal({"f": {"p"}}, {"p": (2, 4)}).cost is None


def test_shorter_series_are_spread_over_longer_ones() -> None:
    plan = plan_minimal({"f": {"a"}, "g": {"b"}}, {"a": (1, 2, 3, 4, 5), "b": (10, 20, 30)})
    assert len(plan) == 5
    assert set(plan.points[:, 1]) == {10, 20, 30}


def test_unknown_functions_and_parameters_are_refused_with_the_nearest_plan() -> None:
    values = {"a": (1, 2, 3), "b": (1, 2, 3)}
    with pytest.raises(PlanError, match="no dependencies of mystery") as caught:
        plan_minimal({"f": {"a"}, "mystery": None}, values)
    assert caught.value.nearest is not None
    assert len(caught.value.nearest) == 9
    with pytest.raises(PlanError, match="g depends on c, expected some of a, b") as caught:
        plan_minimal({"f": {"a"}, "g": {"b", "c"}}, values)
    assert caught.value.nearest is not None
    assert len(caught.value.nearest) == 3


@pytest.mark.parametrize("series", [(), (1, 1), (0, 1), (1, float("nan"))])
def test_impossible_values_are_refused(series: tuple[float, ...]) -> None:
    with pytest.raises(PlanError, match="values: found"):
        plan_minimal({"f": {"a"}}, {"a": series})


@given(
    st.lists(st.sets(st.sampled_from("abcd"), max_size=3), min_size=1, max_size=5),
    st.lists(st.integers(2, 4), min_size=4, max_size=4),
)
def test_every_function_is_measured_with_all_combinations_of_its_parameters(
    functions: list[set[str]], sizes: list[int]
) -> None:
    values = {name: tuple(range(1, size + 1)) for name, size in zip("abcd", sizes, strict=True)}
    plan = plan_minimal({str(number): found for number, found in enumerate(functions)}, values)
    assert len(rows(plan)) == len(plan) <= np.prod(sizes)
    for found in functions:
        columns = [at for at, name in enumerate("abcd") if name in found]
        seen = {tuple(row[columns]) for row in plan.points}
        for one, other in combinations(columns, 2):
            crossed = {(row[one], row[other]) for row in plan.points}
            assert len(crossed) == sizes[one] * sizes[other]
        assert len(seen) == np.prod([sizes[at] for at in columns])


def test_on_request_the_cheapest_points_show_the_noise() -> None:
    plan = plan_minimal(
        {"f": {"p", "iters"}}, {"p": (64, 2, 8)}, linear={"iters"}, cost=lambda points: points[:, 0],
        noise_runs=3,
    )  # fmt: skip
    assert plan.points[:, 0].tolist() == [2, 8, 64]
    assert plan.repetitions.tolist() == [3, 3, 1]
    assert plan.costs.tolist() == [6, 24, 64]
    assert "2 cheapest points are run 3 times" in plan.reasons[-1]


def test_a_point_names_only_the_parameters_that_act_together() -> None:
    """p and m are varied at the same time, but only p and n meet in a function."""
    values = {"p": (2, 4, 8), "n": (10, 20, 40), "m": (1, 2, 4)}
    plan = plan_minimal({"halo": {"p", "n"}, "solve": {"m"}}, values)
    assert len(plan) == 9
    assert set(plan.buys) == {
        "the smallest configuration, which all lines share",
        "growth with n",
        "growth with p and, in other functions, m",
        "how p and n act together",
    }


def test_a_limit_on_runs_reduces_repetitions_and_then_refuses() -> None:
    profile, values = {"f": {"p", "n"}}, {"p": (2, 4, 8), "n": (1, 2, 3)}
    plan = plan_minimal(profile, values, runs=20)
    assert plan.repetitions.tolist() == [2] * 9
    assert "run 2 times instead of 5 times, because at most 20 runs are allowed" in " ".join(plan.reasons)
    with pytest.raises(PlanError, match="at most 8, but the smallest design has 9") as caught:
        plan_minimal(profile, values, runs=8)
    assert caught.value.nearest is not None
    assert caught.value.nearest.runs == 9


def test_a_limit_on_runs_also_limits_runs_that_show_the_noise() -> None:
    profile, values = {"f": {"p", "iters"}}, {"p": (2, 4, 8)}
    asked = {"linear": {"iters"}, "noise_runs": 3}
    assert plan_minimal(profile, values, **asked).repetitions.tolist() == [3, 3, 1]  # type: ignore[arg-type]
    few = plan_minimal(profile, values, **asked, runs=4)  # type: ignore[arg-type]
    assert few.repetitions.tolist() == [1, 1, 1]
    assert "to show how much runs differ" not in " ".join(few.reasons)


def test_points_that_are_not_allowed_are_refused() -> None:
    profile, values = {"f": {"p"}}, {"p": (2, 4, 8)}
    with pytest.raises(PlanError, match="1 of 3 points of the deduced design beyond the limits") as caught:
        plan_minimal(profile, values, allowed=lambda points: points[:, 0] < 5)
    assert caught.value.nearest is not None
    assert caught.value.nearest.points.tolist() == [[2], [4]]


def test_reasons_name_functions_without_their_arguments() -> None:
    """The arguments of three functions of LULESH took four lines."""
    profile = {"EOS(Domain&, double*, int)": ["p", "n"], "Mesh::operator()(int) const": ["n"]}
    plan = plan_minimal(profile, {"p": (2, 4, 8, 16, 32), "n": (1, 2, 3, 4, 5)})
    assert "p and n are crossed: EOS depends on both." in plan.reasons
