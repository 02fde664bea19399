"""Outputs of STREAM and BabelStream, which measure the bandwidth of memory.

STREAM prints `Copy: 4380.2 0.037653 0.036528 0.038368` below `Function Best Rate MB/s Avg time Min time Max
time`, and BabelStream `Copy 553418.684 0.00097 0.00101 0.00098` below `Function MBytes/sec Min (sec) Max
Average`. Each function is a kernel, with its best bandwidth and its average time. Threads and elements of an
array are parameters.
"""

from ingest.formats.printout import COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "stream", "STREAM and BabelStream outputs"
PRINTOUT = Printout(
    NAME,
    begins=r"(?i:Function\s+(?:(?:Best )?Rate|MBytes/sec)\b)",
    lines=(
        Line(rf"(?i:Number of Threads (?:counted|requested)) = (?P<threads>{COUNT})", Then.ABOVE),
        Line(rf"(?:Array size = |Number of elements: )(?P<elements>{COUNT})(?: \(elements\).*)?", Then.ABOVE),
        Line(
            rf"(?P<kernel>[A-Za-z]\w{{0,30}}):\s+(?P<bandwidth>{NUMBER})\s+(?P<time>{NUMBER})"
            rf"\s+{NUMBER}\s+{NUMBER}",
            Then.BEGIN,
        ),
        Line(
            rf"(?P<kernel>[A-Za-z]\w{{0,30}})\s+(?P<bandwidth>{NUMBER})\s+{NUMBER}\s+{NUMBER}"
            rf"\s+(?P<time>{NUMBER})",
            Then.BEGIN,
        ),
    ),
    metrics={"bandwidth": Metric("bandwidth", "MB/s"), "time": Metric("time", "s")},
    expected="a table of functions below “Function  Best Rate MB/s  Avg time  Min time  Max time”",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
