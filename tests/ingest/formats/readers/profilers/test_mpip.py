"""Reports of mpiP."""

import pytest

from ingest.formats import FormatError

REPORT = """@ mpiP
@ Command : ./amg -P 4 2 2 -n 50 50 50
@ Version                  : 3.5.0
{assignments}
---------------------------------------------------------------------------
@--- MPI Time (seconds) ---------------------------------------------------
---------------------------------------------------------------------------
Task    AppTime    MPITime     MPI%
   0       9.51      0.168     1.76
   1       9.51      0.228     2.40
   *         19      0.396     2.06
---------------------------------------------------------------------------
@--- Aggregate Time (top twenty, descending, milliseconds) ----------------
---------------------------------------------------------------------------
Call                 Site       Time    App%    MPI%      Count    COV
Isend                  25        926    1.45   16.06      71742   0.20
Irecv                  55        915    1.43   15.86      71742   0.19
Isend                 112        174    0.27    2.99      13332   0.22
@--- Aggregate Sent Message Size (top twenty, descending, bytes) ----------
Call                 Site      Count      Total       Avrg  Sent%
Isend                  25      71742   1.47e+08   2.04e+03  63.34
@--- Callsite Time statistics (all, milliseconds): 807 --------------------
Name              Site Rank  Count      Max     Mean      Min   App%   MPI%
Isend               25    0      1   0.0138   0.0138   0.0138   0.00   0.01
"""


def report(ranks):
    return REPORT.format(
        assignments="\n".join(f"@ MPI Task Assignment      : {rank} node{rank}" for rank in range(ranks))
    )


def test_it_works(read):
    campaign = read(report(2) + report(4))
    assert campaign.format == "mpip"
    assert (campaign.parameters, campaign.points.tolist()) == (("processes",), [[2], [4]])
    assert {key: values[0].tolist() for key, values in campaign.series.items()} == {
        ("main", "total time"): [19],
        ("main", "MPI time"): [0.396],
        ("main->MPI->Isend", "total time"): [pytest.approx(1.1)],
        ("main->MPI->Isend", "calls"): [85074],
        ("main->MPI->Irecv", "total time"): [0.915],
        ("main->MPI->Irecv", "calls"): [71742],
    }
    assert campaign.units == {"total time": "s", "MPI time": "s"}


def test_a_report_without_times_is_refused(read):
    with pytest.raises(FormatError, match="an output without results"):
        read("@ mpiP\n@ Command : ./amg\n")
