"""Outputs of mdtest."""

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
