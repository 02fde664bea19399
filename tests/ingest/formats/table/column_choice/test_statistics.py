"""Columns that belong together: the runs of one metric, and the statistics of one quantity."""

import numpy as np
import pytest


@pytest.mark.parametrize(
    ("names", "metric"),
    [
        ("run1,run2,run3", "time"),
        ("Run 1,Run 2,Run 3", "time"),
        ("rep_1,rep_2,rep_3", "time"),
        ("t1,t2,t3", "time"),
        ("t0,t1,t2", "time"),
        ("time_1 [s],time_2 [s],time_3 [s]", "time"),
        ("energy_run1,energy_run2,energy_run3", "energy"),
        ("time,time.1,time.2", "time"),
    ],
)
def test_columns_with_numbered_runs_are_repetitions(read, names, metric):
    campaign = read("ranks," + names, "2,1.5,1.25,1.75", "4,1,,0.5")
    assert campaign.parameters == ("ranks",)
    np.testing.assert_array_equal(campaign.series["main", metric], [[1.5, 1.25, 1.75], [1, 0.5, np.nan]])
    assert "were read as 3 repetitions of" in campaign.notes[0]


@pytest.mark.parametrize(
    ("runs", "mean"),
    [("run1,run2,run3", "avg"), ("Run 1,Run 2,Run 3", "Average (s)"), ("t1,t2,t3", "min time")],
)
def test_what_was_computed_from_the_runs_is_no_metric_beside_them(read, runs, mean):
    campaign = read(f"ranks,{runs},{mean},io avg", "2,1,2,3,2,7", "4,1,2,3,2,8")
    assert list(campaign.series) == [("main", "io avg"), ("main", "time")]
    assert campaign.series["main", "time"].tolist() == [[1, 2, 3]] * 2
    left_out = f"the column {mean.removesuffix(' (s)')} was left out: the repetitions were read"
    assert any(note.startswith(left_out) for note in campaign.notes)


@pytest.mark.parametrize("names", ["time_1,time_2,time_4", "l1_misses,l2_misses,l3_misses"])
def test_columns_with_other_numbers_are_metrics(read, names):
    campaign = read("n," + names, "2,1,2,3")
    assert [metric for _, metric in campaign.series] == names.split(",")


def test_numbered_sizes_are_parameters(read):
    assert read("n1,n2,time", "2,3,1", "4,3,2").parameters == ("n1", "n2")


@pytest.mark.parametrize(
    "spread", ["stddev", "std", "sd", "sem", "ci", "error", "variance", "cv", "time_std", "std(time)"]
)
def test_a_spread_is_neither_metric_nor_parameter(read, spread):
    campaign = read(f"ranks,time,{spread}", "2,1.5,.1", "4,2.5,.2")
    assert campaign.parameters == ("ranks",)
    assert list(campaign.series) == [("main", "time")]
    assert campaign.notes[0].startswith(f"the column {spread} was left out")


def test_of_several_statistics_the_median_is_read(read):
    campaign = read("p,mean,median,min,max,sd", "2,1.1,1,.9,1.3,.1", "4,2.1,2,1.9,2.3,.1")
    assert list(campaign.series) == [("main", "median")]
    assert any(
        note.startswith(
            "the columns mean, min, max were left out: of several statistics of one quantity, median"
        )
        for note in campaign.notes
    )


def test_without_a_median_the_mean_is_read(read):
    campaign = read("p,time_mean,time_max,mem_mean,mem_std", "2,1,2,5,1", "4,2,3,6,1")
    assert {metric for _, metric in campaign.series} == {"time_mean", "mem_mean"}


def test_statistics_without_median_or_mean_are_metrics(read):
    campaign = read("p,time_min,time_max", "2,1,2", "4,2,3")
    assert {metric for _, metric in campaign.series} == {"time_min", "time_max"}


def test_percentiles_of_the_tail_are_metrics(read):
    campaign = read("clients,p50,p99", "2,1,2", "4,2,3")
    assert {metric for _, metric in campaign.series} == {"p50", "p99"}


def test_a_unit_of_a_statistic(read):
    assert read("p,mean [ms],std [ms]", "2,1,.1").units == {"mean": "ms"}


def test_n_beside_a_spread_is_a_size_if_its_values_form_a_grid(read):
    campaign = read("p,n,time,sd", "2,10,1,.1", "2,20,1,.1", "4,10,1,.1", "4,20,1,.1")
    assert campaign.parameters == ("p", "n")


def test_n_beside_a_spread_is_a_sample_count_if_it_always_differs(read):
    rows = [f"m{op},{p},{1000 + 7 * op + p},1.5,.1" for op in range(4) for p in (2, 4, 8)]
    campaign = read("operation,ranks,N,mean,sd", *rows)
    assert campaign.parameters == ("ranks",)


def test_words_of_statistics_in_the_name_of_a_parameter(read):
    assert read("omp_max_threads,timesteps,time", "2,10,1").parameters == ("omp_max_threads", "timesteps")


def test_a_summary_of_a_gpu_profiler_has_no_parameters(read):
    campaign = read(
        "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),StdDev (ns),Name",
        '60.5,123456,10,12345.6,12000.0,11000,100.5,"axpy(int, float)"',
        '39.5,80000,20,4000.0,3900.0,3800,50.5,"dot(int, float)"',
    )
    assert campaign.parameters == ("configuration",)
    assert campaign.series["axpy(int, float)", "Instances"].tolist() == [[10]]


def test_columns_of_results_and_expectations_are_left_out(read):
    campaign = read(
        "threads,pi,checksum,time,ideal_speedup",
        "1,3.14159,77,8.5,1",
        "2,3.14158,76,4.5,2",
        "4,3.14157,75,2.5,4",
    )
    assert campaign.parameters == ("threads",)
    assert [metric for _, metric in campaign.series] == ["time"]
    assert campaign.notes == (
        "the columns pi, checksum were left out: it is what the program computed, and not a measurement",
        "the column ideal_speedup was left out: it was computed for comparison, and not measured",
    )


def test_a_limit_that_was_set_is_a_parameter(read):
    campaign = read("n,max_depth,max_disp,time", "1,64,8,2.5", "2,64,8,3.5", "4,64,8,4.5")
    assert [metric for _, metric in campaign.series] == ["time"]
    assert [m for _, m in read("n,min_sweep,max_sweep", "1,1.5,2.5", "2,2.5,3.5").series] == [
        "min_sweep",
        "max_sweep",
    ]


def test_a_column_n_is_the_parameter_if_nothing_else_tells_rows_apart(read):
    rows = [f"{n},{kind},8,{n / 4},10" for n in (100, 200, 400, 800) for kind in ("even", "odd")]
    campaign = read("N,kind,gpus,time,error_pct", *rows)
    assert (campaign.parameters, len(campaign.points)) == (("N", "gpus"), 4)
    counted = read("N,kind,gpus,time,std", *(f"{n},{chr(n)},8,2.5,0.1" for n in range(97, 105)))
    assert "N" not in counted.parameters


def test_numbered_runs_in_other_units_are_no_times(read):
    campaign = read("n,test,units,trial0,trial1", "2,md,GFLOPS,336.5,338", "4,md,GFLOPS,340,342")
    assert {metric for _, metric in campaign.series} == {"value"}
    timed = read("n,test,units,trial0,trial1", "2,md,ms,336.5,338", "4,md,ms,340,342")
    assert {metric for _, metric in timed.series} == {"time"}
