"""Counters of perf stat."""

import json

import pytest

from ingest.formats import parse


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
