"""The columns of user-made tables are understood; each test reads one kind of table."""

import numpy as np
import pytest

from ingest.formats import FormatError

ORIGINS = {"host", "node", "jobid", "slurm_job_id", "date", "launchdate", "start_time"}
"""Names of columns that describe the origin of runs."""


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


@pytest.mark.parametrize("names", ["time_1,time_2,time_4", "l1_misses,l2_misses,l3_misses"])
def test_columns_with_other_numbers_are_metrics(read, names):
    campaign = read("n," + names, "2,1,2,3")
    assert [metric for _, metric in campaign.series] == names.split(",")


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


def test_version_numbers_are_no_parameter(read):
    assert read("version,p,time", "1.2,8,1", "1.3,8,2").parameters == ("p",)
    assert read("version,p,time", "1.2,8,1", "1.2,16,2").metadata == {"version": 1.2}


def test_workers_per_node_are_a_parameter_even_after_the_kernel(read):
    campaign = read("nodes,kernel,time,worker_per_node", "2,a,1.5,4", "4,a,1.25,4")
    assert campaign.parameters == ("nodes", "worker_per_node")


@pytest.mark.parametrize("part", ["inc", "exclusive", "2"])
def test_a_part_of_a_quantity_in_brackets_is_no_unit(read, part):
    campaign = read(f"ranks,time ({part})", "2,1.5", "4,1.0")
    assert list(campaign.series) == [("main", f"time ({part})")]
    assert campaign.units == {}


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


def test_text_that_varies_is_part_of_the_kernel(read):
    campaign = read("compiler,p,time", "gcc,2,1", "clang,2,3", "gcc,4,2", "clang,4,2")
    assert campaign.parameters == ("p",)
    assert campaign.series["main [compiler=gcc]", "time"].tolist() == [[1], [2]]
    assert campaign.series["main [compiler=clang]", "time"].tolist() == [[3], [2]]


def test_text_that_is_the_same_everywhere_describes_the_runs(read):
    campaign = read("compiler,p,time", "gcc,2,1", "gcc,4,2")
    assert list(campaign.series) == [("main", "time")]
    assert campaign.metadata == {"compiler": "gcc"}


@pytest.mark.parametrize(("name", "cell"), [("n", '"1,000"'), ("elapsed", "00:01:75")])
def test_a_nearly_numeric_cell_in_a_numeric_column_is_refused(read, name, cell):
    with pytest.raises(FormatError, match=f"in the column {name}"):
        read(f"{name},time", f"{cell},1.5")


def test_text_in_a_column_named_like_a_metric_is_a_text(read):
    campaign = read("system,speed,p,user", "daint,fast,2,1", "eiger,slow,2,3")
    assert campaign.parameters == ("p",)
    kernels = {"main [system=daint, speed=fast]", "main [system=eiger, speed=slow]"}
    assert {kernel for kernel, _ in campaign.series} == kernels


def test_texts_with_numbers_among_them_are_texts(read):
    campaign = read("release,p,time", "4.0,2,1", "4.2.1,2,2", "4.2.2,2,2")
    assert {kernel for kernel, _ in campaign.series} == {
        f"main [release={v}]" for v in ("4.0", "4.2.1", "4.2.2")
    }


def test_a_text_column_may_contain_the_kernels(read):
    assert read("p,benchmark,time", "2,sort,1", "2,scan,1").series.keys() == {
        ("sort", "time"),
        ("scan", "time"),
    }


def test_an_arrow_in_a_text_does_not_separate_levels(read):
    assert ("main [path=a→b]", "time") in read("p,path,time", "2,a->b,1", "2,c,2").series


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


def test_a_constant_host_is_left_out_as_well(read):
    campaign = read("host,p,time", "node01,2,1", "node01,4,3")
    assert campaign.metadata == {}
    assert "host" in campaign.notes[0]


def test_revisions_become_part_of_the_kernel(read):
    assert len(read("commit,p,time", "ab12cd34ef,2,1", "12cd34ef56,2,3").series) == 2


