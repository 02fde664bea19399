"""Summaries that nvprof prints: `31.76%  350.25ms  123  2.8476ms  2.8402ms  2.9741ms  erode(int)`.

The line of a kernel, copy or call has its share, total time, calls, and the mean, least and largest time of a
call. Names get the kind of activity before them, `GPU activities->erode(int)`. Each process prints a summary
of its own; these count as repetitions. nvprof's CSV is a table like others.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import SEPARATOR
from ingest.formats.campaign.units import SECONDS
from ingest.formats.collecting.entries import Entry, campaign_of, level_of
from ingest.formats.files.source import Source
from ingest.formats.files.text import check_unmeasured
from ingest.formats.printout import LINE

NAME, TITLE = "nvprof", "nvprof summary"
HEADER = re.compile(r"^ *(?:Type +)?Time\(%\) +Time +Calls +Avg +Min +Max +Name", re.MULTILINE)
TIME = r"[\d.]{1,20}(?:ns|us|ms|s)"
ACTIVITY = re.compile(
    rf"(?:(?P<kind>[A-Z][\w ]{{1,40}}):)?\s*[\d.]{{1,8}}%\s+(?P<time>[\d.]{{1,20}})(?P<unit>ns|us|ms|s)"
    rf"\s+(?P<calls>\d{{1,18}})\s+{TIME}\s+{TIME}\s+{TIME}\s+(?P<name>\S.*)"
)
RESULT = re.compile(r"==\d+== (?:Profiling result|API calls):.*")
GPU, API = "GPU activities", "API calls"
"""Kinds of activities; old versions of nvprof print them above the tables."""
UNITS = {"time": "s", "calls": ""}


def recognises(source: Source) -> bool:
    """Recognise the heading of a summary."""
    return HEADER.search(source.beginnings) is not None


def read(source: Source) -> Campaign:
    """Read the lines of activities."""
    campaign = campaign_of(_entries(source), source.limits, NAME)
    return replace(campaign, units=UNITS)


def _entries(source: Source) -> Iterator[Entry]:
    kind, others = GPU, 0
    for number, line in source.lines():
        if result := RESULT.fullmatch(line[:LINE]):
            kind = API if API in result[0] else GPU
        elif found := ACTIVITY.fullmatch(line[:LINE].strip()):
            kind = found["kind"] or kind
            seconds = float(found["time"]) * SECONDS[found["unit"]]
            values = {"time": [seconds], "calls": [float(found["calls"])]}
            yield Entry(f"{kind}{SEPARATOR}{level_of(found['name'])}", {}, values, number)
        else:
            others += 1
            check_unmeasured(others, source.limits, number)
