"""Summaries that Nsight Systems prints."""

import pytest

from ingest.formats import FormatError

NEW = """Processing [report.sqlite] with [cuda_api_sum.py]...

 ** CUDA API Summary (cuda_api_sum):

 Time (%)  Total Time (ns)  Num Calls  Avg (ns)  Med (ns)  Min (ns)  Max (ns)  StdDev (ns)          Name
 --------  ---------------  ---------  --------  --------  --------  --------  -----------  ----------------
     43.2       2613668540     475600    5495.5    4817.0      2862   4363365      12894.5  cudaMemcpyAsync
     27.5       1662288454     253800    6549.6    5948.0      3283   4718368      11992.5  cudaLaunchKernel

 ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):

 Time (%)  Total Time (ns)  Instances  Avg (ns)  Med (ns)  Min (ns)  Max (ns)  StdDev (ns)  Name
 --------  ---------------  ---------  --------  --------  --------  --------  -----------  --------------
     20.8         75339544      51200    1471.5    1472.0      1440      1696         17.4  void sum<int>(at…
     19.7         71428805      51200    1395.1    1408.0      1376      1504         16.4  void sum<int>(at…
      0.2           835040        200    4175.2    4160.0      4128      4256         20.3  saxpy

 ** CUDA GPU MemOps Summary (by Size) (cuda_gpu_mem_size_sum):

 Total (MB)  Count  Avg (MB)  Med (MB)  Min (MB)  Max (MB)  StdDev (MB)      Operation
 ----------  -----  --------  --------  --------  --------  -----------  ------------------
    150.610     74     2.035     2.097     0.004     2.097        0.333  [CUDA memcpy HtoD]

 ** NVTX Range Summary (nvtx_sum):

 Time (%)  Total Time (ns)  Instances   Avg (ns)    Med (ns)   Min (ns)  Max (ns)   StdDev (ns)  Style   Range
 --------  ---------------  ---------  ----------  ----------  --------  --------  -------  ----
     39.6  7024131684  200  35120658.4  34964530.5  27930154  53978489  3840026.4 PushPop  :combine
"""
OLD = """CUDA Kernel Statistics:

 Time(%)  Total Time (ns)  Instances     Average      Minimum     Maximum   Name
 -------  ---------------  ---------  -------------  ----------  ---------- ----
    80.8    4,261,112,682          1  4,261,112,682  4,261,112,682  4,261,112,682  join(int *, int)

CUDA Memory Operation Statistics (by time):

 Time(%)  Total Time (ns)  Operations  Average  Minimum  Maximum   Operation
 -------  ---------------  ----------  -------  -------  -------   ---------
    91.0       11,550,832          74  156,092      801  198,559   [CUDA memcpy DtoH]
"""


def test_times_and_calls_have_the_names_of_the_exported_database(read):
    campaign = read(NEW)
    assert campaign.format == "nsight-systems-stats"
    assert {key: values.tolist() for key, values in campaign.series.items()} == {
        ("CUDA API->cudaMemcpyAsync", "time"): [[2613668540]],
        ("CUDA API->cudaMemcpyAsync", "calls"): [[475600]],
        ("CUDA API->cudaLaunchKernel", "time"): [[1662288454]],
        ("CUDA API->cudaLaunchKernel", "calls"): [[253800]],
        ("GPU kernels->void sum<int>(at…", "time"): [[75339544 + 71428805]],
        ("GPU kernels->void sum<int>(at…", "calls"): [[102400]],
        ("GPU kernels->saxpy", "time"): [[835040]],
        ("GPU kernels->saxpy", "calls"): [[200]],
        ("NVTX->:combine", "time"): [[7024131684]],
        ("NVTX->:combine", "calls"): [[200]],
    }
    assert campaign.units == {"time": "ns"}


def test_commas_and_titles_of_older_versions_are_read(read):
    campaign = read(OLD)
    assert campaign.series["GPU kernels->join(int *, int)", "time"].tolist() == [[4261112682]]
    assert campaign.series["memory copies->[CUDA memcpy DtoH]", "calls"].tolist() == [[74]]


def test_two_reports_in_one_file_are_repetitions(read):
    assert read(NEW + NEW).series["GPU kernels->saxpy", "time"].tolist() == [[835040, 835040]]


def test_other_units_of_time_are_not_mistaken_for_nanoseconds(read):
    with pytest.raises(FormatError, match="not recognised"):
        read(OLD.replace("(ns)", "(ms)"))
