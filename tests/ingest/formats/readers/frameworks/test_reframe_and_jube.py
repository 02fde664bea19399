"""Performance logs of ReFrame and result tables of JUBE."""

import numpy as np
import pytest

from ingest.formats import FormatError, parse

HEADER = (
    "job_completion_time|version|display_name|system|partition|environ|jobid|result|"
    "time_value|time_unit|time_ref|time_lower|time_upper|bw_value|bw_unit"
)


def ran(name, time="1.5", environ="gnu", result="pass", bw="2"):
    return f"2026-03-01T10:00:00|4.7|{name}|daint|gpu|{environ}|17|{result}|{time}|s|0|None|None|{bw}|GB/s"


@pytest.fixture
def read(tmp_path):
    def read(*lines):
        path = tmp_path / "test.log"
        path.write_text("\n".join(lines))
        return parse(path)

    return read


def test_reframe(read):
    campaign = read(HEADER, ran("stream %n=8"), ran("stream %n=8", "1.25"), ran("stream %n=16", bw="None"))
    assert campaign.format == "reframe"
    assert campaign.parameters == ("n",)
    assert campaign.series["stream", "time"].tolist()[0] == [1.5, 1.25]
    np.testing.assert_array_equal(campaign.series["stream", "bw"][1], [np.nan, np.nan])
    assert campaign.units == {"time": "s", "bw": "GB/s"}
    assert campaign.metadata == {"system": "daint", "partition": "gpu", "environ": "gnu"}


def test_reframe_names(read):
    campaign = read(HEADER, ran("stream %kind=triad %n=8 /a1b2c3 @daint:gpu+gnu"))
    assert {kernel for kernel, _ in campaign.series} == {"stream [kind=triad]"}


def test_environments_become_part_of_the_kernel(read):
    campaign = read(HEADER, ran("stream %n=8"), ran("stream %n=8", environ="intel"))
    assert {kernel for kernel, _ in campaign.series} == {"stream [environ=gnu]", "stream [environ=intel]"}
    assert "environ" not in campaign.metadata


def test_a_metric_with_negative_values_is_left_out(read):
    campaign = read(HEADER, ran("stream %n=8", bw="-2"), ran("stream %n=16"))
    assert {metric for _, metric in campaign.series} == {"time"}
    assert "the metric bw was left out: it is -2 for stream" in campaign.notes[0]


def test_runs_that_did_not_pass_are_left_out(read):
    campaign = read(HEADER, ran("stream %n=8"), ran("stream %n=8", "99", result="fail"))
    assert campaign.series["stream", "time"].tolist() == [[1.5]]
    assert campaign.notes == ("1 runs that did not pass were left out",)


def test_runs_without_a_performance_value_are_left_out(read):
    campaign = read(HEADER, ran("stream %n=8"), ran("hello", "None", bw="null"))
    assert {kernel for kernel, _ in campaign.series} == {"stream"}
    assert campaign.notes == ("1 runs without a performance value were left out",)


OLD_LOG = (
    "2026-03-01T10:00:00|reframe 3.12.0|stream %n=8 %kind=triad @daint:gpu+gnu|jobid=17|"
    "time=1.5|ref=0 (l=null, u=null)|s"
)


def test_logs_of_version_3_have_a_line_for_each_metric(read):
    campaign = read(
        OLD_LOG,
        OLD_LOG.replace("time=1.5", "bw=20").removesuffix("s") + "GB/s",
        OLD_LOG.replace("n=8", "n=16"),
    )
    assert campaign.parameters == ("n",)
    assert campaign.series["stream [kind=triad]", "time"].tolist() == [[1.5], [1.5]]
    assert campaign.series["stream [kind=triad]", "bw"][0].tolist() == [20]
    assert campaign.units == {"time": "s", "bw": "GB/s"}
    assert campaign.metadata == {"system": "daint", "partition": "gpu", "environ": "gnu"}


def test_older_logs_name_system_and_environment_in_words(read):
    campaign = read(
        "2021-03-01T10:00:00|reframe 3.5.0|Stream_8 on daint:gpu using gnu|jobid=17|time=1.5|"
        "ref=0 (l=null, u=null)"
    )
    assert list(campaign.series) == [("Stream_8", "time")]
    assert campaign.metadata["environ"] == "gnu"


TABLE = """result:
| jube_wp_id | nodes | tasks | time_avg[s] | visits |
|------------|-------|-------|-------------|--------|
|          0 |     1 |     4 |        12.5 |      3 |
|          1 |     1 |     4 |        12.0 |        |
|          2 |     2 |     8 |         7.5 |      3 |
"""
OLD = """nodes | tasks | time[s]
------+-------+--------
    1 |     4 |    12.5
"""


def test_jube(read):
    campaign = read(TABLE)
    assert campaign.format == "jube"
    assert campaign.parameters == ("nodes", "tasks")
    assert campaign.points.tolist() == [[1.0, 4.0], [2.0, 8.0]]
    np.testing.assert_array_equal(campaign.series["main", "time_avg"], [[12.5, 12.0], [7.5, np.nan]])
    assert campaign.units == {"time_avg": "s"}
    assert campaign.notes[0].startswith("the column jube_wp_id was left out")


def test_texts_of_jube_are_part_of_the_kernel_and_case_matters(read):
    table = """
| number | Number | kind | time[s] |
|--------|--------|------|---------|
|      1 |      2 | fast |     1.5 |
|      2 |      4 | slow |     2.5 |
"""
    campaign = read(table)
    assert campaign.parameters == ("number", "Number")
    assert {kernel for kernel, _ in campaign.series} == {"main [kind=fast]", "main [kind=slow]"}


