"""Summaries of nvprof."""

import pytest

from ingest.formats import FormatError

HEADING = "            Type  Time(%)      Time     Calls       Avg       Min       Max  Name\n"
SUMMARY = f"""==60450== NVPROF is profiling process 60450, command: ./app 1
Total duration: 1242.88ms
==60450== Profiling application: ./app 1
==60450== Profiling result:
{HEADING} GPU activities:   31.76%  350.25ms       123  2.8476ms  2.8402ms  2.9741ms  erode(int, float*)
                   31.72%  1.50000s       122  2.8445ms  2.8413ms  2.8590ms  dilate(int)
                    0.17%  1.8712us         1  15.090us  14.943us  15.488us  [CUDA memcpy HtoD]
      API calls:   75.57%  1.09890s       248  4.4310ms  9.4250us  8.6302ms  cudaMemcpy
                    0.00%     341ns         1     341ns     341ns     341ns  cuDeviceGetUuid
"""


def test_it_works(read):
    campaign = read(SUMMARY)
    assert campaign.format == "nvprof"
    times = {
        kernel: values.item() for (kernel, metric), values in campaign.series.items() if metric == "time"
    }
    assert times == pytest.approx(
        {
            "GPU activities->erode(int, float*)": 0.35025,
            "GPU activities->dilate(int)": 1.5,
            "GPU activities->[CUDA memcpy HtoD]": 1.8712e-6,
            "API calls->cudaMemcpy": 1.0989,
            "API calls->cuDeviceGetUuid": 341e-9,
        }
    )
    assert campaign.series["GPU activities->dilate(int)", "calls"].tolist() == [[122]]
    assert campaign.units == {"time": "s", "calls": ""}


def test_summaries_of_several_processes_are_repetitions(read):
    campaign = read(SUMMARY + SUMMARY)
    assert campaign.series["API calls->cudaMemcpy", "time"].tolist() == [[1.0989, 1.0989]]


def test_old_versions_name_the_kind_above_the_table(read):
    heading = "Time(%)      Time     Calls       Avg       Min       Max  Name\n"
    campaign = read(
        f"==1== Profiling result:\n{heading} 60.00%  6.0000us         1  6.0us  6.0us  6.0us  saxpy(int)\n\n"
        f"==1== API calls:\n{heading} 90.00%  9.0000us         1  9.0us  9.0us  9.0us  cudaFree\n"
    )
    assert {kernel for kernel, _ in campaign.series} == {"GPU activities->saxpy(int)", "API calls->cudaFree"}


def test_a_summary_without_activities_is_refused(read):
    with pytest.raises(FormatError, match="no results"):
        read(HEADING)
