"""Which numbers in the metadata of runs are the parameters."""

import itertools
import random

import pytest

from ingest.formats import FormatError, Limits
from ingest.formats.runs.run_parameters import choose, coordinates, numbers


def grid(**values):
    """Return the metadata of one run for each combination of the values."""
    return [dict(zip(values, point, strict=True)) for point in itertools.product(*values.values())]


def test_it_works():
    runs = grid(jobsize=[2.0, 4.0], problem_size=[10.0, 20.0], order=[3.0])
    found = choose([run | {"elapsed_time": number + 0.5} for number, run in enumerate(runs)])
    assert found.parameters == ("jobsize", "problem_size")
    assert (found.others, found.shared, found.notes) == ((), (), ())


def test_the_order_of_the_runs_makes_no_difference():
    runs = [
        run | {"b": float(number), "a": float(number % 5)}
        for number, run in enumerate(grid(np=[2.0, 4.0], size=[1.0, 2.0], x=[1.0, 2.0, 3.0]))
    ]
    found = choose(runs)
    assert found.parameters == ("np", "size", "x")
    for seed in range(5):
        random.Random(seed).shuffle(runs)
        assert choose(runs) == found


def test_numbers_that_follow_from_the_parameters_are_not_chosen():
    runs = [{"mpi.world.size": p, "numhosts": p // 4, "total_size": 100 * p} for p in (8.0, 16.0, 32.0)]
    found = choose(runs)
    assert found.parameters == ("mpi.world.size",)
    assert set(found.others) == {"numhosts", "total_size"}


def test_only_one_of_two_equal_numbers_is_chosen():
    assert choose([{"jobsize": p, "mpi.world.size": p} for p in (2.0, 4.0)]).others == ()


@pytest.mark.parametrize(
    "name",
    ["launchdate", "elapsed_time", "FOM", "figure_of_merit", "jobid", "walltime", "total_time", "checksum"],
)
def test_results_and_identifiers_are_never_chosen(name):
    runs = [
        run | {name: float(number)} for number, run in enumerate(grid(jobsize=[2.0, 4.0], r=[1.0, 1.0]), 1)
    ]
    found = choose(runs)
    assert found.parameters == ("jobsize",)
    assert (found.others, found.shared) == ((), ())
    assert choose([{"jobsize": 2.0, name: 1.0}, {"jobsize": 2.0, name: 2.0}]).parameters == ("jobsize",)


def test_a_size_is_chosen_however_often_its_values_occur():
    runs = [
        {"jobsize": 20.0, "ProblemSizeRunParam": size, "omp_max_threads": 20.0} for size in (1.5, 2.0, 4.0)
    ]
    assert choose(runs).parameters == ("ProblemSizeRunParam",)


def test_a_number_of_time_steps_is_not_a_time():
    assert choose([{"timesteps": n, "time_steps": n * n} for n in (1.0, 2.0, 3.0)]).parameters == (
        "time_steps",
    )


class TestUnknownNames:
    """Numbers whose names are unknown may have been either chosen or measured."""

    def test_a_design_repeats_its_values(self):
        assert choose(grid(jobsize=[2.0, 4.0], depth=[1.0, 2.0])).parameters == ("jobsize", "depth")

    def test_a_result_does_not(self):
        runs = [
            run | {"cycles": 100.0 + number}
            for number, run in enumerate(grid(jobsize=[2.0, 4.0], repetition=[1.0]) * 2)
        ]
        found = choose(runs)
        assert found.parameters == ("jobsize",)
        assert found.others == ("cycles",)
        assert [(shared.point, shared.runs, shared.differing) for shared in found.shared] == [
            ({"jobsize": 2.0}, 2, {"cycles": (100.0, 102.0)}),
            ({"jobsize": 4.0}, 2, {"cycles": (101.0, 103.0)}),
        ]

    def test_where_nothing_else_varies_it_is_taken(self):
        assert choose([{"depth": depth, "tolerance": 0.5 / depth} for depth in (1.0, 2.0)]).parameters == (
            "depth",
        )

    def test_fractions_are_not_taken(self):
        found = choose([{"jobsize": 8.0, "tolerance": tolerance} for tolerance in (0.5, 0.25, 0.5, 0.25)])
        assert found.parameters == ("jobsize",)
        assert found.notes == (
            "4 runs share the point jobsize = 8 and count as its repetitions, although they differ in "
            "tolerance (0.25, 0.5); name the parameters in the option parameters, such as "
            "parameters=jobsize,tolerance, or on the campaign's page",
        )


class TestNothingVaries:
    """A campaign may consist of a single run, or of repetitions of one run."""

    def test_one_number_of_processes_the_threads_and_sizes_are_taken(self):
        run = {"np": 4.0, "nodes": 2.0, "threads": 8.0, "problem_size": 30.0, "depth": 3.0}
        assert choose([run]).parameters == choose([run, run]).parameters == ("np", "problem_size", "threads")

    @pytest.mark.parametrize("run", [{}, {"depth": 3.0}, {"launchdate": 1.7e9}])
    def test_there_may_be_none(self, run):
        found = choose([run, run])
        assert (found.parameters, found.others) == (("configuration",), ())
        assert coordinates(run, found.parameters) == [1.0]


def test_a_note_reports_differing_runs_at_one_point():
    found = choose([{"jobsize": 8.0}, {"jobsize": 8.0}, {"size": 5.0}])
    assert found.parameters == ("configuration",)
    assert found.notes == (
        "3 runs share one point and count as its repetitions, although they differ in jobsize (8), size (5); "
        "they cannot be parameters, because not all runs have them; send such runs as different campaigns",
    )


def test_wanted_parameters_are_chosen():
    runs = grid(jobsize=[2.0, 4.0], launchdate=[5.0, 6.0])
    assert choose(runs, ["launchdate"]).parameters == ("launchdate",)
    assert choose(runs, given=["launchdate"]).parameters == ("launchdate", "jobsize")
    assert choose(runs, ["configuration"]).parameters == ("configuration",)
    with pytest.raises(
        FormatError,
        match="some runs without a number “colour”; expected a number that all runs have: jobsize",
    ):
        choose(runs, ["colour"])


def test_notes_are_limited():
    runs = [{"jobsize": float(p), f"x{p}": 1.5, "y": p + r + 0.5} for p in range(1, 30) for r in (1, 2)]
    notes = choose(runs).notes
    assert len(notes) == 6
    assert notes[-1] == "24 more points have runs that differ like this"


class TestNumbers:
    """Which metadata of a run can be coordinates of its point."""

    def test_positive_numbers_are_kept(self):
        about = {"a": "8", "b": "1e3", "c": "-1", "d": "0", "e": "nan", "f": "x", "g": "1_000", "h" * 81: "1"}
        assert numbers(about, Limits()) == {"a": 8.0, "b": 1000.0}

    def test_their_count_is_bounded_and_the_telling_ones_stay(self):
        about = {f"n{number}": "1" for number in range(1000)} | {
            "jobsize": "8",
            "wished": "5",
            "launchdate": "1",
        }
        found = numbers(about, Limits(), wanted=["wished"])
        assert len(found) == 200
        assert {"jobsize", "wished"} <= found.keys()
        assert "launchdate" not in found
        assert len(numbers(about, Limits(), runs=20_000)) == 25
