"""Summaries of IPM, at the end of a job's output."""

import pytest

from ingest.formats import FormatError

SUMMARY = """Step 100 done
##IPMv2.0.6########################################################
#
# command   : ./myexe
# start     : Mon Oct 05 19:08:19 2020   host      : r07c01.bullx
# stop      : Mon Oct 05 19:08:24 2020   wallclock : 5.35
# mpi_tasks : {tasks} on 2 nodes              %comm     : 12.72
#
#           :       [total]        <avg>          min          max
# wallclock :        213.01         5.33         5.32         5.35
# MPI       :         27.08         0.68         0.66         0.70
#
#                             [time]        [count]        <%wall>
# MPI_Alltoall                 26.94            400          12.65
# MPI_Barrier                   0.11             40           0.05
#
###################################################################
"""


def test_it_works(read):
    campaign = read(SUMMARY.format(tasks=40) + SUMMARY.format(tasks=80))
    assert campaign.format == "ipm"
    assert (campaign.parameters, campaign.points.tolist()) == (("processes", "nodes"), [[40, 2], [80, 2]])
    assert {key: values[0].tolist() for key, values in campaign.series.items()} == {
        ("main", "time"): [5.35],
        ("main->MPI_Alltoall", "total time"): [26.94],
        ("main->MPI_Alltoall", "calls"): [400],
        ("main->MPI_Barrier", "total time"): [0.11],
        ("main->MPI_Barrier", "calls"): [40],
    }
    assert campaign.units == {"time": "s", "total time": "s"}


def test_an_empty_summary_is_refused(read):
    with pytest.raises(FormatError, match="an output without results"):
        read("##IPMv2.0.6#####\n# command   : ./myexe\n")
