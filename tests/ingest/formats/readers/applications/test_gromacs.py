"""Logs of GROMACS."""

import pytest

from ingest.formats import FormatError

LOG = """                      :-) GROMACS - gmx mdrun, 2023.3 (-:
Log file opened on Mon Nov 23 10:00:00 2026
Running on 2 nodes with total 64 cores

     R E A L   C Y C L E   A N D   T I M E   A C C O U N T I N G

{ranks}

 Activity:              Num   Num      Call    Wall time         Giga-Cycles
                        Ranks Threads  Count      (s)         total sum    %
-----------------------------------------------------------------------------
 Domain decomp.           32    2        400       2.500        488.933   2.8
 Wait + Comm. F           32    2      16000       1.250        236.240   1.4
 Rest                                              0.451         86.323   0.5
-----------------------------------------------------------------------------
 Total                                            90.250      17291.536 100.0

               Core t (s)   Wall t (s)        (%)
       Time:     5776.000       {wall}     6400.0
                 (ns/day)    (hour/ns)
Performance:       76.500        0.313
Finished mdrun on rank 0 Mon Nov 23 10:05:00 2026
"""


def log(ranks="On 32 MPI ranks, each using 2 OpenMP threads", wall="90.250"):
    return LOG.format(ranks=ranks, wall=wall)


def test_it_works(read):
    campaign = read(log() + log(wall="91.500"))
    assert (campaign.format, campaign.parameters) == ("gromacs", ("processes", "threads"))
    assert campaign.points.tolist() == [[32, 2]]
    assert campaign.series["main", "time"].tolist() == [[90.25, 91.5]]
    assert campaign.series["main->Wait + Comm. F", "time"].tolist() == [[1.25, 1.25]]
    assert campaign.series["main", "performance"].tolist() == [[76.5, 76.5]]
    assert campaign.units == {"time": "s", "performance": "ns/day"}


@pytest.mark.parametrize(
    ("ranks", "point"),
    [
        (
            "On 24 MPI ranks doing PP, each using 2 OpenMP threads, and\n"
            "on 8 MPI ranks doing PME, each using 2 OpenMP threads",
            [32, 2],
        ),
        ("On 4 MPI ranks", [4, 1]),
        ("On 6 OpenMP threads", [1, 6]),
    ],
)
def test_ranks_and_threads_are_parameters(read, ranks, point):
    assert read(log(ranks)).points.tolist() == [point]


def test_a_log_without_accounting_is_refused(read):
    with pytest.raises(FormatError, match="an output without results; expected the time of a finished run"):
        read(log().partition("R E A L")[0])
