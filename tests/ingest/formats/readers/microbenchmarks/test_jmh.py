"""Results of JMH: its JSON and CSV, and the table that it prints."""

import json

import numpy as np
import pytest

from ingest.formats import FormatError, parse


@pytest.fixture
def read(tmp_path):
    def read(content):
        path = tmp_path / "jmh-result.json"
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content, indent=4))
        return parse(path)

    return read


def metric(*forks, unit="us/op", **more):
    return {"score": 1.0, "scoreError": "NaN", "scoreUnit": unit, "rawData": list(forks), **more}


def jmh(size=8, mode="avgt", primary=None, **more):
    return {
        "jmhVersion": "1.37",
        "benchmark": "org.example.Sort.heap",
        "mode": mode,
        "threads": 1,
        "forks": 2,
        "jvmArgs": [],
        "params": {"size": str(size), "kind": "random"},
        "primaryMetric": primary or metric([1.0, 5.0, 2.0], [4.0, 3.0, 9.0]),
        "secondaryMetrics": {},
        **more,
    }


KERNEL = "org.example.Sort.heap [kind=random]"


def test_a_fork_is_a_repetition_and_its_iterations_are_rounds(read):
    campaign = read([jmh(8), jmh(16)])
    assert campaign.format == "jmh"
    assert campaign.parameters == ("size",)
    assert campaign.points.tolist() == [[8], [16]]
    assert campaign.series[KERNEL, "time"].tolist() == [[2, 4], [2, 4]]
    assert campaign.rounds[KERNEL, "time"][0].tolist() == [1, 5, 2, 4, 3, 9]
    assert campaign.units == {"time": "us"}
    assert campaign.metadata == {"jmhVersion": "1.37", "threads": 1, "forks": 2}
    assert "median of a fork's iterations counts as one repetition" in campaign.notes[0]


def test_a_fork_with_one_iteration_has_no_rounds(read):
    campaign = read([jmh(8, primary=metric([1.0], [4.0]))])
    assert campaign.series[KERNEL, "time"].tolist() == [[1, 4]]
    assert not campaign.rounds


@pytest.mark.parametrize(
    ("mode", "name", "unit", "shown"),
    [
        ("thrpt", "throughput", "ops/ms", "ops/ms"),
        ("avgt", "time", "ns/op", "ns"),
        ("sample", "sampled_time", "s/op", "s"),
        ("ss", "single_shot_time", "ms/op", "ms"),
    ],
)
def test_the_mode_is_the_name_of_the_metric(read, mode, name, unit, shown):
    campaign = read([jmh(mode=mode, primary=metric([1.0], unit=unit))])
    assert campaign.units == {name: shown}


def test_several_units_of_time_are_read_in_seconds(read):
    slow = jmh(16, primary=metric([3.0], unit="ms/op"))
    campaign = read([jmh(8, primary=metric([2.0])), slow])
    assert campaign.series[KERNEL, "time"][:, 0].tolist() == pytest.approx([2e-6, 3e-3])
    assert campaign.units == {"time": "s"}


def test_several_rates_are_read_per_second(read):
    rates = [jmh(size, "thrpt", metric([2.0], unit=unit)) for size, unit in ((8, "ops/us"), (16, "ops/s"))]
    campaign = read(rates)
    assert campaign.series[KERNEL, "throughput"][:, 0].tolist() == pytest.approx([2e6, 2])
    assert campaign.units == {"throughput": "ops/s"}


def test_a_metric_in_other_units_is_split(read):
    counted = [
        jmh(size, secondaryMetrics={"served": metric([2.0], unit=unit)})
        for size, unit in ((8, "MB"), (16, "requests"))
    ]
    campaign = read(counted)
    assert {name for _, name in campaign.series} == {"time", "served (MB)", "served (requests)"}