@pytest.mark.parametrize(("on", "off"), [("true", "false"), ("yes", "no"), ("1", "0")])
def test_flags_are_part_of_the_kernel(read, on, off):
    campaign = read("p,turbo,time", f"2,{on},1", f"2,{off},2")
    assert {kernel for kernel, _ in campaign.series} == {f"main [turbo={on}]", f"main [turbo={off}]"}


def test_a_size_of_zero_is_stored_at_the_smallest_point(read):
    campaign = read("size,latency", "0,1.1", "1,1.2", "2,1.3", "4,1.4")
    assert campaign.points.tolist() == [[1], [2], [4]]
    assert campaign.series["main [size=0]", "latency"][0].tolist() == [1.1]
    assert "main [size=0]" in campaign.notes[0]


def test_a_row_without_a_parameter_is_stored_at_the_smallest_point(read):
    campaign = read("p,n,time", "2,10,1", "4,10,3", "4,,2")
    assert campaign.points.tolist() == [[2, 10], [4, 10]]
    assert campaign.series["main [n=missing]", "time"][1].tolist() == [2]


@pytest.mark.parametrize("cell", ["", "NA", "NaN", "nan", "null", "None", "-", "n/a", "<NA>"])
def test_missing_cells_stay_missing(read, cell):
    campaign = read("p,time,energy", f"2,{cell},5", "4,2,6")
    np.testing.assert_array_equal(campaign.series["main", "time"], [[np.nan], [2]])


def test_a_metric_with_negative_values_is_left_out(read):
    campaign = read("p,time,delta", "2,1,-1", "4,2,3")
    assert list(campaign.series) == [("main", "time")]
    assert campaign.notes[0] == "the column delta was left out: it has negative values"


def test_a_metric_of_the_long_form_with_negative_values_is_left_out(read):
    campaign = read("p,kernel,metric,value", "2,main,time,1", "2,main,err,-1", "4,main,err,2")
    assert list(campaign.series) == [("main", "time")]
    assert campaign.notes[0] == "the metric err was left out: it has negative values"


def test_the_long_form_may_have_a_column_of_units(read):
    campaign = read("p,metric,value,unit", "2,time,1,s", "2,energy,5,J")
    assert campaign.units == {"time": "s", "energy": "J"}


def test_names_differ_by_upper_and_lower_case(read):
    assert read("number,Number,time", "1,2,3", "2,3,4").parameters == ("number", "Number")


def test_one_metric_in_two_units_becomes_two_metrics(read):
    assert read("p,time [s],time [ms]", "2,1,1000").units == {"time [s]": "s", "time [ms]": "ms"}


@pytest.mark.parametrize(
    ("cell", "value"),
    [("1,234.5", 1234.5), ("1,234,567", 1234567), ("1'234", 1234), ("12,5", 12.5), ("0,125", 0.125)],
)
def test_unambiguous_numbers_are_read(read, cell, value):
    assert read("p,time", f'2,"{cell}"').series["main", "time"].tolist() == [[value]]


def test_points_separate_thousands_if_commas_are_decimal(read):
    assert read("p;time", "2;1.234,5").series["main", "time"].tolist() == [[1234.5]]


def test_units_in_cells_are_read(read):
    campaign = read("size,time,share", "4 KiB,12.5 ms,95 %", "1 MiB,13ms,90%")
    assert campaign.points.tolist() == [[4096], [2**20]]
    assert campaign.series["main", "time"].tolist() == [[12.5], [13]]
    assert campaign.units == {"time": "ms", "share": "%"}


@pytest.mark.parametrize(
    ("cell", "seconds"),
    [
        ("1:02:03", 3723),
        ("2-00:00:05.5", 172805.5),
        ("12:34", 754),
        ("0:45.25", 45.25),
        ("1m2.5s", 62.5),
        ("2h 5m", 7500),
    ],
)
def test_times_with_hours_and_minutes_become_seconds(read, cell, seconds):
    campaign = read("ranks,elapsed", f"2,{cell}", "4,0:00:30")
    assert campaign.series["main", "elapsed"].tolist() == [[seconds], [30]]
    assert campaign.units == {"elapsed": "s"}
    assert "elapsed: times such as 1:02:03 were read as seconds" in campaign.notes


