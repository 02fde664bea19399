"""JSON and CSV of hyperfine."""

import pytest

from ingest.formats import FormatError
from tests.ingest.formats.reading import changed

HYPERFINE = {
    "results": [
        {
            "command": f"./solve -n {n} --out x{n}.txt",
            "mean": 1.5,
            "user": 1.25,
            "system": 0.25,
            "times": [1.0 * n, 2.0 * n],
            "exit_codes": [0, 0],
            "parameters": {"n": str(n)},
        }
        for n in (8, 16)
    ]
}


def test_hyperfine(read):
    campaign = read(HYPERFINE)
    assert campaign.format == "hyperfine"
    assert campaign.points.tolist() == [[8.0], [16.0]]
    assert campaign.units["time"] == "s"
    names = {path for path, _ in campaign.series}
    assert names == {"./solve -n {n} --out x{n}.txt"}


def test_commands_that_differ_only_in_a_number_are_one_kernel(read):
    results = [
        {"command": f"run {kind} {n}", "times": [1.0 * n], "parameters": {"n": str(n), "kind": kind}}
        for n in (8, 16)
        for kind in ("a", "b")
    ]
    campaign = read({"results": results})
    assert campaign.series["run a {n} [kind=a]", "time"].tolist() == [[8.0], [16.0]]
    assert len(campaign.series) == 2


def test_numbers_in_which_all_commands_differ_are_parameters(read):
    results = [
        {"command": f"{tool} {threads} app", "times": [8.0 / threads]}
        for tool in ("gcc", "icc")
        for threads in (1, 2)
    ]
    campaign = read({"results": results})
    assert (campaign.parameters, campaign.points.tolist()) == (("arg1",), [[1], [2]])
    assert campaign.series["icc {arg1} app", "time"].tolist() == [[8.0], [4.0]]
    assert "were read as the parameters arg1; --parameter-list" in campaign.notes[0]


@pytest.mark.parametrize("other", ["./sort --help", "./sort -n many", "./sort -n 0"])
def test_other_commands_are_kernels(read, other):
    commands = ["./sort -n 1000", other]
    campaign = read({"results": [{"command": command, "times": [1.0]} for command in commands]})
    assert {path for path, _ in campaign.series} == set(commands)


def test_a_number_that_is_part_of_a_word_by_chance_is_kept(read):
    results = [
        {"command": f"run1 -n {n} --level 12", "times": [1.0 * n], "parameters": {"n": str(n)}}
        for n in (1, 2)
    ]
    assert {path for path, _ in read({"results": results}).series} == {"run1 -n {n} --level 12"}


@pytest.mark.parametrize("statistics", [{"mean": 2.5}, {"mean": 9, "median": 2.5, "times": None}])
def test_without_times_of_runs_the_median_or_mean_is_read(read, statistics):
    results = [{"command": "run", "parameters": {"n": "8"}, **statistics}]
    campaign = read({"results": results})
    assert campaign.series["run", "time"].tolist() == [[2.5]]
    assert "counts as one repetition of 1 commands" in campaign.notes[0]


def test_runs_of_hyperfine_that_failed_are_left_out_with_a_note(read):
    failing = {"command": "a", "times": [1.0, 9.0, 2.0], "exit_codes": [0, 1, 0], "parameters": {"n": "8"}}
    always = {"command": "diff", "times": [3.0, 4.0], "exit_codes": [1, None], "parameters": {"n": "8"}}
    campaign = read({"results": [failing | {"memory_usage_byte": [10, 20, 30]}, always]})
    assert campaign.series["a", "time"].tolist() == [[1.0, 2.0]]
    assert campaign.series["a", "memory"].tolist() == [[10.0, 30.0]]
    assert campaign.series["diff", "time"].tolist() == [[3.0, 4.0]]
    assert "1 of 3 runs of “a” failed" in campaign.notes[0]
    assert "every run of “diff”" in campaign.notes[1]
    assert campaign.units == {"time": "s", "memory": "B"}
    # hyperfine starts a process for each run, so its values are repetitions and not rounds.
    assert not campaign.rounds


HYPERFINE_CSV = """command,mean,stddev,median,user,system,min,max,parameter_n,parameter_kind
"sort --n 8, heap",2,0.1,1.5,1.0,0.5,1.4,9,8,heap
"sort --n 16, heap",4,,3.5,1.0,0.5,1.4,9,16,heap
"""


def test_csv_of_hyperfine_is_read(read):
    campaign = read(HYPERFINE_CSV)
    assert campaign.format == "hyperfine"
    assert campaign.points.tolist() == [[8.0], [16.0]]
    assert campaign.series["sort --n {n}, heap [kind=heap]", "time"].tolist() == [[1.5], [3.5]]


def test_a_command_of_several_lines_has_one_name(read):
    results = [{"command": "set -e\n a -> b", "times": [1.0]}]
    assert {path for path, _ in read({"results": results}).series} == {"set -e a → b"}


@pytest.mark.parametrize(
    ("content", "line", "found"),
    [
        (changed(HYPERFINE, "results", command=None), 3, "the command “None”"),
        (changed(HYPERFINE, "results", parameters=[8]), 3, "“[8.0]”"),
        (changed(HYPERFINE, "results", times=["x"]), 3, "times “['x']”"),
        (changed(HYPERFINE, "results", user="x"), 3, "user"),
        (changed(HYPERFINE, "results", times=None, mean=None), 3, "without times"),
        (HYPERFINE_CSV.replace(",1.5,", ",,").replace(",2,", ",,"), 2, "without times"),
        (HYPERFINE_CSV.replace(",1.4", "", 1), 2, "a row of 9 cells"),
        ('{"results": ' + "[" * 100_000, 1, "nested deeper"),
    ],
)
def test_errors_name_the_line_and_what_was_found(read, content, line, found):
    with pytest.raises(FormatError) as raised:
        read(content)
    assert found in raised.value.found
    assert (raised.value.file, raised.value.line) == ("results", line)
    assert raised.value.expected
