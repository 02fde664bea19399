"""Times of the RAJA Performance Suite (`RAJAPerf-timing-Average.csv`).

Below a title such as `Mean Runtime Report (sec.)` stand the variants of the kernels, then perhaps their
tunings, and one line for each kernel. Variant and tuning are labels of the kernel: `Basic_DAXPY
[variant=Base_OpenMP, tuning=default]`. The problem's size is not printed: the point is in the files' names,
or sent with the file.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.collecting.entries import Entry, campaign_of, level_of, with_labels
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.source import Source
from ingest.formats.files.text import csv_cells, numbers

NAME, TITLE = "rajaperf", "RAJA Performance Suite times"
REPORT = re.compile(r"(\w{1,20}) Runtime Report \(sec\.\).*")
OTHER_REPORT = re.compile(r"(?:\w+ )?(?:Speedup|FOM) Report\b.*")
"""Matches the title of a report that was computed from times."""
MEANS = ("mean", "average", "avg")
"""First word of the title of times that are not extremes."""
HEADER = "Kernel"
LABELS = ("variant", "tuning")
NOT_RUN = ("not run", "", "--")


def recognises(source: Source) -> bool:
    """Recognise the title."""
    return any(title.fullmatch(source.first_line) for title in (REPORT, OTHER_REPORT))


def read(source: Source) -> Campaign:
    """Read the reports line by line."""
    campaign = campaign_of(_entries(source), source.limits, NAME)
    return replace(campaign, units={metric: "s" for _, metric in campaign.series})


def _entries(source: Source) -> Iterator[Entry]:
    metric, headers = "time", list[list[str]]()
    if OTHER_REPORT.fullmatch(source.first_line):
        found = f"the report {quoted(source.first_line.strip(' ,'))}, which is computed from times"
        raise FormatError(found, "the times: RAJAPerf-timing-Average.csv", 1)
    for number, line in source.lines():
        if title := REPORT.fullmatch(line):
            statistic = title[1].lower()
            metric, headers = "time" if statistic in MEANS else f"{statistic} time", []
            continue
        cells = [cell.strip() for cell in csv_cells(line)]
        if cells[:1] == [HEADER]:
            headers.append(cells)
        elif len(cells) > 1 and cells[0]:
            yield from _results(cells, headers, metric, number)


def _results(cells: list[str], headers: list[list[str]], metric: str, number: int) -> Iterator[Entry]:
    """Yield the time of a kernel in each variant that was run."""
    if not headers or any(len(names) != len(cells) for names in headers):
        found = f"a row of {len(cells)} cells"
        raise FormatError(found, f"a line {quoted(HEADER)} with as many names of variants above it", number)
    for place, cell in enumerate(cells[1:], 1):
        if cell.lower() in NOT_RUN:
            continue
        labels = {label: names[place] for label, names in zip(LABELS, headers, strict=False)}
        try:
            values = {metric: numbers(cell)}
        except FormatError as error:
            raise error.at(number) from None
        yield Entry(with_labels(level_of(cells[0]), labels), {}, values, number)
