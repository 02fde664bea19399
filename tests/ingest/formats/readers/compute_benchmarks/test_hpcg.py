"""Reports of HPCG."""

HPCG = """Final Summary
Machine Summary::Distributed Processes={processes}
Machine Summary::Threads per processes=2
Linear System Information::Number of Equations=1124864
Benchmark Time Summary::SpMV=7.5
Benchmark Time Summary::Total=60.25
GFLOP/s Summary::Raw SpMV=1.75
GFLOP/s Summary::Raw Total=1.5
GFLOP/s Summary::Total with convergence overhead=1.5
Final Summary::HPCG result is VALID with a GFLOP/s rating of=1.45
"""
HPCG_OF_NVIDIA = """HPCG-CUDA-Benchmark v1.0.0
start of application ({threads} OMP threads)...
4x2x1 process grid
8x8x16 local domain
progress = 1.2% 	 20.0 / 1800.0 sec elapsed 	 1780.0 sec remain 	 1.5 GF 	 0.2 GF_per
Total Time: 1.8025e+03 sec
4x2x1 process grid
8x8x16 local domain
SpMV  = 6000.5 GF (38000.3 GB/s Effective)  750.1 GF_per (4750.0 GB/s Effective)
SymGS = 8000.5 GF (62000.2 GB/s Effective)  1000.1 GF_per (7750.0 GB/s Effective)
total = 7000.5 GF (55000.8 GB/s Effective)  875.1 GF_per (6875.1 GB/s Effective)
final = 6500.5 GF (49000.5 GB/s Effective)  812.6 GF_per (6125.1 GB/s Effective)
"""


def test_hpcg(read):
    campaign = read(HPCG.format(processes=4) + HPCG.format(processes=8))
    assert (campaign.format, campaign.parameters) == ("hpcg", ("processes", "threads", "equations"))
    assert campaign.points.tolist() == [[4, 2, 1124864], [8, 2, 1124864]]
    assert campaign.series["main", "time"].tolist() == [[60.25], [60.25]]
    assert campaign.series["main->SpMV", "rate"].tolist() == [[1.75], [1.75]]
    assert campaign.series["main", "rating"].tolist() == [[1.45], [1.45]]


def test_hpcg_of_nvidia(read):
    campaign = read(HPCG_OF_NVIDIA.format(threads=1) + HPCG_OF_NVIDIA.format(threads=2))
    assert (campaign.format, campaign.parameters) == ("hpcg", ("threads", "processes", "equations"))
    assert campaign.points.tolist() == [[1, 8, 8192], [2, 8, 8192]]
    assert campaign.series["main", "time"].tolist() == [[1802.5], [1802.5]]
    assert campaign.series["main", "rate"].tolist() == [[7000.5], [7000.5]]
    assert campaign.series["main", "rating"].tolist() == [[6500.5], [6500.5]]
    assert campaign.series["main->SymGS", "rate"].tolist() == [[8000.5], [8000.5]]


def test_hpcg_of_a_gpu_version_has_its_report_far_below(read):
    iterations = "".join(f"Iteration = {step}   Scaled Residual = 0.{step}\n" for step in range(3000))
    campaign = read("HPCG-NVIDIA 25.4.0  -- NVIDIA accelerated\n" + iterations + HPCG.format(processes=4))
    assert campaign.format == "hpcg"
    assert "processes" in campaign.parameters
