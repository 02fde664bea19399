"""Outputs of likwid-bench."""

LIKWID_BENCH = """--------------------------------------------------------------------------------
LIKWID MICRO BENCHMARK
Test: {test}
--------------------------------------------------------------------------------
Using 1 work groups
Using {threads} threads
--------------------------------------------------------------------------------
Cycles:			3263748192
Time:			1.422331e+00 sec
Size (Byte):		2000000000
MFlops/s:		{rate}
MByte/s:		22498.25
Cycles per update:	3.25
"""


def test_likwid_bench_without_the_time_that_it_chooses(read):
    runs = [("copy", 1, 0), ("copy", 2, 0), ("triad_avx", 1, 1406.25)]
    campaign = read("".join(LIKWID_BENCH.format(test=test, threads=t, rate=r) for test, t, r in runs))
    assert (campaign.format, campaign.parameters) == ("likwid-bench", ("threads", "size_B"))
    assert campaign.points.tolist() == [[1, 2e9], [2, 2e9]]
    assert campaign.series["copy", "bandwidth"].tolist() == [[22498.25], [22498.25]]
    assert campaign.series["triad_avx", "rate"][0].tolist() == [1406.25]
    assert {metric for _, metric in campaign.series} == {"rate", "bandwidth", "cycles per update"}
