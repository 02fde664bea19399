"""Outputs of the NAS Parallel Benchmarks."""

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