def test_a_ratio_is_no_time(read):
    campaign = read("layout,ranks,time", "4:16,2,1.5", "8:32,2,1.25")
    assert set(campaign.series) == {("main [layout=4:16]", "time"), ("main [layout=8:32]", "time")}


def test_rows_with_different_times_of_day_are_repetitions(read):
    campaign = read("ranks,started,time", "2,13:45:10,1.5", "2,13:46:20,1.25")
    assert campaign.series["main", "time"].tolist() == [[1.5, 1.25]]


@pytest.mark.parametrize(
    "cell", ["1.5 ± 0.1", "1.5±0.1 ", "1.5 +/- 0.1", "1.5+-.1", "1.5 ± 0", "1.5(1)", "1.5 (7%)"]
)
def test_a_spread_after_a_number_is_left_out(read, cell):
    campaign = read("ranks,time", f"2,{cell}", "4,0.75 ± 0.05")
    assert campaign.series["main", "time"].tolist() == [[1.5], [0.75]]
    assert "time: spreads behind the numbers were left out; send each run for repetitions" in campaign.notes


@pytest.mark.parametrize("cell", ["1.5 ± 0.1 ms", "1.5 ms ± 0.1 ms", "1.5ms ± 0.1"])
def test_a_number_with_a_spread_may_have_a_unit(read, cell):
    assert read("ranks,time", f"2,{cell}").units == {"time": "ms"}


@pytest.mark.parametrize(
    "cell", ["1.5 ±", "1.5 ± a", "1.5 ms ± 0.1 s", "1.5±1±1", "1.5(a)", "1.5 ()", "1.5(", "10m"]
)
def test_other_cells_with_signs_are_refused(read, cell):
    with pytest.raises(FormatError, match="in the column time"):
        read("ranks,time", f"2,{cell}")


def test_sizes_in_several_units_become_bytes_with_factors_of_1024(read):
    assert read("chunk,ranks,time", "64MB,2,1", "128MB,2,2").points.tolist() == [[64, 2], [128, 2]]
    campaign = read("p,memory", "2,900 MB", "4,1.5 GB")
    assert campaign.series["main", "memory"].tolist() == [[900 * 2**20], [1.5 * 2**30]]
    assert campaign.units == {"memory": "B"}
    assert "memory: read in bytes; a KB counts as 1024 bytes" in campaign.notes[0]


@pytest.mark.parametrize(
    ("name", "unit", "thousand"), [("MaxRSS", {"MaxRSS": "B"}, 1024), ("updates/s", {}, 1000)]
)
def test_letters_after_numbers_are_powers_of_1000_or_1024(read, name, unit, thousand):
    campaign = read(f"p,{name}", "2,1.5G", "4,800M", "8,20K", "16,0")
    values = [1.5 * thousand**3, 800 * thousand**2, 20 * thousand, 0]
    assert campaign.series["main", name][:, 0].tolist() == values
    assert campaign.units == unit
    assert campaign.notes[-1] == f"{name}: K, M and G behind the numbers are powers of {thousand}"


def test_jobs_and_steps_of_a_scheduler_are_read(read):
    campaign = read(
        "JobID|JobName|Elapsed|NTasks|MaxRSS",
        "7|water|00:01:10||",
        "7.batch|batch|00:01:10|1|9000K",
        "7.0|solve|00:01:00|64|1.5G",
        "8|water|00:00:40||",
        "8.0|solve|00:00:30|128|800M",
    )
    assert campaign.parameters == ("NTasks",)
    solve = {metric: campaign.series["solve", metric] for metric in ("Elapsed", "MaxRSS")}
    rows = [campaign.points.tolist().index([tasks]) for tasks in (64, 128)]
    assert solve["Elapsed"][rows, 0].tolist() == [60, 30]
    assert solve["MaxRSS"][rows, 0].tolist() == [1.5 * 2**30, 800 * 2**20]
    assert ("batch", "MaxRSS") in campaign.series


