"""Columns that identify runs, rows or processes are neither parameters nor metrics."""

import pytest

ORIGINS = {"host", "node", "jobid", "slurm_job_id", "date", "launchdate", "start_time"}
"""Names of columns that describe the origin of runs."""


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("host", "node01", "node02"),
        ("node", "nid0001", "nid0002"),
        ("jobid", "123", "124"),
        ("slurm_job_id", "123", "124"),
        ("date", "20260301", "20260302"),
        ("launchdate", "1700000000", "1700000100"),
        ("start_time", "1700000000", "1700000100"),
        ("what", "2026-03-01", "2026-03-02 10:00:00"),
        ("what", "01.03.2026", "02.03.2026"),
        ("what", "ab12cd34ef", "12cd34ef56"),
        ("what", "0x7f3a21", "0x7f3a22"),
        ("run", "1", "2"),
        ("seed", "17", "4711"),
        ("rng_seed", "17", "4711"),
    ],
)
def test_rows_with_different_hosts_dates_and_ids_are_repetitions(read, name, first, second):
    campaign = read(f"{name},p,time", f"{first},2,1", f"{second},2,3")
    assert campaign.parameters == ("p",)
    assert campaign.series["main", "time"].tolist() == [[1, 3]]
    told = "read as the origin of runs" if campaign.origins else "left out"
    assert campaign.notes[0].startswith(f"the column {name} was {told}")
    assert (campaign.origins is not None) == (name in ORIGINS)


@pytest.mark.parametrize("name", ["Test", "Experiment", "Messung", "Durchlauf", "Iteración", "essai"])
@pytest.mark.parametrize("first", [0, 1])
def test_consecutive_tests_of_a_point_are_repetitions(read, name, first):
    campaign = read(f"threads,{name},time", *(f"{p},{first + run},{p}.5" for p in (2, 4) for run in range(3)))
    assert campaign.parameters == ("threads",)
    assert campaign.series["main", "time"].shape == (2, 3)
    assert campaign.notes == (f"the column {name} was left out: repetitions are in the order of the rows",)


@pytest.mark.parametrize("values", [(10, 20, 30), (2, 3, 4), (1, 1, 1)])
def test_other_numbers_of_tests_are_a_parameter(read, values):
    campaign = read("threads,test,time", *(f"{p},{value},{p}.5" for p in (2, 4) for value in values))
    assert campaign.parameters == ("threads", "test")


def test_a_constant_host_is_left_out_as_well(read):
    campaign = read("host,p,time", "node01,2,1", "node01,4,3")
    assert campaign.metadata == {}
    assert "host" in campaign.notes[0]


def test_rows_with_different_times_of_day_are_repetitions(read):
    campaign = read("ranks,started,time", "2,13:45:10,1.5", "2,13:46:20,1.25")
    assert campaign.series["main", "time"].tolist() == [[1.5, 1.25]]


def test_the_index_of_a_filtered_table_is_left_out(read):
    campaign = read(",ranks,time", "3,2,4.5", "7,4,2.5", "8,4,2.4")
    assert campaign.points.tolist() == [[2], [4]]


def test_dispatches_of_a_gpu_profiler_are_repetitions(read):
    campaign = read(
        "Index,KernelName,queue-index,tid,grd,DispatchNs,BeginNs,EndNs,DurationNs",
        '0,"axpy(float*) [clone .kd]",0,70,4096,1000,2000,2500,500',
        '1,"axpy(float*) [clone .kd]",2,70,4096,3000,4000,4600,600',
        '2,"dot(float*) [clone .kd]",4,70,4096,5000,6000,6900,900',
    )
    assert campaign.parameters == ("grd",)
    assert {metric for _, metric in campaign.series} == {"DurationNs"}
    assert campaign.series["axpy(float*) [clone .kd]", "DurationNs"].tolist() == [[500, 600]]


def test_ranks_of_one_run_are_repetitions(read):
    campaign = read("nodes,rank,time", "1,0,2.5", "1,1,2.6", "1,2,2.7", "2,0,1.5", "2,1,1.6", "2,2,1.7")
    assert campaign.parameters == ("nodes",)
    assert campaign.series["main", "time"].tolist() == [[2.5, 2.6, 2.7], [1.5, 1.6, 1.7]]
    assert read("rank,time", "1,2.5", "2,1.5", "4,0.9").parameters == ("rank",)


def test_epochs_of_a_training_are_repetitions(read):
    campaign = read("gpus,epoch,epoch_time", "1,0,8.5", "1,1,8.6", "2,0,4.5", "2,1,4.6")
    assert campaign.series["main", "epoch_time"].tolist() == [[8.5, 8.6], [4.5, 4.6]]


def test_addresses_do_not_become_part_of_the_kernel(read):
    campaign = read("function,start address,time [s]", "f,0xb90ef0,1.5", "g,[Unknown],2.5")
    assert [kernel for kernel, _ in campaign.series] == ["f", "g"]


@pytest.mark.parametrize("name", ["RunIndex", "run_no", "Trial Number", "i"])
def test_numbers_of_runs_have_many_names(read, name):
    assert read(f"ranks,{name},time", "2,1,9.5", "2,2,9.25", "4,1,5.5").parameters == ("ranks",)


def test_nodes_of_a_call_tree_with_the_same_function_are_kernels(read):
    campaign = read("nid,name,time", "1,main,9.5", "2,solve,4.5", "3,solve,1.5")
    assert {kernel for kernel, _ in campaign.series} == {"main [nid=1]", "solve [nid=2]", "solve [nid=3]"}


def test_clocks_threads_and_codes_of_a_load_test_are_no_parameters(read):
    header = "timeStamp,elapsed,label,responseCode,threadName,allThreads"
    rows = ("1652798092133,956,login,200,Group 1-21,2", "1652798092134,16,login,200,Group 1-17,4")
    campaign = read(header, *rows, "1652798092135,17,login,500,Group 1-16,4")
    assert campaign.parameters == ("allThreads",)
    assert {metric for _, metric in campaign.series} == {"elapsed"}
    assert {kernel for kernel, _ in campaign.series} == {"main [responseCode=200]", "main [responseCode=500]"}


@pytest.mark.parametrize("first", ["", "Unnamed: 0"])
def test_the_index_of_sorted_rows_is_left_out(read, first):
    rows = (f"{index},{p},{60 / p}" for index, p in ((17, 1), (4, 2), (11, 4), (3, 8), (9, 16)))
    assert read(f"{first},p,time", *rows).parameters == ("p",)
