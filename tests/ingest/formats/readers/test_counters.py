"""Counters measured with perf, LIKWID and Nsight Systems."""

import json
import sqlite3

import pytest

from ingest.formats import FormatError, parse


@pytest.fixture
def read(tmp_path):
    def read(content, point=""):
        path = tmp_path / "counts"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return parse(path, point=point)

    return read


def event(name, count, unit="", **more):
    fields = {"counter-value": count, "unit": unit, "event": name, "event-runtime": 1, "pcnt-running": 100.0}
    return json.dumps(more | fields) + "\n"


RUN = (
    "# started on Sun Nov 22 08:00:00 2026\n\n"
    + event("task-clock", "2.5", "msec")
    + event("cycles", "100.0")
)


PRINTED = """
 Performance counter stats for './solve 64' (3 runs):

          1,234.50 msec task-clock                #    0.991 CPUs utilized            ( +-  0.10% )
           100,000      cycles:u                  #    1.771 GHz                      (66.66%)
     <not counted>      LLC-misses

      49.500000000 seconds time elapsed                                          ( +-  0.10% )

      48.250000000 seconds user

"""
SEPARATED = """# started on Sun Nov 22 08:00:00 2026

1234.50,msec,task-clock,1234500000,100.00,0.991,CPUs utilized
100000,,cycles:u,1234500000,100.00,1.771,GHz
<not counted>,,LLC-misses,0,100.00,,
"""


class TestPerfStat:
    def test_it_works(self, read):
        campaign = read(RUN, "p=4")
        assert (campaign.format, campaign.parameters) == ("perf-stat", ("p",))
        assert campaign.series["main", "task-clock"].tolist() == [[2.5]]
        assert campaign.units == {"task-clock": "ms"}

    def test_runs_of_several_commands_are_told_apart_by_their_arguments(self, read):
        runs = [
            PRINTED.replace("./solve 64", f"./solve --rows={rows} -s {seed} {method}").replace(
                "49.5", f"{rows}.5"
            )
            for rows in (16, 32)
            for seed in (1, 2)
            for method in ("cg", "lu")
        ]
        campaign = read("".join(runs).replace("-s ", "--seed "))
        assert campaign.parameters == ("rows",)
        times = campaign.series["main [arg1=cg]", "time elapsed"]
        assert times.tolist() == [[16.5, 16.5], [32.5, 32.5]]
        assert {kernel for kernel, _ in campaign.series} == {"main [arg1=cg]", "main [arg1=lu]"}

    def test_commands_that_differ_in_many_arguments_name_kernels(self, read):
        commands = [" ".join(f"--o{run}{option}={option}" for option in range(12)) for run in (1, 2)]
        campaign = read("".join(PRINTED.replace("./solve 64", f"./a {each}") for each in commands))
        assert len({kernel for kernel, _ in campaign.series}) == 2

    def test_runs_of_one_command_are_repetitions(self, read):
        campaign = read(PRINTED + PRINTED)
        assert campaign.parameters == ("configuration",)
        assert campaign.series["main", "time elapsed"].tolist() == [[49.5, 49.5]]

    def test_consecutive_runs_are_repetitions(self, read):
        assert read(RUN + RUN).series["main", "cycles"].tolist() == [[100, 100]]
        assert read(RUN + RUN.partition("\n")[2]).series["main", "cycles"].tolist() == [[100, 100]]

    @pytest.mark.parametrize("part", [{"interval": 1.0}, {"cpu": "0"}, {"core": "S0-D0-C1"}])
    def test_parts_of_a_run_are_added(self, read, part):
        campaign = read(event("cycles", "100.0", **part) + event("cycles", "20.0", **part))
        assert campaign.series["main", "cycles"].tolist() == [[120]]

    def test_uncounted_events_are_missing(self, read):
        campaign = read(
            RUN + event("energy", "<not supported>") + '{"metric-value" : 0.5, "metric-unit" : "x"}\n'
        )
        assert {metric for _, metric in campaign.series} == {"task-clock", "cycles"}
        assert "energy was never counted" in campaign.notes[1]

    def test_the_printed_table_of_perf_is_read(self, read):
        campaign = read(PRINTED + PRINTED.replace("100,000", "120,000"))
        assert campaign.format == "perf-stat"
        assert campaign.series["main", "cycles:u"].tolist() == [[100000, 120000]]
        assert campaign.series["main", "task-clock"].tolist() == [[1234.5, 1234.5]]
        assert campaign.series["main", "time elapsed"].tolist() == [[49.5, 49.5]]
        assert campaign.units == {"task-clock": "ms", "time elapsed": "s", "user": "s"}
        assert any("LLC-misses was never counted" in note for note in campaign.notes)

    def test_numbers_in_other_languages_are_read(self, read):
        german = PRINTED.translate(str.maketrans(",.", ".,"))
        french = PRINTED.replace(",", "\u202f").replace(".", ",")
        for text in (german, french):
            campaign = read(text)
            assert campaign.series["main", "task-clock"].tolist() == [[1234.5]]
            assert campaign.series["main", "cycles:u"].tolist() == [[100000]]
            assert campaign.series["main", "time elapsed"].tolist() == [[49.5]]
        rounded = PRINTED.replace("49.500000000", "49.500")
        assert read(rounded).series["main", "time elapsed"].tolist() == [[49.5]]

    @pytest.mark.parametrize("separator", [",", ";"])
    def test_csv(self, read, separator):
        campaign = read(SEPARATED.replace(",", separator))
        assert campaign.series["main", "cycles:u"].tolist() == [[100000]]
        assert campaign.series["main", "task-clock"].tolist() == [[1234.5]]
        assert any("LLC-misses was never counted" in note for note in campaign.notes)

    def test_intervals_and_processors_in_csv_are_added(self, read):
        campaign = read("     1.000123456,60,,cycles,1,100.00,,\n     2.000123456,40,,cycles,1,100.00,,\n")
        assert campaign.series["main", "cycles"].tolist() == [[100]]
        assert read("CPU0,60,,cycles,1,100.00,,\nCPU1,50,,cycles,1,100.00,,\n").series[
            "main", "cycles"
        ].tolist() == [[110]]

    def test_an_additional_comma_at_line_ends_is_ignored(self, read):
        line = '{"counter-value" : "3.0", "unit" : "", "event" : "cycles", "pcnt-running" : 100.00, }\n'
        assert read(line).series["main", "cycles"].tolist() == [[3]]