@pytest.mark.parametrize(
    "word", ["timeout", "OOM", "X", "inf", "-inf", "Out of memory", "DNF", "NaN", "FAILED", ">3600s"]
)
def test_a_word_in_place_of_a_number_is_a_missing_value(read, word):
    campaign = read("p,time", "2,4.5", f"4,{word}", "8,1.5", f"16,{word}")
    np.testing.assert_array_equal(campaign.series["main", "time"][:, 0], [4.5, np.nan, 1.5, np.nan])
    assert (
        campaign.notes[0] == f"time: 2 cells without a result, such as “{word}”, read as missing (line 3, 5)"
    )


def test_words_in_a_decimal_comma_table_are_missing_values(read):
    campaign = read("p;time", "2;4,5", "4;inf", "8;timeout")
    np.testing.assert_array_equal(campaign.series["main", "time"][:, 0], [4.5, np.nan, np.nan])


def test_a_grid_such_as_64x64_is_a_text_although_its_column_is_named_size(read):
    campaign = read("problem size,p,time", "64x64x32,2,1", "64x32x32,2,2", "64x32x32,4,3")
    assert campaign.parameters == ("p",)
    assert ("main [problem size=64x32x32]", "time") in campaign.series


def test_the_index_of_a_filtered_table_is_left_out(read):
    campaign = read(",ranks,time", "3,2,4.5", "7,4,2.5", "8,4,2.4")
    assert campaign.points.tolist() == [[2], [4]]


def test_iterations_that_a_benchmarking_tool_chose_are_no_parameter(read):
    rows = ("16,120,10000,90", "32,250,10000,40", "64,500,10000,20", "128,1020,4521,10")
    campaign = read("size,min_ns,iterations,evals", *rows)
    assert campaign.parameters == ("size",)


def test_different_units_of_time_in_one_column_become_seconds(read):
    campaign = read("p,time", "2,12.5 ms", "4,1.5 s")
    assert campaign.series["main", "time"].tolist() == [[0.0125], [1.5]]
    assert campaign.units == {"time": "s"}


def test_a_unit_in_only_some_cells_is_refused(read):
    with pytest.raises(FormatError, match=r"line 2: found “12\.5 ms” in the column time"):
        read("p,time", "2,12.5 ms", "4,13")


def test_phases_of_a_program_are_metrics(read):
    campaign = read("nodes,solve,assembly", "1,10.5,3.2", "2,5.5,1.7", "4,3.1,1.1")
    assert campaign.parameters == ("nodes",)
    assert {metric for _, metric in campaign.series} == {"solve", "assembly"}
    assert campaign.notes[0].startswith("solve, assembly: read as metrics")


def test_message_sizes_in_bytes_are_the_parameter(read):
    campaign = read("bytes,latency", "1,1.5", "2,1.5", "4,1.75")
    assert campaign.parameters == ("bytes",)
    assert "read as a parameter" in campaign.notes[0]


def test_words_of_statistics_in_the_name_of_a_parameter(read):
    assert read("omp_max_threads,timesteps,time", "2,10,1").parameters == ("omp_max_threads", "timesteps")


def test_a_count_per_node_is_a_parameter_and_a_rate_per_second_a_metric(read):
    campaign = read("nodes,ranks-per-node,time_per_step,cells/s", "1,2,3,4")
    assert campaign.parameters == ("nodes", "ranks-per-node")


def test_a_known_parameter_may_come_after_the_kernel(read):
    assert read("n,kernel,ranks,time", "1,main,2,1", "1,main,4,2").parameters == ("n", "ranks")


def test_without_parameters_there_is_one_configuration(read):
    campaign = read("kernel,time", "a,1", "b,2")
    assert (campaign.parameters, campaign.points.tolist()) == (("configuration",), [[1]])


@pytest.mark.parametrize(
    "lines",
    [
        (",p,time", "0,2,1", "1,4,2"),
        ("Unnamed: 0,p,time", "5,2,1", "6,4,2"),
        ('"p","time"', '"1",2,1', '"2",4,2'),
        ("p,time,", "2,1,", "4,2,"),
        ("p,time", "2,1,", "4,2,"),
        ('"p", "time"', "2, 1", "4, 2"),
        ("# p,time", "2,1", "4,2"),
        ("# made by bench.sh", "", "# p,time", "2,1", "# warm", "4,2"),
        ("p\ttime", "2\t1,0", "4\t2,0"),
    ],
)
def test_lines_around_a_table_are_ignored(read, lines):
    campaign = read(*lines)
    assert campaign.parameters == ("p",)
    assert campaign.points.tolist() == [[2], [4]]
    assert campaign.series["main", "time"].tolist() == [[1], [2]]


