"""Outputs of HPL-MxP."""

import pytest

from ingest.formats import FormatError


def result(n, lu="2.5e+06", verdict="PASSED"):
    return f""" ****** HPL MxP Result    ******
   Threshold     . . . . . . . . . . . . . . . . .          =    1.600000E+01
 ||Ax-b||_oo / (EPS * (||A||_oo * ||x||_oo + ||b||_oo) * N) =    5.599413E-04 ...... {verdict}

   N = {n}, NB = 1024, NPROW = 4, NPCOL = 2, SLOPPY-TYPE = 2
      GFLOPS = 4.25e+05, per GPU =   53125.00 ------ The HPL-MxP performance to report
   LU GFLOPS = {lu}, per GPU =  312500.00 ------ The performance excluding the iterative solver part
"""


def test_it_works(read):
    campaign = read(result(64000) + result(128000, lu="2.75e+06"))
    assert (campaign.format, campaign.units) == ("hpl-mxp", {"rate": "GFLOPS"})
    assert campaign.parameters == ("N", "NB", "P", "Q", "sloppy_type")
    assert campaign.points.tolist() == [[64000, 1024, 4, 2, 2], [128000, 1024, 4, 2, 2]]
    assert campaign.series["main", "rate"].tolist() == [[4.25e5], [4.25e5]]
    assert campaign.series["main->LU", "rate"].tolist() == [[2.5e6], [2.75e6]]


def test_a_result_that_failed_its_check_is_left_out(read):
    campaign = read(result(64000) + result(128000, verdict="FAILED"))
    assert campaign.points[:, 0].tolist() == [64000]
    with pytest.raises(FormatError, match="a residual that passed its check"):
        read(result(64000, verdict="FAILED"))