def test_secondary_metrics(read):
    secondary = {
        "·gc.alloc.rate.norm": metric([16.0], [24.0], unit="B/op"),
        "·stack": {"score": "NaN", "scoreUnit": "---", "rawData": [["NaN"]]},
        "heap:heap·p0.99": {"score": 7.5, "scoreUnit": "us/op"},
        "+c2.compiler.time": metric([-1.0], unit="ms"),
    }
    campaign = read([jmh(secondaryMetrics=secondary)])
    assert campaign.series[KERNEL, "gc.alloc.rate.norm"].tolist() == [[16, 24]]
    assert campaign.series[KERNEL, "p0.99"].tolist() == [[7.5]]
    assert campaign.units == {"time": "us", "gc.alloc.rate.norm": "B", "p0.99": "us"}
    assert any("c2.compiler.time was left out: it is -1" in note for note in campaign.notes)


def test_histograms_of_samples_have_medians(read):
    fork = [[[1.0, 10], [2.0, 100], [50.0, 3]], [[4.0, 1]], [[3.0, 7]]]
    primary = {"score": 3.0, "scoreUnit": "us/op", "rawDataHistogram": [fork]}
    campaign = read([jmh(mode="sample", primary=primary)])
    assert campaign.series[KERNEL, "sampled_time"].tolist() == [[3]]
    assert campaign.rounds[KERNEL, "sampled_time"].tolist() == [[2, 4, 3]]


def test_the_number_of_threads_is_a_parameter_if_it_varies(read):
    campaign = read([jmh(8, threads=threads) for threads in (1, 4)])
    assert campaign.parameters == ("size", "threads")
    assert campaign.points.tolist() == [[8, 1], [8, 4]]


def test_invalid_iterations_are_missing(read):
    campaign = read([jmh(8, primary=metric(["NaN", 2.0, 4.0], ["NaN"])), jmh(16)])
    np.testing.assert_array_equal(campaign.series[KERNEL, "time"], [[3, np.nan], [2, 4]])


def test_files_in_the_windows_character_set_are_read(read):
    secondary = {"·gc.count": metric([1.0], unit="counts")}
    text = json.dumps([jmh(secondaryMetrics=secondary)], ensure_ascii=False)
    assert (KERNEL, "gc.count") in read(text.encode("cp1252")).series


@pytest.mark.parametrize(
    ("content", "line", "found"),
    [
        ([jmh(), jmh(mode=None)], 32, "in the mode “None”"),
        ([jmh(primaryMetric=None)], 2, "“None”"),
        ([jmh(primary=metric(7))], 2, "the raw data “[7.0]”"),
        ([jmh(primary={"rawDataHistogram": [[[1, 2, 3]]], "scoreUnit": "s/op"})], 2, "the histogram"),
        ([jmh(params=[7])], 2, "“[7.0]”"),
        ([jmh(primary={"score": "NaN"})], None, "no results"),
        (json.dumps([jmh()])[:-20], 1, "without its closing quote"),
        ('[{"benchmark": "a", "primaryMetric": ' + "[" * 100_000, 1, "nested deeper"),
    ],
)
def test_errors_name_the_line_and_what_was_found(read, content, line, found):
    with pytest.raises(FormatError) as raised:
        read(content)
    assert found in raised.value.found
    assert (raised.value.file, raised.value.line) == ("jmh-result.json", line)


TABLE = """# Run complete. Total time: 00:04:02

[info] Benchmark                  (kind)  (size)   Mode  Cnt      Score     Error   Units
Sort.heap                  random       8   avgt   10      1.500 ±   0.020   us/op
Sort.heap:·gc.alloc.rate  random       8   avgt   10     92.000 ±   1.000  MB/sec
Sort.heap                  random      64   avgt   10     ≈ 10⁻³             ms/op
Sort.heap                     N/A      64   avgt         2,500             us/op
Find.all                   random      64  thrpt    5   7000.000 ? 300.000   ops/s
"""


