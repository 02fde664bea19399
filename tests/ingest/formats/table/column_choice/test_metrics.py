"""Columns of numbers are separated into parameters and metrics."""

import pytest


@pytest.mark.parametrize(
    ("header", "parameters", "metrics"),
    [
        ("nodes,total,solve", ["nodes"], ["total", "solve"]),
        ("what,total,solve", ["what", "total"], ["solve"]),
        ("cores,wall time,spikes", ["cores"], ["wall time", "spikes"]),
        ("wall time,spikes", ["spikes"], ["wall time"]),
        ("message size (bytes),latency (us),rate (1/s)", ["message size"], ["latency", "rate"]),
        ("ranks,latency (us),file size (bytes)", ["ranks"], ["latency", "file size"]),
        ("bytes,repetitions,t [us]", ["bytes"], ["t"]),
    ],
)
def test_whole_numbers_that_all_differ_are_metrics_beside_a_known_parameter(
    read, header, parameters, metrics
):
    width = header.count(",") + 1
    rows = (["1", "901", "700"], ["2", "470", "355"], ["4", "260", "190"])
    campaign = read(header, *(",".join(row[:width]) for row in rows))
    assert list(campaign.parameters) == parameters
    assert [metric for _, metric in campaign.series] == metrics


def test_whole_numbers_on_a_grid_are_parameters_beside_a_known_one(read):
    rows = [f"{p},{q},{100 // p + q}" for p in (1, 2, 4) for q in (10, 20, 30)]
    assert read("ranks,quality,what", *rows).parameters == ("ranks", "quality")


def test_no_column_is_a_parameter_where_each_row_has_a_text_of_its_own(read):
    campaign = read("loop,laptop,cluster", "copy,25,17", "scale,38,21", "triad,936,757")
    assert campaign.parameters == ("configuration",)
    assert {metric for _, metric in campaign.series} == {"laptop", "cluster"}


def test_fractions_are_metrics_where_each_row_has_a_text_of_its_own(read):
    rows = ["a,62.5,32.3,1.9", "b,1.3,0.1,12.5", "c,30.75,3.1,10.0"]
    campaign = read("program,with,without,slowdown", *rows)
    assert campaign.parameters == ("configuration",)
    assert {metric for _, metric in campaign.series} == {"with", "without", "slowdown"}


@pytest.mark.parametrize(
    ("header", "parameters"),
    [
        ("size,iterations,time", ["size"]),
        ("iterations,time", ["iterations"]),
        ("size,steps,time", ["size", "steps"]),
    ],
)
def test_iterations_that_differ_in_each_row_are_no_parameter(read, header, parameters):
    rows = (["10", "812", "1.5"], ["20", "644", "1.25"], ["40", "401", "1"])
    width = header.count(",") + 1
    assert list(read(header, *(",".join(row[-width:]) for row in rows)).parameters) == parameters


def test_workers_per_node_are_a_parameter_even_after_the_kernel(read):
    campaign = read("nodes,kernel,time,worker_per_node", "2,a,1.5,4", "4,a,1.25,4")
    assert campaign.parameters == ("nodes", "worker_per_node")


@pytest.mark.parametrize("part", ["inc", "exclusive", "2"])
def test_a_part_of_a_quantity_in_brackets_is_no_unit(read, part):
    campaign = read(f"ranks,time ({part})", "2,1.5", "4,1.0")
    assert list(campaign.series) == [("main", f"time ({part})")]
    assert campaign.units == {}


def test_names_differ_by_upper_and_lower_case(read):
    assert read("number,Number,time", "1,2,3", "2,3,4").parameters == ("number", "Number")


def test_one_metric_in_two_units_becomes_two_metrics(read):
    assert read("p,time [s],time [ms]", "2,1,1000").units == {"time [s]": "s", "time [ms]": "ms"}


def test_iterations_that_a_benchmarking_tool_chose_are_no_parameter(read):
    rows = ("16,120,10000,90", "32,250,10000,40", "64,500,10000,20", "128,1020,4521,10")
    campaign = read("size,min_ns,iterations,evals", *rows)
    assert campaign.parameters == ("size",)


def test_phases_of_a_program_are_metrics(read):
    campaign = read("nodes,solve,assembly", "1,10.5,3.2", "2,5.5,1.7", "4,3.1,1.1")
    assert campaign.parameters == ("nodes",)
    assert {metric for _, metric in campaign.series} == {"solve", "assembly"}
    assert campaign.notes[0].startswith("solve, assembly: read as metrics")


def test_message_sizes_in_bytes_are_the_parameter(read):
    campaign = read("bytes,latency", "1,1.5", "2,1.5", "4,1.75")
    assert campaign.parameters == ("bytes",)
    assert "read as a parameter" in campaign.notes[0]


