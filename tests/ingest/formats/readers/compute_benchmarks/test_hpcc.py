"""Outputs of the HPC Challenge benchmark."""

HPCC = """This is the DARPA/DOE HPC Challenge Benchmark version 1.5.0 October 2012
WALL 500 500  80  80   2   2     1.90 PASSED    2.323  0.00
WR11C2R4       1000    80     2     2             506.08              1.368e+02
Begin of Summary section.
Success=1
CommWorldProcs={processes}
HPL_Tflops=0.25
HPL_time=506.5
HPL_N=1000
PTRANS_GBs=2.5
MPIRandomAccess_GUPs=0.004
MPIFFT_time0=1.9e-06
StarSTREAM_Triad=3.5
MinPingPongLatency_usec=0.75
MaxPingPongBandwidth_GBytes=14.5
omp_get_max_threads=0
End of Summary section.
StarDGEMM_Gflops=1
"""


def test_hpcc_is_read_from_its_summary(read):
    campaign = read(HPCC.format(processes=4) + HPCC.format(processes=8))
    assert (campaign.format, campaign.parameters) == ("hpcc", ("processes", "N"))
    assert campaign.points.tolist() == [[4, 1000], [8, 1000]]
    assert {key: values[0].tolist() for key, values in campaign.series.items()} == {
        ("HPL", "Tflops"): [0.25],
        ("HPL", "time"): [506.5],
        ("PTRANS", "bandwidth"): [2.5],
        ("MPIRandomAccess", "GUPs"): [0.004],
        ("StarSTREAM->Triad", "bandwidth"): [3.5],
        ("MinPingPongLatency", "latency"): [0.75],
        ("MaxPingPongBandwidth", "bandwidth"): [14.5],
    }
    assert campaign.units["bandwidth"] == "GB/s"
