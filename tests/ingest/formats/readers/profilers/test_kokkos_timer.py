"""Tables of the Kokkos tools' simple kernel timer."""

import pytest

from ingest.formats import FormatError

HEADING = (
    " (Type)   Total Time, Call Count, Avg. Time per Call, %Total Time in Kernels, %Total Program Time\n"
)
TABLE = f"""{HEADING}-------------------------------------------------------------------------

Regions:

- KokkosSparse::spmv[TPL_CUSPARSE,double]
 (REGION)   0.370761 1 0.370761 237417.404580 99.821166

-------------------------------------------------------------------------
Kernels:

- fill_crs
 (ParFor)   0.000056 2 0.000028 35.877863 0.015085
- Kokkos::View::initialization [row_ptr] via memset
 (ParRed)   0.000023 1 0.000023 14.809160 0.006226

-------------------------------------------------------------------------
Summary:

Total Execution Time (incl. Kokkos + non-Kokkos):                   0.37143 seconds
Total Time in Kokkos kernels:                                       0.00016 seconds
"""


def test_it_works(read):
    campaign = read(TABLE)
    assert campaign.format == "kokkos-timer"
    assert {key: values.tolist() for key, values in campaign.series.items()} == {
        ("KokkosSparse::spmv[TPL_CUSPARSE,double]", "time"): [[0.370761]],
        ("KokkosSparse::spmv[TPL_CUSPARSE,double]", "calls"): [[1]],
        ("fill_crs", "time"): [[0.000056]],
        ("fill_crs", "calls"): [[2]],
        ("Kokkos::View::initialization [row_ptr] via memset", "time"): [[0.000023]],
        ("Kokkos::View::initialization [row_ptr] via memset", "calls"): [[1]],
        ("main", "time"): [[0.37143]],
    }
    assert campaign.units == {"time": "s"}


def test_a_table_without_kernels_is_refused(read):
    with pytest.raises(FormatError, match="an output without results"):
        read(HEADING)
