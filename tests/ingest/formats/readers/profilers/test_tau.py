"""TAU profiles, which have a text file for each thread."""

import pytest

from ingest.formats import FormatError, parse
from tests.ingest.formats import cubex
from tests.ingest.formats.memory import seconds_of_children


@pytest.fixture
def read(tmp_path):
    def read(files, point="", **options):
        path = tmp_path / "runs.tar"
        path.write_bytes(cubex.tar(files))
        return parse(path, point=point, options=options)

    return read


FLAT = {
    "main()": (1, 2.0, 10.0),
    "solve() [{solve.c} {10,1}-{20,1}]": (4, 5.0, 8.0),
    "MPI_Send()  ": (8, 3.0, 3.0),
}
PATHS = {
    "main()": (1, 2.0, 10.0),
    "solve()": (4, 5.0, 8.0),
    "main() => solve()": (4, 5.0, 8.0),
    "MPI_Send()": (8, 3.0, 3.0),
    "main() => solve()  => MPI_Send()  ": (8, 3.0, 3.0),
}


def profile(functions, metric="TIME", factor=1.0, group=True):
    """Return a file with functions by name, each with its calls, exclusive value and inclusive value."""
    lines = [
        f'"{name}" {calls} 1 {own * factor:g} {whole * factor:g} 0'
        + (' GROUP="TAU_DEFAULT" ' if group else "")
        for name, (calls, own, whole) in functions.items()
    ]
    header = "# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute></attribute></metadata>"
    events = [
        "0 aggregates",
        "1 userevents",
        "# eventname numevents max min mean sumsqr",
        '"Message size" 1 4 4 4 16',
    ]
    first = f"{len(functions)} templated_functions_MULTI_{metric}"
    return "\n".join([first, header, *lines, *events, ""]).encode()


def run(folder, processes, threads=1, functions=FLAT, **more):
    """Return the files of a run in which the values of rank r are r + 1 times those of rank 0."""
    return {
        f"{folder}/profile.{rank}.0.{thread}": profile(functions, factor=rank + 1, **more)
        for rank in range(processes)
        for thread in range(threads)
    }


def test_it_works(read):
    campaign = read({**run("app.p2.r1", 2), **run("app.p4.r1", 4)})
    assert campaign.format == "tau"
    assert (campaign.parameters, campaign.points.tolist()) == (("p",), [[2], [4]])
    assert campaign.units == {"time": "us", "calls": ""}
    assert campaign.series["main()", "time"].tolist() == [[3], [5]]
    assert campaign.series["solve()", "time"].tolist() == [[7.5], [12.5]]
    assert campaign.series["MPI_Send()", "calls"].tolist() == [[8], [8]]
    assert not campaign.notes


@pytest.mark.parametrize(
    ("options", "solve"),
    [
        ({}, [7.5]),
        ({"scaling": "strong"}, [15]),
        ({"scaling": "ranks"}, [5, 10]),
        ({"inclusive": "yes"}, [12]),
        ({"inclusive": "yes", "scaling": "strong"}, [24]),
    ],
)
def test_ranks_and_callees_are_combined_by_the_options(read, options, solve):
    assert read(run("app.p2", 2), **options).series["solve()", "time"].tolist() == [solve]


def test_threads_without_a_function_have_the_value_0(read):
    files = run("app.p1", 1)
    files["app.p1/profile.0.0.1"] = profile({"idle": (1, 4.0, 4.0)})
    assert read(files).series["solve()", "time"].tolist() == [[2.5]]
    assert read(files, scaling="threaded").series["solve()", "time"].tolist() == [[5]]


def test_call_paths_are_counted_once(read):
    campaign = read(run("app.p1", 1, functions=PATHS))
    assert {kernel for kernel, _ in campaign.series} == {
        "main()",
        "main()->solve()",
        "main()->solve()->MPI_Send()",
    }
    assert sum(values[0, 0] for (_, metric), values in campaign.series.items() if metric == "time") == 10


def test_functions_of_cut_paths_are_counted_once(read):
    functions = {
        "main()": (1, 2.0, 10.0), "solve()": (4, 5.0, 8.0), "send()": (8, 3.0, 3.0), "apart()": (1, 1.0, 1.0),
        "main() => solve()": (4, 5.0, 8.0), "solve() => send()": (8, 3.0, 3.0),
    }  # fmt: skip
    campaign = read(run("app.p1", 1, functions=functions))
    assert {kernel for kernel, _ in campaign.series} == {
        "main()",
        "main()->solve()",
        "solve()->send()",
        "apart()",
    }


def test_folders_of_several_metrics_share_the_calls(read):
    files = {}
    for metric in ("TIME", "PAPI_L2_TCM"):
        files |= {
            name.replace("/profile", f"/MULTI__{metric}/profile"): content
            for name, content in run("app.p2", 2, metric=metric).items()
        }
    campaign = read(files)
    assert {metric for _, metric in campaign.series} == {"time", "calls", "PAPI_L2_TCM"}
    assert campaign.series["solve()", "calls"].tolist() == [[4]]
    assert campaign.series["solve()", "PAPI_L2_TCM"].tolist() == [[7.5]]
    assert campaign.units["PAPI_L2_TCM"] == ""


