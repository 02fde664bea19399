"""Outputs of CloverLeaf."""

import pytest

from ingest.formats import FormatError


def clover(tasks, *clocks, end="Calculation complete\nClover is finishing\n"):
    steps = "".join(f" Step {step}\n Wall clock  {clock}\n" for step, clock in enumerate(clocks[:-1]))
    counts = f" Task Count  {tasks}\nThread Count:  2\n x_cells 960\n y_cells 480\n"
    return (
        f"Clover Version 1.300\n{counts}{steps} {end} Wall clock  {clocks[-1]}\n First step overhead 0.01\n"
    )


def test_cloverleaf_has_the_time_of_a_finished_run(read):
    passed = "This test is considered PASSED\n"
    campaign = read(clover(4, 0.1, 0.2, 0.25) + clover(8, 0.1, "0.15E+00", end=passed))
    assert campaign.format == "cloverleaf"
    assert campaign.parameters == ("processes", "threads", "x_cells", "y_cells")
    assert campaign.series["main", "time"].tolist() == [[0.25], [0.15]]


def test_cloverleaf_without_an_end_is_refused(read):
    with pytest.raises(FormatError, match="an output without results; expected “Wall clock"):
        read(clover(4, 0.1, 0.2, end="Step 3\n"))
