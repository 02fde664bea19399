"""Outputs of nccl-tests."""

NCCL = """# Collective test starting: {test}
# nThread 1 nGpus 1 minBytes 8 maxBytes 1024 step: 2(factor) warmup iters: 5 iters: 20
# Using devices
{ranks}#
#   size  count   type  redop  root    time   algbw   busbw  #wrong    time   algbw   busbw  #wrong
#    (B)  (elements)                   (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
    1024    256  float    sum    -1   46.50   22.50   39.50       0   49.50   21.50   37.50     N/A
    2048    512  float    sum    -1   50.50   42.50   75.50       0   51.50   41.50   73.50     N/A
# Avg bus bandwidth    : 56.5
"""


def test_nccl_tests(read):
    texts = []
    for gpus in (2, 4):
        ranks = "".join(
            f"#  Rank  {rank} Pid 7{rank} on node{rank} device 0 [0x1b] GPU\n" for rank in range(gpus)
        )
        texts += [NCCL.format(test=test, ranks=ranks) for test in ("all_reduce_perf", "broadcast_perf")]
    campaign = read("".join(texts))
    assert (campaign.format, campaign.parameters) == ("nccl-tests", ("gpus", "bytes"))
    assert campaign.points.tolist() == [[2, 1024], [2, 2048], [4, 1024], [4, 2048]]
    assert {kernel for kernel, _ in campaign.series} == {"all_reduce_perf", "broadcast_perf"}
    assert campaign.series["all_reduce_perf", "time"].tolist() == [[46.5], [50.5], [46.5], [50.5]]
    assert campaign.series["broadcast_perf", "in_place_busbw"][1].tolist() == [73.5]
    assert campaign.units["time"] == "us"
