"""Output of `go test -bench`."""

import json

import pytest

from ingest.formats import FormatError, parse

HEAD = """goos: linux
goarch: amd64
pkg: example.org/sort
cpu: AMD EPYC 7763 64-Core Processor
"""
PLAIN = (
    HEAD
    + """BenchmarkSort/size=64/kind=heap-8         \t    8148\t       904.6 ns/op\t 141.49 MB/s\t     152 B/op\t       2 allocs/op
BenchmarkSort/size=256/kind=heap-8        \t     314\t     20132 ns/op\t 101.73 MB/s\t    2072 B/op\t       2 allocs/op
PASS
ok  \texample.org/sort\t12.3s
"""  # noqa: E501 -- as Go writes it
)


@pytest.fixture
def read(tmp_path):
    def read(content):
        path = tmp_path / "bench.txt"
        path.write_text(content)
        return parse(path)

    return read


def line(name, *pairs):
    return "\t".join([name, "  1000", *(f"  {pair}" for pair in pairs)]) + "\n"


def test_go_benchmark(read):
    campaign = read(PLAIN)
    assert campaign.format == "go-benchmark"
    assert campaign.parameters == ("size",)
    assert campaign.points.tolist() == [[64], [256]]
    assert campaign.series["BenchmarkSort [kind=heap]", "time"].tolist() == [[904.6], [20132]]
    assert campaign.series["BenchmarkSort [kind=heap]", "B/op"].tolist() == [[152], [2072]]
    assert campaign.units == {"time": "ns", "MB/s": "MB/s", "B/op": "B", "allocs/op": ""}
    assert campaign.metadata == {
        "goos": "linux",
        "goarch": "amd64",
        "pkg": "example.org/sort",
        "cpu": "AMD EPYC 7763 64-Core Processor",
        "GOMAXPROCS": 8,
    }


def test_repeated_lines_are_rounds_of_one_process(read):
    campaign = read(HEAD + "".join(line("BenchmarkA/8-2", f"{time} ns/op") for time in (5, 1, 2)))
    assert campaign.parameters == ("arg1",)
    assert campaign.series["BenchmarkA", "time"].tolist() == [[2]]
    assert campaign.rounds["BenchmarkA", "time"].tolist() == [[5, 1, 2]]


def test_the_number_of_processors_is_a_parameter_if_it_varies(read):
    names = [f"BenchmarkA/n=8{suffix}" for suffix in ("", "-2", "-4")]
    campaign = read(HEAD + "".join(line(name, "5 ns/op") for name in names))
    assert campaign.parameters == ("n", "GOMAXPROCS")
    assert campaign.points.tolist() == [[8, 1], [8, 2], [8, 4]]


def test_a_number_at_the_end_of_only_some_names_is_not_that_of_processors(read):
    names = ["BenchmarkA/size-64", "BenchmarkA/size-128", "BenchmarkB"]
    campaign = read(HEAD + "".join(line(name, "5 ns/op") for name in names))
    assert {path for path, _ in campaign.series} == set(names)
    assert "GOMAXPROCS" not in campaign.metadata


def test_custom_units_are_metrics(read):
    campaign = read(line("BenchmarkA/8-2", "5 ns/op", "1.5 p99-ns/op", "7 req/s", "-1 delta/op", "+Inf MB/s"))
    assert campaign.units == {"time": "ns", "p99-ns/op": "ns", "req/s": "req/s"}
    assert campaign.notes[0].startswith("the metric delta/op was left out: it is -1 for BenchmarkA")


NOISY = (
    HEAD
    + """BenchmarkSort
BenchmarkSort/8
BenchmarkSort/8-2     \tnoise of the program
more noise
   28168\t       276.6 ns/op
--- BENCH: BenchmarkSort/8-2
    m_test.go:6: 12 ns/op
BenchmarkBroken-2 \t--- FAIL: BenchmarkBroken-2
    m_test.go:7: broken
BenchmarkSort/16-2    \t     100\t       500 ns/op
FAIL
exit status 1
"""
)


def test_other_lines_and_failures_are_ignored(read):
    campaign = read(NOISY)
    assert campaign.points.tolist() == [[8], [16]]
    assert campaign.series["BenchmarkSort", "time"].tolist() == [[276.6], [500]]
    assert len(campaign.series) == 1


def events(package, *outputs):
    return "".join(
        json.dumps({"Time": "2026", "Action": "output", "Package": package, "Output": output}) + "\n"
        for output in outputs
    )


def test_results_in_json_events_are_joined(read):
    """A result may be split into two events, and events of packages that are tested in parallel alternate."""
    content = json.dumps({"Time": "2026", "Action": "start", "Package": "a"}) + "\n"
    content += events("a", "goos: linux\n", "BenchmarkA/8-2 \t")
    content += events("b", "pkg: b\n", "BenchmarkB/8-2 \t", "  10\t 7 ns/op\n")
    content += events("a", "  100\t  5 ns/op\n") + '{"Action":"pass"}\n{"Action":\n'
    campaign = read(content)
    assert campaign.series["BenchmarkA [pkg=a]", "time"].tolist() == [[5]]
    assert campaign.series["BenchmarkB [pkg=b]", "time"].tolist() == [[7]]


def test_packages_are_part_of_the_kernel(read):
    campaign = read(PLAIN + PLAIN.replace("example.org/sort", "example.org/tree"))
    kernels = {path for path, _ in campaign.series}
    assert kernels == {f"BenchmarkSort [kind=heap, pkg=example.org/{name}]" for name in ("sort", "tree")}
    assert "pkg" not in campaign.metadata


def test_output_without_results_is_refused(read):
    with pytest.raises(FormatError, match="found no result"):
        read(HEAD + "PASS\nok  \texample.org/sort\t0.1s\n")