LIKWID = """TABLE,Info,3
CPU name:,Intel(R) Xeon(R),,
CPU clock:,2.4 GHz,,
TABLE,Region triad,Group 1 Raw,MEM_DP,4
Region Info,HWThread 0,HWThread 1
RDTSC Runtime [s],0.5,0.6
call count,10,10
Event,Counter,HWThread 0,HWThread 1
INSTR_RETIRED_ANY,FIXC0,100,200
TABLE,Region triad,Group 1 Raw STAT,MEM_DP,4
Event,Counter,Sum,Min,Max,Avg
INSTR_RETIRED_ANY STAT,FIXC0,300,100,200,150
TABLE,Region triad,Group 1 Metric,MEM_DP,4
Metric,HWThread 0,HWThread 1
CPI,0.5,1.5
DP [MFLOP/s],1000,2000
Clock [MHz],2000,3000
"""


class TestLikwid:
    def test_it_works(self, read):
        campaign = read(LIKWID, "threads=2")
        assert (campaign.format, campaign.parameters) == ("likwid", ("threads",))
        found = {metric: values.tolist()[0][0] for (kernel, metric), values in campaign.series.items()}
        assert {kernel for kernel, _ in campaign.series} == {"triad"}
        assert found == {
            "RDTSC Runtime": 0.6, "call count": 20, "INSTR_RETIRED_ANY": 300,
            "CPI": 1.0, "DP": 3000, "Clock": 2500,
        }  # fmt: skip
        assert campaign.units == {"RDTSC Runtime": "s", "DP": "MFLOP/s", "Clock": "MHz"}
        assert campaign.metadata["CPU clock"] == "2.4 GHz"

    def test_without_regions_the_kernel_is_the_program(self, read):
        campaign = read(LIKWID.replace("Region triad,", ""))
        assert {kernel for kernel, _ in campaign.series} == {"main"}

    def test_a_row_that_lacks_a_thread_is_named(self, read):
        with pytest.raises(FormatError, match="line 15: found a row of 2 cells for “CPI”"):
            read(LIKWID.replace("CPI,0.5,1.5", "CPI,0.5"))


@pytest.fixture
def database(tmp_path):
    def made(*statements):
        path = tmp_path / "made.sqlite"
        with sqlite3.connect(path) as found:
            for statement in statements:
                found.execute(statement)
        found.close()
        return path.read_bytes()

    return made


NSYS = (
    "CREATE TABLE StringIds (id INTEGER, value TEXT)",
    "INSERT INTO StringIds VALUES (1, 'saxpy(int, float *)'), (2, 'cudaMemcpy'), (3, 'step->one')",
    'CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, "end" INTEGER, demangledName INTEGER)',
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 30, 1), (40, 50, 1)",
    'CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, "end" INTEGER, nameId INTEGER)',
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 5, 2)",
    'CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, "end" INTEGER, bytes INTEGER, copyKind INTEGER)',
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (0, 4, 1024, 1), (6, 8, 1024, 1)",
    'CREATE TABLE NVTX_EVENTS (start INTEGER, "end" INTEGER, text TEXT, textId INTEGER)',
    "INSERT INTO NVTX_EVENTS VALUES (0, 100, 'outer', NULL), (0, 50, NULL, 3), (7, NULL, 'mark', NULL)",
)


class TestNsightSystems:
    def test_it_works(self, read, database):
        campaign = read(database(*NSYS), "gpus=1")
        assert (campaign.format, campaign.parameters) == ("nsight-systems", ("gpus",))
        found = {key: values.tolist()[0][0] for key, values in campaign.series.items()}
        assert found["GPU kernels->saxpy(int, float *)", "time"] == 30
        assert found["GPU kernels->saxpy(int, float *)", "calls"] == 2
        assert found["CUDA API->cudaMemcpy", "time"] == 5
        assert found["memory copies->host to device", "bytes"] == 2048
        assert found["NVTX->outer", "time"] == 100
        assert found["NVTX->step→one", "time"] == 50
        assert campaign.units == {"time": "ns", "bytes": "B"}

    def test_another_database_is_refused(self, read, database):
        with pytest.raises(FormatError, match="without activities"):
            read(database("CREATE TABLE notes (text TEXT)"))

    def test_a_damaged_database_is_refused(self, read, database):
        good = database(*NSYS)
        for size in (100, 4096, len(good) - 4096):
            with pytest.raises(FormatError):
                read(good[:size])

    def test_a_view_instead_of_a_table_is_refused(self, read, database):
        endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
        columns = '1 AS start, x AS "end", x AS shortName'
        view = f"CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT {columns} FROM ({endless})"
        with pytest.raises(FormatError, match="without activities"):
            read(database(view))