@pytest.mark.parametrize(
    ("corner", "parameter"),
    [("kernel", "x"), ("", "x"), ("ranks", "ranks"), ("kernel/p", "p"), ("kernel\\p", "p")],
)
def test_the_header_may_contain_values_of_a_parameter(read, corner, parameter):
    campaign = read(f"{corner},1,2,4", "main,4,3,2", "io,1,,1")
    assert campaign.parameters == (parameter,)
    assert campaign.points.tolist() == [[1], [2], [4]]
    assert campaign.series["main", "value"].tolist() == [[4], [3], [2]]
    np.testing.assert_array_equal(campaign.series["io", "value"], [[1], [np.nan], [1]])
    assert f"values of the parameter {parameter}" in campaign.notes[0]


def test_rows_may_begin_with_a_second_parameter(read):
    campaign = read("n/p,1,2", "100,4,3", "200,8,6")
    assert campaign.parameters == ("n", "p")
    assert campaign.points.tolist() == [[100, 1], [100, 2], [200, 1], [200, 2]]


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


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [("verified", "PASS", "FAIL"), ("correct", "1", "0"), ("status", "ok", "error")],
)
def test_only_wrong_results_become_part_of_the_kernel(read, name, right, wrong):
    rows = [f"{n},{right},{n}.5" for n in (1, 2, 4)]
    campaign = read(f"n,{name},time", *rows, f"8,{wrong},8.5")
    assert [kernel for kernel, _ in campaign.series] == ["main", f"main [{name}={wrong}]"]
    assert read(f"n,{name},time", *rows).parameters == ("n",)


def test_ranks_of_one_run_are_repetitions(read):
    campaign = read("nodes,rank,time", "1,0,2.5", "1,1,2.6", "1,2,2.7", "2,0,1.5", "2,1,1.6", "2,2,1.7")
    assert campaign.parameters == ("nodes",)
    assert campaign.series["main", "time"].tolist() == [[2.5, 2.6, 2.7], [1.5, 1.6, 1.7]]
    assert read("rank,time", "1,2.5", "2,1.5", "4,0.9").parameters == ("rank",)


def test_epochs_of_a_training_are_repetitions(read):
    campaign = read("gpus,epoch,epoch_time", "1,0,8.5", "1,1,8.6", "2,0,4.5", "2,1,4.6")
    assert campaign.series["main", "epoch_time"].tolist() == [[8.5, 8.6], [4.5, 4.6]]


def test_a_limit_that_was_set_is_a_parameter(read):
    campaign = read("n,max_depth,max_disp,time", "1,64,8,2.5", "2,64,8,3.5", "4,64,8,4.5")
    assert [metric for _, metric in campaign.series] == ["time"]
    assert [m for _, m in read("n,min_sweep,max_sweep", "1,1.5,2.5", "2,2.5,3.5").series] == [
        "min_sweep",
        "max_sweep",
    ]


def test_performance_per_rank_is_a_metric(read):
    campaign = read("ranks,Perf_PerRank,time", "1,100,8.5", "2,100,4.5", "4,90,2.5")
    assert [metric for _, metric in campaign.series] == ["Perf_PerRank", "time"]


def test_a_table_with_empty_metrics_is_refused(read):
    with pytest.raises(FormatError, match="no value in the columns time_us, speedup; expected at least one"):
        read("threads,time_us,speedup", "1,,", "2,,", "4,,")


def test_addresses_do_not_become_part_of_the_kernel(read):
    campaign = read("function,start address,time [s]", "f,0xb90ef0,1.5", "g,[Unknown],2.5")
    assert [kernel for kernel, _ in campaign.series] == ["f", "g"]


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


