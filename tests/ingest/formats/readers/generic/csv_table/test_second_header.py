"""Headers of tables that take two lines."""

import pytest


def test_a_group_above_names_becomes_part_of_each_name(read):
    campaign = read("size,Copy,,Triad,", ",time [s],rate,time [s],rate", "8,1.5,9,2.5,7", "16,3,8,5,6")
    assert (campaign.parameters, campaign.points.tolist()) == (("size",), [[8], [16]])
    assert {key[1]: values.tolist() for key, values in campaign.series.items()} == {
        "Copy time": [[1.5], [3]],
        "Copy rate": [[9], [8]],
        "Triad time": [[2.5], [5]],
        "Triad rate": [[7], [6]],
    }


def test_both_lines_may_come_again_further_below(read):
    header = ("size, Copy,,", "n, time, rate,speed")
    campaign = read(*header, "8,1.5,9,4", *header, "8,1.75,9,4")
    assert campaign.series["main", "Copy time"].tolist() == [[1.5, 1.75]]


def test_groups_that_pandas_repeats_are_joined_with_statistics_and_the_index(read):
    campaign = read(",time,time,mem", ",mean,std,max", "ranks,,,", "2,1.5,0.1,70", "4,0.75,0.1,80")
    assert campaign.parameters == ("ranks",)
    assert {metric for _, metric in campaign.series} == {"time mean", "mem max"}


def test_units_may_stand_below_the_names(read):
    campaign = read("p,n,time,peak mem", "-,#,[ms],MB", "2,8,1.5,70", "4,8,0.75,80")
    assert campaign.units == {"time": "ms", "peak mem": "MB"}
    assert campaign.points.tolist() == [[2, 8], [4, 8]]


@pytest.mark.parametrize(
    "rows",
    [
        ("p,compiler,time", "2,gcc,1.5", "4,gcc,0.5"),  # a row of numbers
        ("code,compiler,time", "ft,gcc,OOM", "lu,gcc,0.5"),  # a row without a result
        ("p,compiler,time", "", "2,gcc,1.5", "4,gcc,0.5"),
    ],
)
def test_a_row_of_texts_is_no_second_header(read, rows):
    assert {metric for _, metric in read(*rows).series} == {"time"}


def test_tables_of_gpu_profilers_are_read_below_their_messages(read):
    campaign = read(
        "==29== NVPROF is profiling process 29",
        '"Time","Calls","Name"',
        "ms,,",
        '12.5,10,"saxpy"',
        '8.5,10,"copy"',
    )
    assert campaign.series["saxpy", "Time"].tolist() == [[12.5]]
    assert campaign.units["Time"] == "ms"


def test_units_of_nsight_compute_stand_above_numbers_only(read):
    campaign = read(
        "==PROF== Disconnected from process 12",
        '"ID","Kernel Name","Grid Size","CC","gpu__time_duration.sum","sm__cycles_elapsed.max"',
        '"","","","","usecond","cycle"',
        '"0","saxpy(int)","(4096, 1, 1)","8.0","10.50","13,442"',
        '"1","dot(int)","(4096, 1, 1)","8.0","20.62","23,500"',
    )
    assert campaign.series["saxpy(int)", "sm__cycles_elapsed.max"].tolist() == [[13442]]
    assert campaign.units["gpu__time_duration.sum"] == "usecond"
