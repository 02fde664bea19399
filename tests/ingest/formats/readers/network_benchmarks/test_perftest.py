"""Outputs of perftest."""

import pytest

PERFTEST = """---------------------------------------------------------------------------------------
                    RDMA_Write BW Test
 Dual-port       : OFF          Device         : mlx5_0
 Number of qps   : 4            Transport type : IB
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[{unit}]    BW average[{unit}]   MsgRate[Mpps]
 2          5000             8.50               8.25               4.5
 65536      5000             12000.50           11900.25           0.18
---------------------------------------------------------------------------------------
"""
LATENCY = """                    RDMA_Read Latency Test
 #bytes #iterations  t_min[usec]  t_max[usec]  t_typical[usec]  t_avg[usec]  t_stdev[usec]  99%[usec]
 8       1000        1.50         4.50         1.75             1.80         0.10           2.00
"""


class TestPerftest:
    @pytest.mark.parametrize(("heading", "unit"), [("MB/sec", "MB/s"), ("Gb/sec", "Gb/s")])
    def test_it_works(self, read, heading, unit):
        campaign = read(PERFTEST.format(unit=heading))
        assert (campaign.format, campaign.parameters) == ("perftest", ("qps", "bytes"))
        assert campaign.series["RDMA_Write BW", "bandwidth"].tolist() == [[8.25], [11900.25]]
        assert campaign.series["RDMA_Write BW", "message rate"].tolist() == [[4.5e6], [0.18e6]]
        assert campaign.units["bandwidth"] == unit

    def test_of_latencies_the_typical_one_is_read(self, read):
        campaign = read(LATENCY)
        assert campaign.series["RDMA_Read Latency", "latency"].tolist() == [[1.75]]