def test_a_profile_in_space_is_no_measurement(read):
    rows = (f"{x / 8:.3f},{x * x / 3 % 7:.4f},{x / 7:.4f}" for x in range(1, 41))
    with pytest.raises(
        FormatError, match=r"line 1: found many fractions in x.*no name of a measured quantity"
    ):
        read("x,den,vel", *rows)


@pytest.mark.parametrize("name", ["RunIndex", "run_no", "Trial Number", "i"])
def test_numbers_of_runs_have_many_names(read, name):
    assert read(f"ranks,{name},time", "2,1,9.5", "2,2,9.25", "4,1,5.5").parameters == ("ranks",)


def test_the_long_form_has_several_names(read):
    campaign = read("Size,MetricName,MetricValue", "2,Time,9.5", "2,Memory,70", "4,Time,19", "4,Memory,75")
    assert {key: values.tolist() for key, values in campaign.series.items()} == {
        ("main", "Time"): [[9.5], [19]],
        ("main", "Memory"): [[70], [75]],
    }


def test_percentages_and_counters_of_a_gpu_are_metrics(read):
    campaign = read("ranks,cpu_utilization,SQ_WAVES,TCC_HIT[3],time", "2,99.5,16,3,9.5", "4,99.5,16,7,5.5")
    assert campaign.parameters == ("ranks",)


def test_nodes_of_a_call_tree_with_the_same_function_are_kernels(read):
    campaign = read("nid,name,time", "1,main,9.5", "2,solve,4.5", "3,solve,1.5")
    assert {kernel for kernel, _ in campaign.series} == {"main [nid=1]", "solve [nid=2]", "solve [nid=3]"}


def test_names_that_begin_with_a_number_are_texts(read):
    campaign = read("problem_size,ranks,time", "3D_box,2,9.5", "8x8x8x,2,7.5")
    assert {kernel for kernel, _ in campaign.series} == {
        "main [problem_size=3D_box]",
        "main [problem_size=8x8x8x]",
    }


def test_columns_of_results_beside_a_text_in_each_row_are_metrics(read):
    rows = [f"card {place},On,{2e5 + 77.25 * place},{2e5 + 81.5 * place},{200 + place}" for place in range(5)]
    campaign = read("device,ECC,Copy,Triad,Best GB/s", *rows, "card 4,Off,3e5,3.1e5,310")
    assert campaign.parameters == ("configuration",)
    assert {metric for _, metric in campaign.series} == {"Copy", "Triad", "Best GB/s"}


@pytest.mark.parametrize("name", ["Actual", "PAPI_BR_INS", "rapl:::DRAM_ENERGY:PACKAGE0", "gmem_readbw"])
def test_names_of_measured_quantities_make_metrics_beside_a_time(read, name):
    campaign = read(f"cores,{name},time [s]", "2,4000000,9.5", "4,4000000,5.5", "4,5000000,5.5")
    assert campaign.parameters == ("cores",)
    assert {metric for _, metric in campaign.series} == {name, "time"}


@pytest.mark.parametrize(
    "rows",
    [
        ("JobID|JobName|AllocCPUS|State", "1001|solve|32|COMPLETED", "1001.batch|batch|16|COMPLETED"),
        ("case|state|nodes", "large|ok|32", "small|ok|16"),
    ],
)
def test_a_table_with_nothing_but_numbers_of_processes_has_no_metric(read, rows):
    with pytest.raises(FormatError, match=r"line 1: found the columns .*; expected columns of parameters"):
        read(*rows)


def test_clocks_threads_and_codes_of_a_load_test_are_no_parameters(read):
    header = "timeStamp,elapsed,label,responseCode,threadName,allThreads"
    rows = ("1652798092133,956,login,200,Group 1-21,2", "1652798092134,16,login,200,Group 1-17,4")
    campaign = read(header, *rows, "1652798092135,17,login,500,Group 1-16,4")
    assert campaign.parameters == ("allThreads",)
    assert {metric for _, metric in campaign.series} == {"elapsed"}
    assert {kernel for kernel, _ in campaign.series} == {"main [responseCode=200]", "main [responseCode=500]"}
