"""Outputs of IOR."""

IOR = """IOR-4.0.0: MPI Coordinated Test of Parallel I/O
Options:
nodes               : 2
tasks               : 16
Results:

access  bw(MiB/s)  IOPS  Latency(s)  block(KiB) xfer(KiB)  open(s)  wr/rd(s)  close(s)  total(s)  iter
------  ---------  ----  ----------  ---------- ---------  --------  --------  --------  --------  ----
write  1200.50  1201.00  0.0131  16384  1024.00  0.0021  0.2001  0.0004  0.2133  0
write  1100.50  1101.00  0.0141  16384  1024.00  0.0022  0.2201  0.0004  0.2333  1
read  5400  5401  0.0029  16384  1024.00  0.0011  0.0402  0.0002  0.0474  0
Max Write: 1200.50 MiB/sec (1258.82 MB/sec)
"""


def test_ior(read):
    campaign = read(IOR)
    assert campaign.parameters == ("nodes", "tasks", "block_KiB", "transfer_KiB")
    assert campaign.points.tolist() == [[2, 16, 16384, 1024]]
    assert campaign.series["write", "bandwidth"].tolist() == [[1200.5, 1100.5]]
    assert campaign.series["read", "time"][0, 0] == 0.0474
    assert campaign.units["bandwidth"] == "MiB/s"
    assert ("write", "iter") not in campaign.series
