"""Outputs of mdtest, which measures file systems by operations on many files.

The summary has a row for each operation, of which the mean rate is read. Tasks, nodes and the number of files
are parameters. The rate 0 means that an operation was not measured.
"""

from ingest.formats.printout import COUNT, NUMBER, Line, Metric, Printout, Then

NAME, TITLE = "mdtest", "mdtest output"
PRINTOUT = Printout(
    NAME,
    begins=r"mdtest-\S{1,40} was launched with",
    lines=(
        Line(
            rf"mdtest-\S{{1,40}} was launched with (?P<tasks>{COUNT}) total task\(s\) "
            rf"on (?P<nodes>{COUNT}) node\(s\)",
            Then.BEGIN,
        ),
        Line(rf"{COUNT} tasks, (?P<files>{COUNT}) files(?:/directories)?"),
        Line(
            rf"(?P<kernel>(?:Directory|File|Tree) [a-z]{{1,20}})\s*:?\s+{NUMBER}\s+{NUMBER}\s+"
            rf"(?!0\.0+\s)(?P<rate>{NUMBER})\s+{NUMBER}"
        ),
        Line(r"-- finished at .*", Then.END),
    ),
    metrics={"rate": Metric("rate", "1/s")},
    expected="the rows below “SUMMARY” of a finished run",
)
recognises, read = PRINTOUT.recognises, PRINTOUT.read