def test_without_names_processes_and_threads_are_parameters(read):
    campaign = read({**run("first", 2, 2), **run("second", 4, 2)})
    assert (campaign.parameters, campaign.points.tolist()) == (("processes",), [[2], [4]])
    assert campaign.metadata == {"constant parameters": {"threads": 2.0}}
    campaign = read({**run("first", 2), **run("second", 4)}, point="n=100")
    assert (campaign.parameters, campaign.metadata) == (("processes",), {"constant parameters": {"n": 100.0}})


def test_a_single_file_is_one_configuration_or_at_its_sent_point(tmp_path):
    path = tmp_path / "profile.0.0.0"
    path.write_bytes(profile(FLAT))
    assert parse(path).parameters == ("configuration",)
    campaign = parse(path, point="p=64")
    assert (campaign.parameters, campaign.points.tolist()) == (("p",), [[64]])


def test_functions_at_several_places_of_the_source_are_one_kernel(read):
    functions = {
        "f [{a.c} {1,1}-{2,1}]": (1, 2.0, 2.0),
        "f [{b.c} {15,0}]": (1, 3.0, 3.0),
        'say "hi"': (1, 1.0, 1.0),
    }
    campaign = read(run("app.p1", 1, functions=functions, group=False))
    assert campaign.series["f", "time"].tolist() == [[5]]
    assert ('say "hi"', "time") in campaign.series


def test_negative_values_count_as_0_with_a_note(read):
    campaign = read(run("app.p1", 1, functions={"f": (1, -0.5, 2.0), "g": (1, 1.0, 1.0)}))
    assert campaign.series["f", "time"].tolist() == [[0]]
    assert campaign.notes == ("1 negative values, such as of compensated overhead, count as 0",)


def test_a_run_with_a_broken_file_is_left_out(read):
    campaign = read({**run("app.p2", 2), **run("app.p4", 4), "app.p4/profile.3.0.0": b"broken"})
    assert campaign.points.tolist() == [[2]]
    assert campaign.notes[0].startswith("left out: app.p4/profile.3.0.0, line 1: found “broken”")


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"9 templated_functions_MULTI_TIME\n# Name\n", "1 lines for 9 functions"),
        (b'1 templated_functions_MULTI_TIME\n# Name\n"f" 1 2 x 4 0\n', "line 3: found “x”"),
        (b'1 templated_functions_MULTI_TIME\n# Name\n"f" 1 2 3\n', "3 numbers after “f”"),
        (b"1 templated_functions_MULTI_TIME\n# Name\nf 1 2 3 4 0\n", "“f 1 2 3 4 0”"),
        (b'1 templated_functions_MULTI_TIME\n# Name\n"f" 1 2 nan 4 0\n', "the value “nan”"),
        (b"\xff\xfe", "not UTF-8"),
        (b"", "“”"),
    ],
)
def test_invalid_files_are_refused(read, content, found):
    with pytest.raises(FormatError) as raised:
        read({"app.p2/profile.0.0.0": content})
    assert found in str(raised.value)


@pytest.mark.parametrize(
    ("options", "found"), [({"scaling": "x"}, "the scaling"), ({"inclusive": "x"}, "inclusive =")]
)
def test_invalid_options_are_refused(read, options, found):
    with pytest.raises(FormatError, match=found):
        read(run("app.p2", 1), **options)


FIRST = b"999999999 templated_functions_MULTI_TIME\n# Name\n"
HOSTILE = {
    "quotes": FIRST + b'"' * 3_000_000,
    "callers": b"1 templated_functions_MULTI_TIME\n#\n" + b'"' + b"a=>" * 900_000 + b'a" 1 1 1 1 0',
    "brackets": b"1 templated_functions_MULTI_TIME\n#\n" + b'"' + b" [{" * 900_000 + b'" 1 1 1 1 0',
    "lines": FIRST + b"\n" * 3_000_000,
    "numbers": b"1 templated_functions_MULTI_TIME\n#\n" + b'"a" ' + b"1 " * 1_500_000,
    "a count": b"9" * 3_000_000,
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_are_refused_in_time(tmp_path, content):
    path = tmp_path / "profile.0.0.0"
    path.write_bytes(content)
    begun = seconds_of_children()
    with pytest.raises(FormatError):
        parse(path)
    assert seconds_of_children() - begun < 2


def test_extents_in_the_names_of_folders_are_no_repetitions(read):
    files = {}
    for extents in ("128x128", "128x256", "256x256"):
        files |= run(f"profiles/{extents}", 1)
    campaign = read(files)
    assert (campaign.parameters, campaign.points.tolist()) == (("x",), [[16384], [32768], [65536]])
    assert campaign.metadata == {"constant parameters": {"processes": 1.0}}


def test_a_note_names_folders_that_may_hold_other_points(read):
    campaign = read({**run("gcc.p4", 1), **run("clang.p4", 1)})
    assert "files at one point count as repetitions, such as clang.p4/" in campaign.notes[0]
