"""Outputs of the Parallel Research Kernels."""

import pytest

from ingest.formats import FormatError

STENCIL = """Parallel Research Kernels version 2.17
OpenMP stencil execution on 2D grid
Number of threads    = {threads}
Grid size            = 1000
Radius of stencil    = 2
Number of iterations = 10
{check}
Rate (MFlops/s): {rate}  Avg time (s): {time}
"""
TRANSPOSE = """srun -n 48 ./transpose-coarray 10 12000 32
Parallel Research Kernels version     2.16
Fortran coarray Matrix transpose: B = A^T
Number of images     =       48
Matrix order         =    {order}
Number of iterations =       10
Solution validates
Rate (MB/s):  8392.037250   Avg time (s):   0.274546
"""


def stencil(threads, time, check="Solution validates"):
    return STENCIL.format(threads=threads, rate=10 / time, time=time, check=check)


def test_it_works(read):
    campaign = read("".join(stencil(threads, 8 / threads) for threads in (1, 2, 2, 4)))
    assert campaign.format == "prk"
    assert campaign.parameters == ("threads", "grid", "radius")
    assert campaign.points.tolist() == [[1, 1000, 2], [2, 1000, 2], [4, 1000, 2]]
    assert campaign.series["OpenMP stencil execution on 2D grid", "time"][1].tolist() == [4, 4]
    assert campaign.units == {"time": "s", "rate": "MFLOPS"}


def test_the_name_ends_at_a_formula(read):
    campaign = read(TRANSPOSE.format(order=12000) + TRANSPOSE.format(order=24000))
    assert campaign.parameters == ("processes", "order")
    assert campaign.series["Fortran coarray Matrix transpose", "bandwidth"].tolist() == [[8392.03725]] * 2
    assert campaign.units == {"time": "s", "bandwidth": "MB/s"}


def test_a_wrong_solution_is_left_out(read):
    campaign = read(stencil(1, 8) + stencil(2, 4, check="ERROR: L1 norm = 2.0, Reference L1 norm = 8.0"))
    assert campaign.points.tolist() == [[1, 1000, 2]]
    assert campaign.notes[0].startswith("1 results that failed their check were left out")


def test_an_output_without_results_is_refused(read):
    with pytest.raises(FormatError, match="an output without results; expected a result such as “Rate"):
        read("Parallel Research Kernels version 2.17\nOpenMP stencil execution on 2D grid\n")
