"""Times of the RAJA Performance Suite."""

import pytest

from ingest.formats import FormatError

TIMES = """{} Runtime Report (sec.)  ,  ,  ,
Kernel            , Base_Seq , Base_Seq , RAJA_OpenMP
Kernel            , default  , library  , default
Basic_DAXPY       , 28.156356 ,  Not run ,  7.5
Basic_IF_QUAD     , 43.0 ,  Not run ,  Not run
"""


def test_it_works(read):
    campaign = read(TIMES.format("Mean"))
    assert campaign.format == "rajaperf"
    assert {key: values.tolist() for key, values in campaign.series.items()} == {
        ("Basic_DAXPY [variant=Base_Seq, tuning=default]", "time"): [[28.156356]],
        ("Basic_DAXPY [variant=RAJA_OpenMP, tuning=default]", "time"): [[7.5]],
        ("Basic_IF_QUAD [variant=Base_Seq, tuning=default]", "time"): [[43]],
    }
    assert campaign.units == {"time": "s"}


def test_old_reports_have_no_tunings(read):
    campaign = read("Mean Runtime Report (sec.) ,\nKernel , Base_Seq\nBasic_DAXPY , 1.5\n")
    assert list(campaign.series) == [("Basic_DAXPY [variant=Base_Seq]", "time")]


def test_extremes_are_metrics_of_their_own(read):
    campaign = read(TIMES.format("Min") + TIMES.format("Mean"))
    assert {metric for _, metric in campaign.series} == {"min time", "time"}
    assert campaign.units == {"time": "s", "min time": "s"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Mean Speedup Report (T_ref/T_var): ref var = Base_Seq ,  ,\n", "line 1: .* computed from times"),
        ("FOM Report : signed speedup(-)/slowdown(+) ,  ,\n", "line 1: .* computed from times"),
        (TIMES.format("Mean").replace("7.5", "fast"), "line 4: found “fast”; expected a number"),
        (
            "Mean Runtime Report (sec.)\nBasic_DAXPY , 1.5\n",
            "line 2: found a row of 2 cells; expected a line",
        ),
        (TIMES.format("Mean") + "Basic_MULADDSUB , 1.5\n", "line 6: found a row of 2 cells"),
    ],
)
def test_other_reports_and_wrong_rows_are_refused(read, text, message):
    with pytest.raises(FormatError, match=message):
        read(text)