class TestPrintedTable:
    def test_it_works(self, read):
        campaign = read(TABLE)
        assert (campaign.format, campaign.parameters) == ("jmh", ("size",))
        assert campaign.points.tolist() == [[8], [64]]
        times = campaign.series["Sort.heap [kind=random]", "time"]
        np.testing.assert_allclose(times, [[1.5e-6], [1e-6]])
        assert campaign.series["Sort.heap [kind=random]", "gc.alloc.rate"][0].tolist() == [92]
        assert campaign.series["Find.all [kind=random]", "throughput"][1].tolist() == [7000]
        assert campaign.units == {"time": "s", "gc.alloc.rate": "MB/sec", "throughput": "ops/s"}
        assert any("only means" in note for note in campaign.notes)

    def test_parameters_that_a_benchmark_lacks_are_left_out(self, read):
        np.testing.assert_allclose(read(TABLE).series["Sort.heap", "time"][1], [2.5e-6])

    def test_a_table_without_parameters_is_one_configuration(self, read):
        campaign = read("Benchmark  Mode  Cnt  Score  Error  Units\nA.sort  avgt  5  1.5 ± 0.1  us/op\n")
        assert campaign.parameters == ("configuration",)
        assert campaign.series["A.sort", "time"].tolist() == [[1.5]]

    def test_a_table_without_rows_is_refused(self, read):
        with pytest.raises(FormatError, match="no results"):
            read("Benchmark  Mode  Cnt  Score  Error  Units\nnothing was measured\n")


CSV = """"Benchmark","Mode","Threads","Samples","Score","Score Error","Unit","Param: kind","Param: size"
"org.example.Sort.heap","avgt",1,6,2.500000,0.250000,"us/op",random,8
"org.example.Sort.heap:·gc.alloc.rate.norm","avgt",1,6,64.000000,0.000100,"B/op",random,8
"org.example.Sort.heap","avgt",1,6,3.500000,NaN,"us/op",random,16
"org.example.Sort.none","avgt",1,6,1.500000,NaN,"us/op",,16
"""


def test_csv_has_the_metrics_and_names_of_json(read):
    campaign = read(CSV)
    assert (campaign.format, campaign.parameters) == ("jmh", ("size",))
    assert campaign.points.tolist() == [[8], [16]]
    assert campaign.series[KERNEL, "time"].tolist() == [[2.5], [3.5]]
    assert campaign.series[KERNEL, "gc.alloc.rate.norm"][0].tolist() == [64]
    assert campaign.series["org.example.Sort.none", "time"][1].tolist() == [1.5]
    assert campaign.units == {"time": "us", "gc.alloc.rate.norm": "B"}
    assert "the file has only means" in campaign.notes[0]


def test_csv_of_countries_with_a_decimal_comma(read):
    comma = CSV.replace("2.500000", '"2500,250000"').replace("0.250000", '"0,250000"')
    assert read(comma).series[KERNEL, "time"][0].tolist() == [2500.25]
    rows = [line.replace(",", ";") for line in CSV.replace("2.500000", "2500,250000").splitlines()]
    rows[1] = rows[1].replace("2500;25", "2500,25")
    assert read("\n".join(rows)).series[KERNEL, "time"][0].tolist() == [2500.25]


def test_csv_of_several_threads_has_them_as_a_parameter(read):
    row = '"org.example.Sort.heap","thrpt",{},6,{},NaN,"ops/us",random,8\n'
    campaign = read(CSV.splitlines()[0] + "\n" + row.format(1, 2.5) + row.format(4, 7.5))
    assert campaign.parameters == ("size", "threads")
    assert campaign.series[KERNEL, "throughput"].tolist() == [[2.5], [7.5]]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('"org.example.Sort.heap","avgt",1', "line 2: found a row of 3 cells; expected 9 cells"),
        ('"org.example.Sort.heap","avgt",1,6,fast,NaN,"us/op",random,8', "the score “fast”"),
    ],
)
def test_csv_with_a_wrong_row_is_refused(read, row, message):
    with pytest.raises(FormatError, match=message):
        read(CSV.splitlines()[0] + "\n" + row + "\n")
