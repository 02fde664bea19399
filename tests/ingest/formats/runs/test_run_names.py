"""The points of runs are read from the names of folders and files."""

import pytest

from ingest.formats.runs.run_names import is_hidden, levels, name_parts
from ingest.formats.runs.run_points import coordinates_by_name
from tests.ingest.formats.memory import at_most_seconds


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("lulesh.p125.size25.r1", {"p": 125, "size": 25}),
        ("app.p64.size1,5.r2", {"p": 64, "size": 1.5}),
        ("app.theta0.25", {"theta": 0.25}),
        ("app.problem_size45", {"problem_size": 45}),
        ("app.p8n10", {"p": 8, "n": 10}),
        ("app.r64.n30.r1", {"r": 64, "n": 30}),
        ("app1.5.p4", {"p": 4}),
        ("p64.n30.r1", {"p": 64, "n": 30}),
        ("x264.p4", {"p": 4}),
        ("x264_p4_r2", {"p": 4}),
        ("v2.p4", {"p": 4}),
        ("lulesh2_p64_n30", {"p": 64, "n": 30}),
        ("lulesh-p64-n30-r3", {"p": 64, "n": 30}),
        ("p64", {"p": 64}),
        ("n1e3", {"n": 1000}),
        ("p=64,n=1.5", {"p": 64, "n": 1.5}),
        ("run_l2=64_p=4", {"l2": 64, "p": 4}),
        ("job123_p4", {"p": 4}),
        ("p4_n100_rep2", {"p": 4, "n": 100}),
        ("2024-05-06_p4", {"p": 4}),
        ("bench_p4_2025-01-30_T00-58-59", {"p": 4}),
        ("bench-20250130T1712-p4", {"p": 4}),
        ("n20240101_p4", {"n": 20240101, "p": 4}),
        ("out_threads_8", {"threads": 8}),
        ("np_4", {"np": 4}),
        ("run_3_nodes-4", {"nodes": 4}),
        ("np_8_size_1000", {"np": 8, "size": 1000}),
        ("nodes_4_threads_8", {"nodes": 4, "threads": 8}),
        ("4_nodes_8_threads", {"nodes": 4, "threads": 8}),
        ("4_nodes_1", {"nodes": 4}),
        ("H2O_bench-2nodes-128cores-8threads-run3", {"nodes": 2, "cores": 128, "threads": 8}),
        ("lulesh_8thread", {"threads": 8}),
        ("grid64x32_p4", {"grid": 2048, "p": 4}),
        ("grid_64x32x2", {"grid": 4096}),
    ],
)
def test_names_with_parameters_are_parsed(name, values):
    assert name_parts(name).values == values


@pytest.mark.parametrize(
    "name",
    [
        "scorep-20261122_0804_1234567",
        "bench_2025-01-30_T13-58-59",
        "scorep_lulesh2_8x4_sum",
        "results",
        "profile",
        "run1",
        "r3",
        "bench2",
        "app.p",
        "app.4",
        "app.p1.2.3",
        "app.p2.p3",
        "app.p0",
        "solver_4_nodes_1",
        "matrix_1000_threads_4",
        "block_size_64",
        "rank_0",
        "10m",
        "run_3",
        "",
    ],
)
def test_names_without_parameters_are_recognised(name):
    assert name_parts(name).values == {}


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (["p4/n10/a.csv", "p8/n20/a.csv"], [{"n": 10, "p": 4}, {"n": 20, "p": 8}]),
        (["app.v2/p4/a.csv", "app.v2/p8/a.csv"], [{"p": 4}, {"p": 8}]),
        (["b.p4/run.p8.json"], [{"p": 8}]),
        (["m1.p4/", "m2.p4/"], [{"m": 1, "p": 4}, {"m": 2, "p": 4}]),
        (["x264.p4/", "x264.p8/"], [{"p": 4}, {"p": 8}]),
        (["run.p64.n30.json.gz"], [{"p": 64, "n": 30}]),
        (["omp2/a.p4/", "omp2/b/"], [{"p": 4}, {}]),
        (["app.p4/run1.csv", "app.p4/run2.csv"], [{"p": 4}, {"p": 4}]),
    ],
)
def test_the_innermost_name_is_used_and_folders_add_varying_parameters(paths, found):
    assert list(coordinates_by_name(paths).values()) == found


def test_file_extensions_are_ignored():
    assert levels("a/app.p4/run.n8.extrap.json") == ["run.n8", "app.p4", "a"]


def test_the_number_of_a_batch_job_is_no_parameter():
    assert levels("p4/lulesh.o123456") == ["lulesh", "p4"]


def test_numbers_without_names_are_kept_apart():
    assert name_parts("lammps-4-64-17").unnamed == (4, 64, 17)
    assert name_parts("solver_4_nodes_1").unnamed == (4, 1)
    assert name_parts("128x64").unnamed == (8192,)
    assert name_parts("2026-05-06_p4_run_2").unnamed == ()


def test_files_left_by_operating_systems_are_ignored():
    assert all(map(is_hidden, [".DS_Store", "a/.git/b", "__MACOSX/a/b.json", "a/._b.json"]))
    assert not is_hidden("a/b.json")


@pytest.mark.parametrize("name", ["a1" * 2000, "a" * 4000, "1." * 2000, "a=1" * 1000, "_-" * 2000, "é" * 999])
def test_hostile_names_are_parsed_quickly(name):
    with at_most_seconds(0.1):
        name_parts(name)
        levels(f"{name}/{name}.{name}")