def test_a_count_per_node_is_a_parameter_and_a_rate_per_second_a_metric(read):
    campaign = read("nodes,ranks-per-node,time_per_step,cells/s", "1,2,3,4")
    assert campaign.parameters == ("nodes", "ranks-per-node")


def test_a_known_parameter_may_come_after_the_kernel(read):
    assert read("n,kernel,ranks,time", "1,main,2,1", "1,main,4,2").parameters == ("n", "ranks")


def test_without_parameters_there_is_one_configuration(read):
    campaign = read("kernel,time", "a,1", "b,2")
    assert (campaign.parameters, campaign.points.tolist()) == (("configuration",), [[1]])


def test_a_constant_time_is_a_setting(read):
    rows = [f"{p},1000,{time}" for p, time in ((2, 8.1), (4, 4.3), (8, 2.2), (16, 1.4))]
    campaign = read("p,model_time_sim,wall_time", *rows)
    assert [metric for _, metric in campaign.series] == ["wall_time"]
    assert any("model_time_sim" in note and "was set" in note for note in campaign.notes)
    # With three rows, or as the only metric, the column may have been measured.
    assert ("main", "model_time_sim") in read("p,model_time_sim,wall_time", *rows[:3]).series
    assert ("main", "model_time_sim") in read(
        "p,model_time_sim", *(f"{p},1000" for p in (2, 4, 8, 16))
    ).series


def test_performance_per_rank_is_a_metric(read):
    campaign = read("ranks,Perf_PerRank,time", "1,100,8.5", "2,100,4.5", "4,90,2.5")
    assert [metric for _, metric in campaign.series] == ["Perf_PerRank", "time"]


def test_measured_fractions_left_of_a_time_are_metrics(read):
    campaign = read("ranks,dt,cells,time", "2,0.5125,64,9.5", "4,0.6337,64,5.25", "8,0.6418,64,3.125")
    assert campaign.parameters == ("ranks", "cells")
    assert [metric for _, metric in campaign.series] == ["dt", "time"]


def test_fractions_are_the_parameter_where_no_other_column_can_be(read):
    assert read("alpha,time", "0.125,9.5", "0.375,5.25", "0.625,3.125").parameters == ("alpha",)


def test_nanoseconds_between_metrics_are_a_metric_beside_a_known_parameter(read):
    campaign = read(
        "ops,threads,taken,rate", "1e6,1,700085166,14.5", "1e6,2,727952083,27.5", "1e6,4,818720500,49"
    )
    assert campaign.parameters == ("threads",)
    assert [metric for _, metric in campaign.series] == ["ops", "taken", "rate"]


def test_percentages_and_counters_of_a_gpu_are_metrics(read):
    campaign = read("ranks,cpu_utilization,SQ_WAVES,TCC_HIT[3],time", "2,99.5,16,3,9.5", "4,99.5,16,7,5.5")
    assert campaign.parameters == ("ranks",)


def test_columns_of_results_beside_a_text_in_each_row_are_metrics(read):
    rows = [f"card {place},On,{2e5 + 77.25 * place},{2e5 + 81.5 * place},{200 + place}" for place in range(5)]
    campaign = read("device,ECC,Copy,Triad,Best GB/s", *rows, "card 4,Off,3e5,3.1e5,310")
    assert campaign.parameters == ("configuration",)
    assert {metric for _, metric in campaign.series} == {"Copy", "Triad", "Best GB/s"}


@pytest.mark.parametrize(
    "name",
    [
        "Actual",
        "PAPI_BR_INS",
        "rapl:::DRAM_ENERGY:PACKAGE0",
        "gmem_readbw",
        "maxspflops",
        "Scaled",
        "max_resident_set_size",
    ],
)
def test_names_of_measured_quantities_make_metrics_beside_a_time(read, name):
    campaign = read(f"cores,{name},time [s]", "2,4000000,9.5", "4,4000000,5.5", "4,5000000,5.5")
    assert campaign.parameters == ("cores",)
    assert {metric for _, metric in campaign.series} == {name, "time"}


def test_metrics_before_the_kernel_leave_parameters_behind_it(read):
    rows = (f"{90 / gpus:.3f},{n * 1.7:.2f},solve,{gpus},{n}" for gpus in (1, 2, 4) for n in (32, 256))
    campaign = read("exec_time,power,name,GPU,size", *rows)
    assert campaign.parameters == ("GPU", "size")
    assert {metric for _, metric in campaign.series} == {"exec_time", "power"}


def test_a_note_says_that_no_name_shows_the_metric(read):
    rows = [f"{a},{b},{b // 4}" for a in (3, 5, 7) for b in (4, 8, 12)]
    expected = "no name says what was measured: gamma was read as a metric; parameters: alpha, beta"
    assert expected in read("alpha,beta,gamma", *rows).notes
