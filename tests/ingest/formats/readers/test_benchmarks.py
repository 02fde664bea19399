"""Printed outputs of benchmarks, from STREAM to cargo bench, and of gprof."""

import pytest

from ingest.formats import FormatError

STREAM = """-------------------------------------------------------------
STREAM version $Revision: 5.10 $
Array size = 80000000 (elements), Offset = 0 (elements)
Number of Threads requested = 16
Number of Threads counted = 16
Function    Best Rate MB/s  Avg time     Min time     Max time
Copy:           91000.5     0.014100     0.014000     0.014400
Triad:          88000.0     0.022100     0.021900     0.022600
Solution Validates: avg error less than 1.000000e-13 on all three arrays
"""
BABELSTREAM = """BabelStream
Version: 5.0
Number of elements: 33554432
Function    MBytes/sec  Min (sec)   Max         Average
Copy        553000.6    0.00097     0.00101     0.00098
Dot         181000.1    0.00296     0.00298     0.00297
"""
NPB = """ NAS Parallel Benchmarks 3.4 -- {name} Benchmark

 {name} Benchmark Completed.
 Class           =                        B
 Size            =            {size}
 Iterations      =                       75
 Time in seconds =                   {time}
 Total processes =                 {processes}
 Mop/s total     =                  5000.50
 Mop/s/process   =                   312.53
 Verification    =             {verification}
"""
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
GPROF = """Flat profile:

Each sample counts as 0.01 seconds.
  %   cumulative   self              self     total
 time   seconds   seconds    calls  ms/call  ms/call  name
 75.00      1.50     1.50      100    15.00    20.00  Solver::step(double*, int)
 25.00      2.00     0.25                             main
  0.00      2.00     0.25                             main

 %         the percentage of the total running time of the
time       program used by this function.

\t\t     Call graph (explanation follows)

index % time    self  children    called     name
[1]    100.0    0.00    2.00                 main [1]
                1.50    0.50     100/100         Solver::step(double*, int) [2]
"""
RUST = """running 3 tests
test parse::small  ... bench:       1,234.5 ns/iter (+/- 24) = 120 MB/s
test parse::large  ... bench:          12 us/iter (+/- 1)
test wait          ... bench:        2835 cycles/iter (+/- 14)
test helper ... ignored
"""


def test_stream(read):
    campaign = read(STREAM + STREAM.replace("91000.5", "90000"))
    assert (campaign.format, campaign.parameters) == ("stream", ("elements", "threads"))
    assert campaign.points.tolist() == [[80000000, 16]]
    assert campaign.series["Copy", "bandwidth"].tolist() == [[91000.5, 90000]]
    assert campaign.series["Triad", "time"].tolist() == [[0.0221, 0.0221]]
    assert campaign.units == {"bandwidth": "MB/s", "time": "s"}


def test_the_average_of_babelstream_is_in_the_last_column(read):
    campaign = read(BABELSTREAM)
    assert campaign.parameters == ("elements",)
    assert campaign.series["Copy", "time"].tolist() == [[0.00098]]
    assert campaign.series["Dot", "bandwidth"].tolist() == [[181000.1]]


def report(name="CG", size="75000", time="12.50", processes="16", verification="SUCCESSFUL"):
    return NPB.format(**locals())


def test_reports_of_nas_benchmarks_are_read(read):
    campaign = read(report() + report(processes="32", time="7.25") + report("BT", "102x 102x 102"))
    assert (campaign.format, campaign.parameters) == ("npb", ("size", "processes"))
    assert campaign.points.tolist() == [[75000, 16], [75000, 32], [102**3, 16]]
    assert campaign.series["CG", "time"][:2].tolist() == [[12.5], [7.25]]
    assert campaign.series["BT", "rate"][2].tolist() == [5000.5]
    assert campaign.units == {"time": "s", "rate": "Mop/s"}


def test_a_benchmark_whose_verification_failed_is_left_out(read):
    campaign = read(report(time="1.00", verification="UNSUCCESSFUL") + report())
    assert campaign.series["CG", "time"].tolist() == [[12.5]]


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


def test_gprof(read):
    campaign = read(GPROF + GPROF.replace("1.50     1.50", "1.60     1.60"))
    assert campaign.format == "gprof"
    assert {key: values.tolist() for key, values in campaign.series.items()} == {
        ("Solver::step(double*, int)", "self time"): [[1.5, 1.6]],
        ("Solver::step(double*, int)", "calls"): [[100, 100]],
        ("main", "self time"): [[0.5, 0.5]],
    }
    assert campaign.units == {"self time": "s"}


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


def test_likwid_bench_without_the_time_that_it_chooses(read):
    runs = [("copy", 1, 0), ("copy", 2, 0), ("triad_avx", 1, 1406.25)]
    campaign = read("".join(LIKWID_BENCH.format(test=test, threads=t, rate=r) for test, t, r in runs))
    assert (campaign.format, campaign.parameters) == ("likwid-bench", ("threads", "size_B"))
    assert campaign.points.tolist() == [[1, 2e9], [2, 2e9]]
    assert campaign.series["copy", "bandwidth"].tolist() == [[22498.25], [22498.25]]
    assert campaign.series["triad_avx", "rate"][0].tolist() == [1406.25]
    assert {metric for _, metric in campaign.series} == {"rate", "bandwidth", "cycles per update"}


def test_ior(read):
    campaign = read(IOR)
    assert campaign.parameters == ("nodes", "tasks", "block_KiB", "transfer_KiB")
    assert campaign.points.tolist() == [[2, 16, 16384, 1024]]
    assert campaign.series["write", "bandwidth"].tolist() == [[1200.5, 1100.5]]
    assert campaign.series["read", "time"][0, 0] == 0.0474
    assert campaign.units["bandwidth"] == "MiB/s"
    assert ("write", "iter") not in campaign.series


