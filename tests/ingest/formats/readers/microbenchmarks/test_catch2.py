"""XML results of Catch2, written with `-r xml`."""

import pytest

from ingest.formats import FormatError, parse


@pytest.fixture
def read(tmp_path):
    def read(content):
        path = tmp_path / "report.xml"
        path.write_text(content)
        return parse(path)

    return read


def benchmark(name, mean, low=None, high=None):
    return (
        f'<BenchmarkResults name="{name}" samples="100" resamples="100000" iterations="1" '
        f'clockResolution="77" estimatedDuration="498765100"><!-- All values in nano seconds -->'
        f'<mean value="{mean}" lowerBound="{low or mean}" upperBound="{high or mean}" ci="0.95"/>'
        f'<standardDeviation value="2" lowerBound="1" upperBound="3" ci="0.95"/>'
        f'<outliers variance="0.1" lowMild="0" lowSevere="0" highMild="0" highSevere="1"/></BenchmarkResults>'
    )


def report(*cases, root='Catch2TestRun name="bench" rng-seed="1" catch2-version="3.4.0"'):
    inside = "".join(
        f'<TestCase name="{name}" line="7">{content}<OverallResult success="true"/></TestCase>'
        for name, content in cases
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<{root}>{inside}</{root.split()[0]}>\n'


FIBONACCI = "".join(benchmark(f"Fibonacci {n}", 2.5 * n) for n in (5, 10, 20))


def test_catch2(read):
    campaign = read(report(("Fibonacci", FIBONACCI)))
    assert campaign.format == "catch2"
    assert campaign.parameters == ("n",)
    assert campaign.points.tolist() == [[5], [10], [20]]
    assert campaign.series["Fibonacci->Fibonacci {n}", "time"].tolist() == [[12.5], [25], [50]]
    assert campaign.units == {"time": "ns"}
    assert campaign.metadata == {"program": "bench", "catch2": "3.4.0"}
    assert "the mean counts as one repetition" in campaign.notes[0]


def test_version_2_has_groups_around_test_cases(read):
    old = report(("Fibonacci", FIBONACCI), root='Catch name="c"')
    old = old.replace("<TestCase", '<Group name="c"><TestCase').replace("</TestCase>", "</TestCase></Group>")
    assert read(old).points.tolist() == [[5], [10], [20]]


def test_two_names_with_numbers_are_too_few_for_a_parameter(read):
    campaign = read(report(("hash", benchmark("SHA 256", 1) + benchmark("SHA 512", 2))))
    assert {path for path, _ in campaign.series} == {"hash->SHA 256", "hash->SHA 512"}


def test_numbers_are_compared_only_within_a_test_case(read):
    campaign = read(report(*((f"case {n}", benchmark(f"sort {n}", n)) for n in (8, 16, 32))))
    assert campaign.parameters == ("configuration",)
    assert len(campaign.series) == 3


def test_sections_are_levels_and_may_contain_the_number(read):
    sections = "".join(
        f'<Section name="n = {n}" filename="a.cpp" line="8">{benchmark("std-&gt;sort", n)}</Section>'
        for n in (8, 16, 32)
    )
    campaign = read(report(("sorting &lt;int&gt;", sections + benchmark("empty", 1))))
    assert campaign.points.tolist() == [[8], [16], [32]]
    kernels = {path for path, _ in campaign.series}
    assert kernels == {"sorting <int>->n = {n}->std→sort", "sorting <int>->empty"}


def test_sections_that_are_run_again_give_rounds(read):
    campaign = read(report(("a", benchmark("b 1", 3) + benchmark("b 1", 5))))
    assert campaign.rounds["a->b 1", "time"].tolist() == [[3, 5]]
    assert campaign.series["a->b 1", "time"].tolist() == [[4]]


def test_a_note_names_the_widest_interval(read):
    campaign = read(report(("a", benchmark("b", 100, 90, 130) + benchmark("c", 100, 99, 101))))
    assert "the intervals of the means are at most ± 30.0%" in " ".join(campaign.notes)


def test_benchmarks_that_failed_are_left_out(read):
    failed = '<BenchmarkResults name="bad"><failed message="Unknown exception"/></BenchmarkResults>'
    campaign = read(report(("a", failed + benchmark("b", 3))))
    assert {path for path, _ in campaign.series} == {"a->b"}
    assert any("1 benchmarks failed and were left out: bad" in note for note in campaign.notes)


def test_output_around_the_report_is_ignored(read):
    campaign = read("starting\n" + report(("a", benchmark("b", 3))) + "done\n")
    assert {path for path, _ in campaign.series} == {"a->b"}


def test_a_report_that_is_cut_off_is_read_up_to_there(read):
    campaign = read(report(("a", benchmark("b", 3)), ("c", benchmark("d", 4)))[:-130])
    assert ("a->b", "time") in campaign.series
    assert any("damaged in line 2" in note for note in campaign.notes)


ENTITY = '<?xml version="1.0"?><!DOCTYPE Catch [<!ENTITY a "aaa">]><Catch name="&a;">'


@pytest.mark.parametrize(
    ("content", "line", "found"),
    [
        (report(("a", "")), None, "a report without benchmarks"),
        (report(("a", benchmark("b", "fast"))), None, "the mean “fast” of “b”"),
        (report(("a", benchmark("b", -1))), None, "the value “-1.0”"),
        ('<?xml version="1.0"?>\n<Catch name="a">\n<TestCase name=>', 3, "no XML"),
        (ENTITY, None, "the document type “Catch”"),
    ],
)
def test_errors_name_what_was_found(read, content, line, found):
    with pytest.raises(FormatError) as raised:
        read(content)
    assert found in raised.value.found
    assert (raised.value.file, raised.value.line) == ("report.xml", line)
