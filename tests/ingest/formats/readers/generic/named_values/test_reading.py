"""Outputs that print a name and a value in a line."""

import pytest

from ingest.formats import FormatError, Limits, parse

SUMMARY = """Level 0 complete
=== Summary ===
Processes       : {processes}
Max Levels      : 16
Final Estimate  : 4.244375107725e+05
Total Time      : {time} seconds
===============
"""
BLOCKS = "N_Threads: {threads}\nTime -- elapsed: {time}\n--------------\n"


def test_it_works(read):
    campaign = read(SUMMARY.format(processes=8, time=9.5) + SUMMARY.format(processes=16, time=4.5))
    assert (campaign.format, campaign.parameters) == ("named-values", ("Processes", "Max Levels"))
    assert campaign.points.tolist() == [[8, 16], [16, 16]]
    assert campaign.series["main", "Total Time"].tolist() == [[9.5], [4.5]]
    assert campaign.units == {"Total Time": "s"}
    assert campaign.notes[0].endswith("the parameters Processes, Max Levels, the metrics Total Time")


def test_durations_may_have_minutes_and_hours(read):
    text = "".join(f"N = {n}\nElapsed wall time: {clock}\n" for n, clock in ((1, "13:16.50"), (2, "1:02:03")))
    campaign = read(text)
    assert campaign.series["main", "Elapsed wall time"].tolist() == [[796.5], [3723]]
    assert campaign.units == {"Elapsed wall time": "s"}


@pytest.mark.parametrize("line", ["Wall 13:16.00", "Current time: 12:30:15", "Start time: 12:30:15"])
def test_parts_of_times_and_times_of_day_are_no_values(read, line):
    campaign = read(f"N = 1\n{line}\nTotal time: 4.5 s\nN = 2\n{line}\nTotal time: 2.5 s\n")
    assert {metric for _, metric in campaign.series} == {"Total time"}


def launched(processes, time, size=32):
    return f'Running "mpirun -np {processes} ./app -s {size}" ...\n\nTotal time = {time}\n'


def test_commands_tell_the_number_of_processes(read):
    text = (
        launched(8, 3.5) + launched(8, 3.6) + launched(27, 4.5) + "+ srun --ntasks=64 ./app\nTotal time = 5\n"
    )
    campaign = read(text)
    assert (campaign.parameters, campaign.points.tolist()) == (("processes",), [[8], [27], [64]])
    assert campaign.series["main", "Total time"][0].tolist() == [3.5, 3.6]


def test_printed_numbers_of_processes_matter_more_than_commands(read):
    campaign = read(launched(8, 3.5) + "MPI ranks: 8\n" + launched(16, 2.5) + "MPI ranks: 16\n")
    assert campaign.parameters == ("MPI ranks",)
    assert campaign.points.tolist() == [[8], [16]]


def test_times_without_a_parameter_are_one_configuration(read):
    campaign = read("banner\nTotal time elapsed = 18.5 seconds\nTime in transport = 17.5 seconds\n")
    assert campaign.parameters == ("configuration",)
    assert campaign.series["main", "Total time elapsed"].tolist() == [[18.5]]
    told = "read from lines of names and values: the metrics Total time elapsed, Time in transport"
    assert told in campaign.notes


def test_a_time_is_no_parameter(read):
    campaign = read("Threads: 8\nUnionizing energy grid = 1.5 seconds\nTotal time = 9.5 seconds\n")
    assert campaign.parameters == ("Threads",)


def test_json_that_is_not_a_table_is_not_taken_for_printed_lines(tmp_path):
    path = tmp_path / "0123abc"  # the portal stores files without the endings of their names
    path.write_text('{\n  "slurm": {\n    "SLURM_NTASKS": 16,\n    "SLURM_JOB_START_TIME": 1.7e9\n  }\n}\n')
    with pytest.raises(FormatError, match="found JSON that was not recognised"):
        parse(path, name="job.json")


def test_a_repeated_metric_is_a_repetition(read):
    campaign = read("Threads: 1\nTime: 2.5 s\nTime: 2.6 s\nThreads: 2\nTime: 1.5 s\nTime: 1.6 s\n")
    assert campaign.series["main", "Time"].tolist() == [[2.5, 2.6], [1.5, 1.6]]