def test_cargo_bench(read):
    campaign = read(RUST)
    assert {key: values[0, 0] for key, values in campaign.series.items()} == {
        ("parse->small", "time"): 1234.5,
        ("parse->small", "throughput"): 120,
        ("parse->large", "time"): 12000,
        ("wait", "cycles"): 2835,
    }
    assert campaign.units == {"time": "ns", "throughput": "MB/s"}


@pytest.mark.parametrize(
    "text",
    [
        report(verification="UNSUCCESSFUL"),
        HPCC.partition("Begin")[0],
        HPCG.partition("Benchmark")[0],
        IOR.partition("write")[0],
    ],
)
def test_the_error_for_an_output_without_results_says_what_was_expected(read, text):
    with pytest.raises(FormatError, match=r"an output without results; expected .*[“”]"):
        read(text)


@pytest.mark.parametrize(
    ("text", "line"), [(report(time="1..5"), 7), (HPCG.format(processes=4).replace("7.5", "7.5.1"), 5)]
)
def test_the_error_for_a_wrong_number_names_its_line(read, text, line):
    with pytest.raises(FormatError) as raised:
        read(text)
    assert raised.value.line == line


MDTEST = """-- started at 11/20/2026 08:00:00 --

mdtest-3.3.0 was launched with {tasks} total task(s) on 2 node(s)
Command line used: mdtest -n 100 -i 3
{tasks} tasks, {files} files

SUMMARY rate: (of 3 iterations)
   Operation                      Max            Min           Mean        Std Dev
   ---------                      ---            ---           ----        -------
   File creation             :        120.500         80.500        {rate}         16.330
   File stat                 :          0.000          0.000          0.000          0.000
   Tree removal              :         20.500         10.500         15.500          4.082
-- finished at 11/20/2026 08:10:00 --
"""


def test_mdtest(read):
    runs = [MDTEST.format(tasks=n, files=100 * n, rate=rate) for n, rate in ((4, 100.5), (8, 190.5))]
    campaign = read("".join(runs))
    assert campaign.format == "mdtest"
    assert campaign.parameters == ("tasks", "nodes", "files")
    assert campaign.points.tolist() == [[4, 2, 400], [8, 2, 800]]
    assert campaign.series["File creation", "rate"].tolist() == [[100.5], [190.5]]
    assert campaign.units == {"rate": "1/s"}
    assert ("File stat", "rate") not in campaign.series


IO500 = """IO500 version io500-isc22 (standard)
NODES=10
NPROC=160
[RESULT]       ior-easy-write        2.000000 GiB/s : time 340.500 seconds
[RESULT]    mdtest-easy-write       12.500000 kIOPS : time 301.000 seconds
[RESULT-invalid]  ior-hard-write     9.000000 GiB/s : time 3.000 seconds
[SCORE ] Bandwidth 2.0 GiB/s : IOPS 12.5 kiops : TOTAL 5.0
"""
OLDER_IO500 = """[RESULT] BW   phase 1      ior_easy_write                0.411 GB/s : time   9.73 seconds
[RESULT] IOPS phase 3                      find                9.160 kiops : time   0.27 seconds
"""


def test_io500(read):
    campaign = read(IO500)
    assert (campaign.format, campaign.parameters) == ("io500", ("nodes", "processes"))
    assert campaign.series["ior-easy-write", "bandwidth"].tolist() == [[pytest.approx(2 * 2**30 / 1e9)]]
    assert campaign.series["mdtest-easy-write", "rate"].tolist() == [[12500]]
    assert campaign.series["ior-easy-write", "time"].tolist() == [[340.5]]
    assert not any(kernel == "ior-hard-write" for kernel, _ in campaign.series)


def test_older_versions_of_io500(read):
    campaign = read(OLDER_IO500)
    assert campaign.series["ior_easy_write", "bandwidth"].tolist() == [[0.411]]
    assert campaign.series["find", "rate"].tolist() == [[9160]]


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


def test_hpcg_of_a_gpu_version_has_its_report_far_below(read):
    iterations = "".join(f"Iteration = {step}   Scaled Residual = 0.{step}\n" for step in range(3000))
    campaign = read("HPCG-NVIDIA 25.4.0  -- NVIDIA accelerated\n" + iterations + HPCG.format(processes=4))
    assert campaign.format == "hpcg"
    assert "processes" in campaign.parameters


def clover(tasks, *clocks, end="Calculation complete\nClover is finishing\n"):
    steps = "".join(f" Step {step}\n Wall clock  {clock}\n" for step, clock in enumerate(clocks[:-1]))
    counts = f" Task Count  {tasks}\nThread Count:  2\n x_cells 960\n y_cells 480\n"
    return (
        f"Clover Version 1.300\n{counts}{steps} {end} Wall clock  {clocks[-1]}\n First step overhead 0.01\n"
    )


def test_cloverleaf_has_the_time_of_a_finished_run(read):
    passed = "This test is considered PASSED\n"
    campaign = read(clover(4, 0.1, 0.2, 0.25) + clover(8, 0.1, "0.15E+00", end=passed))
    assert campaign.format == "cloverleaf"
    assert campaign.parameters == ("processes", "threads", "x_cells", "y_cells")
    assert campaign.series["main", "time"].tolist() == [[0.25], [0.15]]


def test_cloverleaf_without_an_end_is_refused(read):
    with pytest.raises(FormatError, match="an output without results; expected “Wall clock"):
        read(clover(4, 0.1, 0.2, end="Step 3\n"))