def test_the_tables_of_one_file_are_kernels(read):
    other = TABLE.replace("result:", "counters:").replace("time_avg[s]", "cycles").replace("12.5", "  99")
    campaign = read(TABLE, other)
    assert {kernel for kernel, _ in campaign.series} == {"result", "counters"}
    assert campaign.series["counters", "cycles"][0, 0] == 99


def test_a_table_with_other_parameters_is_left_out(read):
    campaign = read(TABLE, "other:", "| size | time |", "|------|------|", "|    4 |    1 |")
    assert {kernel for kernel, _ in campaign.series} == {"result"}
    assert any(note.startswith("the table other was left out") for note in campaign.notes)


def test_several_analyses_of_jube_are_distinguished(read):
    campaign = read("| jube_res_analyser | n | time |", "|---|---|---|", "| a | 1 | 2 |", "| b | 1 | 3 |")
    assert len(campaign.series) == 2


def test_long_cells_of_jube_continue_below(read):
    campaign = read(
        "| n | command                                  | time |",
        "|---|------------------------------------------|------|",
        "| 1 |  mpirun --map-by socket --bind-to core a |  1.5 |",
        "|   | .out                                     |      |",
        "| 2 |                                    short |  2.5 |",
    )
    assert {kernel for kernel, _ in campaign.series} == {
        "main [command=mpirun --map-by socket --bind-to core a.out]",
        "main [command=short]",
    }


def test_one_statistic_of_jube_is_read(read):
    header = [
        "n",
        *(f"time_pat_{name}" for name in ("first", "last", "min", "max", "sum", "cnt", "avg", "std")),
    ]
    campaign = read(
        f"| {' | '.join(header)} |", "|---" * len(header) + "|", "| 1 | 1 | 3 | 1 | 3 | 4 | 2 | 2 | 1 |"
    )
    assert list(campaign.series) == [("main", "time_pat_avg")]


def test_jube_tables_without_bars_are_read(read):
    assert read(OLD).series["main", "time"].tolist() == [[12.5]]


@pytest.mark.parametrize(
    ("lines", "line", "found"),
    [
        ([HEADER, ran("stream %n=8", "fast")], 2, "“fast” as time_value"),
        ([HEADER, ran("stream %n=8", "1_0")], 2, "“1_0” as time_value"),
        ([HEADER, ran("stream %n=8", "-1", bw="None")], 2, "the value “-1.0”"),
        ([HEADER, ran("stream %n=8") + "|x"], 2, "a row of 16 cells"),
        ([HEADER, ran("stream %n=8", result="fail")], None, "no results"),
        ([HEADER + "|bw_unit", ran("stream %n=8") + "|x"], 1, "the columns"),
        ([TABLE + "| 3 | 1 | x | 1 | 1 |"], 7, "“x” in the column tasks"),
        ([TABLE + "| 3 | 1 | 1 | 1 |"], 7, "a row of 4 cells"),
        ([TABLE + "| 3 | 1 | 4 | 1 ns | 1 |"], 7, "“1 ns” in the column time_avg"),
        ([TABLE.replace("tasks", "nodes")], 2, "two columns with the name “nodes”"),
        (
            [OLD_LOG, "2026-03-01T10:00:00|reframe 3.12.0|stream"],
            2,
            "“2026-03-01T10:00:00|reframe 3.12.0|stream”",
        ),
    ],
)
def test_errors_name_the_line_and_what_was_found(read, lines, line, found):
    with pytest.raises(FormatError) as raised:
        read(*lines)
    assert (raised.value.file, raised.value.line) == ("test.log", line)
    assert found in raised.value.found
    assert raised.value.expected


def test_a_report_in_markdown_is_read_from_its_tables_of_measurements(read):
    campaign = read(
        "# Report",
        *(f"Paragraph {number}" for number in range(12)),
        "| Option | Meaning |",
        "|--------|:-------:|",
        "| `-n`   | size    |",
        "",
        "## Strong scaling",
        "",
        "| Processes | Execution Time (s) | Speedup |",
        "|-----------|-------------------:|---------|",
        "| 1         | 8.5                | 1       |",
        "| 2         | 4.25               | **2**   |",
    )
    assert campaign.points.tolist() == [[1], [2]]
    assert campaign.series["main", "Execution Time"].tolist() == [[8.5], [4.25]]
    assert campaign.series["main", "Speedup"].tolist() == [[1], [2]]


def test_the_titles_of_markdown_are_names_without_their_marks(read):
    table = ["| threads | Time (s) |", "|---|---|", "| 1 | 4.5 |", "| 2 | 2.5 |", ""]
    campaign = read("### **MPI**:", "", *table, "## OpenMP", "", *table)
    assert {kernel for kernel, _ in campaign.series} == {"MPI", "OpenMP"}


def test_tables_in_other_units_are_converted(read):
    first = ["# MPI", "| threads | time |", "|---|---|", "| 1 | 900 us |", "| 2 | 1.5 ms |", ""]
    second = ["# OpenMP", "| threads | time |", "|---|---|", "| 1 | 4.5 ms |", "| 2 | 2.5 ms |"]
    campaign = read(*first, *second)
    assert campaign.series["MPI", "time"].ravel().tolist() == pytest.approx([9e-4, 1.5e-3])
    assert campaign.series["OpenMP", "time"].ravel().tolist() == pytest.approx([4.5e-3, 2.5e-3])
    assert campaign.units == {"time": "s"}
    first = ["# a", "| threads | time [ms] |", "|---|---|", "| 1 | 5 |", "| 2 | 3 |", ""]
    second = ["# b", "| threads | time [s] |", "|---|---|", "| 1 | 0.5 |", "| 2 | 0.25 |"]
    campaign = read(*first, *second)
    assert campaign.series["b", "time"].ravel().tolist() == [500, 250]
    assert campaign.units == {"time": "ms"}