def test_a_parameter_is_valid_until_it_changes(read):
    blocks = "".join(BLOCKS.format(threads=threads, time=threads + 0.5) for threads in (1, 2))
    campaign = read(f"Nodes: 4\nSize: 100\n{blocks}Size: 200\n{blocks}")
    assert campaign.parameters == ("Nodes", "Size", "N_Threads")
    assert campaign.points.tolist() == [[4, 100, 1], [4, 100, 2], [4, 200, 1], [4, 200, 2]]


def test_parameters_may_come_after_their_metrics(read):
    campaign = read("Elapsed time = 2.5 (s)\nMPI tasks = 1\nElapsed time = 1.5 (s)\nMPI tasks = 2\n")
    assert campaign.points.tolist() == [[1], [2]]
    assert campaign.series["main", "Elapsed time"].tolist() == [[2.5], [1.5]]


def test_a_summary_may_contain_further_parameters(read):
    run = "MPI tasks = {tasks}\nElapsed time = {time} (s)\nProblem size = {size}\nFOM = 90.5 (z/s)\n"
    campaign = read(run.format(tasks=8, time=2.5, size=30) + run.format(tasks=27, time=3.5, size=40))
    assert campaign.points.tolist() == [[8, 30], [27, 40]]
    assert campaign.series["main", "Elapsed time"].tolist() == [[2.5], [3.5]]


def test_of_a_clock_only_the_last_value_is_read(read):
    steps = "".join(f"Time = {step}\nClock time = {step * 1.75 + step % 2} s\n" for step in range(1, 6))
    campaign = read(f"nProcs : 8\n{steps}")
    assert {metric: values.tolist() for (_, metric), values in campaign.series.items()} == {
        "Clock time": [[9.75]]
    }


def test_a_title_with_a_colon_is_the_kernel_of_the_metrics_below(read):
    title = "=======\n{}:\n=======\n  wall clock time = {} seconds\n"
    campaign = read(
        "Processes: 8\nSolving\n"
        + title.format("Setup", 1.5)
        + title.format("Solve", 2.5)
        + "Done\nTime: 4.0\n"
    )
    assert {kernel: values.tolist() for (kernel, _), values in campaign.series.items()} == {
        "main->Setup": [[1.5]],
        "main->Solve": [[2.5]],
        "main": [[4.0]],
    }


def test_a_word_in_brackets_is_no_unit(read):
    campaign = read("Size: 8\nTotal Time (serial) : 2.5 seconds\nCopy time (ms): 7\nEmpty time: 0\n")
    assert campaign.units == {"Total Time (serial)": "s", "Copy time": "ms"}


def test_counts_that_a_solver_computed_are_no_parameters(read):
    campaign = read(
        "Tasks: 8\nIterations: 17\nCG: 3680 iterations\nTime: 1.5\n"
        "Tasks: 16\nIterations: 19\nCG: 3781 iterations\nTime: 1.0\n"
    )
    assert campaign.parameters == ("Tasks",)


def test_an_unknown_name_with_several_numbers_is_a_parameter(read):
    campaign = read("Foo: 10\nThreads: 4\nTime: 1.5\nFoo: 20\nThreads: 4\nTime: 2.5\n")
    assert campaign.parameters == ("Foo", "Threads")
    assert campaign.series["main", "Time"].tolist() == [[1.5], [2.5]]


@pytest.mark.parametrize(
    "text",
    [
        "Threads: 4\nLoss: 1.5\n",
        "Threads: 4\nTime limit: 60\n",
        "Time: 1.5\nSpeed: 2.5\n",
        "Threads: 4\n" + "solving\n" * 40 + "Time: 1.5\n",
    ],
)
def test_texts_without_measurements_are_refused(read, text):
    with pytest.raises(FormatError, match=r"not recognised|without names"):
        read(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Time: 1.5 s\nThreads: 4\nTime: 9 ms\nThreads: 8\n", "line 3: found “Time” in ms; expected s"),
        ("Time: 1.5\nTime: 1.6\nTime: 1.7\nSpeed: 2\nThreads: many\nCores: 0\n", "not recognised"),
    ],
)
def test_a_damaged_output_is_refused_with_the_line(read, text, expected):
    with pytest.raises(FormatError, match=expected):
        read(text)


def test_settings_and_scripts_are_not_recognised(tmp_path):
    path = tmp_path / "job.yml"
    path.write_text("nodes: 4\ntime: 30\n")
    with pytest.raises(FormatError, match="not recognised"):
        parse(path)


