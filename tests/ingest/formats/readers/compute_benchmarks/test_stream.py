"""Outputs of STREAM and BabelStream."""

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
