"""Times that a shell prints behind a program's output."""

import pytest

from ingest.formats import FormatError

BASH = "\nreal\t1m2.500s\nuser\t4m1.250s\nsys\t0m0.000s\n"
POSIX = "real 62.50\nuser 241.25\nsys 0.00\n"
GERMAN = BASH.replace(".", ",")
ZSH = "./solver 1024  241.25s user 0.00s system 386% cpu 1:02.50 total\n"
GNU = "241.25user 0.00system 1:02.50elapsed 386%CPU (0avgtext+0avgdata 2048maxresident)k\n0inputs+0outputs\n"


@pytest.mark.parametrize("text", [BASH, POSIX, GERMAN, ZSH, GNU])
@pytest.mark.parametrize("above", ["", "Running with 8 threads\nchecksum 1234 is correct\n"])
def test_times_of_shells_are_read(read, text, above):
    campaign = read(above + text)
    assert campaign.format == "shell-time"
    found = {metric: values.tolist() for (_, metric), values in campaign.series.items()}
    memory = {"maximum resident set size": [[2048 * 1024]]} if text == GNU else {}
    assert found == {"elapsed time": [[62.5]], "user time": [[241.25]], "system time": [[0]], **memory}
    assert campaign.units["elapsed time"] == "s"


def test_similar_times_are_repetitions(read):
    campaign = read(BASH + BASH.replace("2.500", "3.500"))
    assert campaign.series["main", "elapsed time"].tolist() == [[62.5, 63.5]]
    assert "2 times were read as repetitions" in campaign.notes


def test_times_of_a_sweep_are_refused(read):
    """A script that runs 1, 2 and 4 threads prints three times, without saying so."""
    with pytest.raises(FormatError, match=r"2 times from 31\.2 to 62\.5 s") as error:
        read(BASH + POSIX.replace("62.50", "31.20"))
    assert "p=64" in error.value.expected


def test_results_of_the_program_come_first(read):
    campaign = read("Processes: 8\nTotal time: 60.5 s\n" + BASH)
    assert campaign.format == "named-values"