STEPS = "Tasks: 8\nStep time: 0.5 s\nStep time: 7.5 s\nStep time: 2.0 s\nSolver x: 4\nFoo: 3.5\n"


def test_times_of_steps_are_no_repetitions(read):
    with pytest.raises(FormatError, match=r"“Step time” 3 times in one run, from 0.5 to 7.5.*repeated=sum"):
        read(STEPS)


@pytest.mark.parametrize(
    ("repeated", "values"), [("sum", [10]), ("last", [2]), ("repetitions", [0.5, 7.5, 2])]
)
def test_an_option_says_what_values_that_come_again_are(read, repeated, values):
    assert read(STEPS, repeated=repeated).series["main", "Step time"].tolist() == [values]


def test_options_name_the_lines_to_read(read):
    campaign = read(STEPS, metrics="foo", parameters="Solver x")
    assert (campaign.parameters, campaign.points.tolist()) == (("Solver x",), [[4]])
    assert {key: values.tolist() for key, values in campaign.series.items()} == {("main", "Foo"): [[3.5]]}


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"repeated": "mean"}, "repeated=“mean”; expected one of repetitions, sum, last"),
        ({"metrics": "foo, bar"}, "no line of the name “bar”"),
    ],
)
def test_an_option_that_does_not_fit_is_refused(read, options, found):
    with pytest.raises(FormatError, match=found):
        read(STEPS, **options)


@pytest.mark.parametrize(
    "text",
    [
        "Threads: 4\nsolver.max_time = 5\nsolver.T_min = 7\n",
        "Warp size: 32\nGPU clock rate: 1530 MHz\nPeak bandwidth: 900 GB/s\n",
        "Threads: 4\nRate: 2.5\na,b,c\n1,2,0.5\n2,3,0.7\n4,5,0.9\n",
    ],
)
def test_settings_and_properties_of_a_machine_are_no_measurements(read, text):
    with pytest.raises(FormatError, match="not recognised"):
        read(text)


def test_in_a_folder_other_formats_take_precedence(tmp_path):
    (tmp_path / "runs.csv").write_text("ranks,time\n2,1.5\n4,0.9\n")
    for number in range(2):
        (tmp_path / f"job{number}.log").write_text(SUMMARY.format(processes=4, time=2.5))
    assert parse(tmp_path).parameters == ("ranks",)


def test_a_log_of_too_many_values_is_refused(tmp_path):
    path = tmp_path / "job.out"
    path.write_text("p: 4\n" + "Total time: 1.5 s\n" * 5001)
    with pytest.raises(FormatError, match="more than 5000 values of “Total time” in one run"):
        parse(path, limits=Limits(unmeasured=5000))


def test_memory_that_a_run_took_is_no_parameter_and_the_page_size_is_nothing(read):
    text = (
        "Processes: {}\nTotal time: 1.5 s\nMaximum resident set size (kbytes): {}\nPage size (bytes): 4096\n"
    )
    campaign = read("".join(text.format(p, 9000 + p) for p in (1, 2, 4)))
    assert campaign.parameters == ("Processes",)
    assert {metric for _, metric in campaign.series} == {"Total time", "Maximum resident set size (kbytes)"}


@pytest.mark.parametrize("sign", [" ......... : ", " ......... ", "...... = ", " . . . . . . = "])
def test_dots_that_lead_to_a_value_are_not_part_of_the_name(read, sign):
    run = "Number of ranks{sign}{ranks}\nTotal time{sign}{time} s\n"
    campaign = read("".join(run.format(sign=sign, ranks=ranks, time=20 / ranks) for ranks in (4, 8)))
    assert campaign.parameters == ("Number of ranks",)
    assert campaign.series["main", "Total time"].tolist() == [[5], [2.5]]


def test_results_of_larger_and_larger_problems_are_no_clock(read):
    times = "".join(f"OMP N={n} threads=4\nSolver time: {n**2 / 1e5} s\n" for n in (64, 512, 1024, 2048))
    with pytest.raises(FormatError, match="found “Solver time” 4 times in one run"):
        read(f"Nodes: 1\n{times}")


def test_colours_of_a_terminal_are_ignored(read):
    campaign = read("\x1b[1;34mThreads = 2\x1b[0m\n\x1b[1mTotal time:\x1b[0m \x1b[42m 1.5 s\x1b[0m\n")
    assert campaign.parameters == ("Threads",)
    assert campaign.series["main", "Total time"].tolist() == [[1.5]]
