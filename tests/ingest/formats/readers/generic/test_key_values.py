"""Outputs that print several names and values in a line."""

import pytest

from ingest.formats import FormatError


@pytest.mark.parametrize(
    "line",
    [
        "ranks={p} grid=64x64 time={t} throughput_cells={p}",
        "RESULT: ranks={p} grid=64x64 time={t} throughput_cells={p}",
        "[node 3] ranks={p}, grid=64x64, time={t}, throughput_cells={p}",
        "ranks: {p}, grid: 64x64, time: {t} seconds, throughput_cells: {p}",
        "ranks = {p} | grid = 64x64 | time = {t} s | throughput_cells = {p}",
    ],
)
def test_each_line_is_a_run(read, line):
    lines = (line.format(p=p, t=t) for p, t in ((2, 9.5), (4, 5.5), (4, 5.25)))
    campaign = read("reading input\n" + "\nstep done\n".join(lines) + "\n")
    assert (campaign.format, campaign.parameters) == ("key-values", ("ranks",))
    assert campaign.metadata == {"grid": "64x64"}
    assert campaign.series["main", "time"][1].tolist() == [5.5, 5.25]
    assert {metric for _, metric in campaign.series} == {"time", "throughput_cells"}


def test_a_text_that_varies_is_part_of_the_kernel(read):
    campaign = read("solver=cg n=8 time=1.5\nsolver=gmres n=8 time=2.5\n")
    assert {kernel for kernel, _ in campaign.series} == {"main [solver=cg]", "main [solver=gmres]"}


@pytest.mark.parametrize(
    "text",
    [
        "iteration=5 residual=1e-3 time=0.5\n",  # nothing says what was run
        "step=5 time=0.5\nstep=6 time=0.75\n",
        "state 2 density=1.0 energy=2.5 xmin=0.0\n",
        "export THREADS=4 TIME_LIMIT=30\n",
        "time: 12:30, place: room 4\n",
        "x=1, y=2\n",
    ],
)
def test_other_lines_are_not_read(read, text):
    with pytest.raises(FormatError, match="that was not recognised"):
        read(text)


def test_lines_of_another_kind_are_left_out(read):
    campaign = read("n=8 time=1.5\nstep=3 n=9\nn=16 time=2.5\n" + "other output\n" * 30)
    assert campaign.points.tolist() == [[8], [16]]
