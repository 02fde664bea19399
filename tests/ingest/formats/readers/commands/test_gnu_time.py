"""Outputs of GNU time with -v."""

import pytest

from ingest.formats import FormatError, parse


def timed(command, elapsed="1:02.50", *, memory=2048, status=0):
    return f"""	Command being timed: "{command}"
	User time (seconds): 61.25
	System time (seconds): 0.00
	Percent of CPU this job got: 99%
	Elapsed (wall clock) time (h:mm:ss or m:ss): {elapsed}
	Average resident set size (kbytes): 0
	Maximum resident set size (kbytes): {memory}
	Major (requiring I/O) page faults: 0
	Minor (reclaiming a frame) page faults: 301
	Page size (bytes): 4096
	Exit status: {status}
"""


@pytest.fixture
def read(tmp_path):
    def read(*parts):
        path = tmp_path / "memory.txt"
        path.write_text("".join(parts))
        return parse(path)

    return read


def test_times_and_memory_are_metrics(read):
    campaign = read(timed("./sort"), timed("./sort", "1:00:00", memory=4096))
    assert campaign.format == "gnu-time"
    assert campaign.parameters == ("configuration",)
    assert campaign.series["main", "elapsed time"].tolist() == [[62.5, 3600]]
    assert campaign.series["main", "system time"].tolist() == [[0, 0]]
    assert campaign.series["main", "maximum resident set size"].tolist() == [[2 << 20, 4 << 20]]
    assert campaign.units["maximum resident set size"] == "B"
    assert ("main", "major page faults") not in campaign.series


def test_commands_name_parameters_and_kernels(read):
    campaign = read(*(timed(f"./sort -n {n} {kind}") for n in (8, 64) for kind in ("quick", "heap")))
    assert campaign.parameters == ("n",)
    assert campaign.points.tolist() == [[8], [64]]
    assert {kernel for kernel, _ in campaign.series} == {"main [arg1=quick]", "main [arg1=heap]"}


def test_runs_that_failed_are_left_out(read):
    campaign = read(
        timed("./sort", "0:01.00"),
        timed("./sort", "0:02.00", status=1),
        "Command terminated by signal 9\n",
        timed("./sort", "0:03.00"),
    )
    assert campaign.series["main", "elapsed time"].tolist() == [[1]]
    assert "2 runs that ended with an error were left out, the first in line 12" in campaign.notes


def test_an_output_without_successful_run_is_refused(read):
    with pytest.raises(FormatError, match="no run that succeeded"):
        read(timed("./sort", status=1))
