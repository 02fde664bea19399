"""Reads ReFrame's performance logs, which have a header and a row for each run of a test.

`job_completion_time|version|display_name|system|partition|environ|jobid|result|time_value|time_unit|…`

Version 3 wrote no header, and a line for each metric:

`2022-03-01T10:00:00|reframe 3.12.0|stream %n=8 @daint:gpu+gnu|jobid=17|time=1.5|ref=0 (l=null, u=null)|s`

Parameters are part of the test's name: `stream %num_threads=4 %kind=triad`. Each `…_value` is a metric. Runs
that did not pass are left out. Varying systems, partitions or environments become part of the kernel's name.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.origins import Origin, listed_nodes, origin_of
from ingest.formats.collecting.entries import Entry, as_number, campaign_of, entry, within_limits
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.source import Source
from ingest.formats.files.text import check_unmeasured
from ingest.formats.limits import Limits
from ingest.formats.table.profiles import WIDEST

NAME = "reframe"
TITLE = "ReFrame performance log"
NAMES = ("display_name", "name")
PLACES = ("system", "partition", "environ")
JOBS = ("jobid", "job_id")
NODES = ("job_nodelist", "nodelist", "hostname")
TIMES = ("job_completion_time", "completion_time", "job_completion_time_unix", "time_end")
"""Names under which ReFrame's versions give the time of a run."""
VALUE, UNIT = "_value", "_unit"
PARAMETER = re.compile(r"%([^\s%=]+)=(\S*)")
OLD = re.compile(
    r"(?P<time>[^|]{1,40})\|reframe [^|]{1,80}\|(?P<test>[^|]+)\|jobid=(?P<job>[^|]*)"
    r"\|(?P<metric>[^|=]+)=(?P<value>[^|]*)"
    r"\|ref=[^|]*(?:\|(?P<unit>[^|]*))?"
)
FAILED, UNMEASURED = "failed", "unmeasured"
NO_VALUE = ("", "None", "null", "nan")
NO_ORIGIN = (*NO_VALUE, None)
Row = dict[str, object]
UNITS = {"seconds": "s", "sec": "s"}


def recognises(source: Source) -> bool:
    """Recognise a header with columns for a test and its values, or a line of version 3."""
    if OLD.fullmatch(source.first_line):
        return True
    header = source.first_line.split("|")
    return any(name in header for name in NAMES) and any(name.endswith(VALUE) for name in header)


def read(source: Source) -> Campaign:
    """Read the log row by row."""
    if OLD.fullmatch(source.first_line):
        rows = ((line, _old_row(text, line)) for line, text in source.lines())
        return campaign_of_rows(rows, source.limits, NAME)
    numbered = source.lines()
    _, first = next(numbered)
    header = [name.strip() for name in first.split("|")]
    if len(header) > WIDEST:
        raise FormatError(f"{len(header)} columns", f"at most {WIDEST} columns", 1)
    if not any(name in header for name in NAMES) or len(set(header)) < len([name for name in header if name]):
        raise FormatError(
            f"the columns {quoted(first)}", "a column display_name, and a column …_value for each metric", 1
        )
    return campaign_of_rows(
        ((line, _row(header, text, line)) for line, text in numbered), source.limits, NAME
    )


def campaign_of_rows(rows: Iterable[tuple[int, Row]], limits: Limits, format_name: str) -> Campaign:
    """Return the campaign of all runs that passed.

    Args:
        rows: line and cells of each run by name. The cell `parameters` has the parameters that the test's
            name lacks.
        format_name: the format's `NAME`.

    Raises:
        FormatError: no run passed and measured something, or a value is not a number.
    """
    outcomes = Counter[str]()
    passed = list(within_limits(_passed(rows, outcomes, limits), limits, lambda row: len(row[1])))
    failed, unmeasured = outcomes[FAILED], outcomes[UNMEASURED]
    places = [name for name in PLACES if len({row.get(name) for _, row in passed}) > 1]
    campaign = campaign_of((_entry(row, places, line) for line, row in passed), limits, format_name)
    notes = [f"{failed} runs that did not pass were left out"] if failed else []
    notes += [f"{unmeasured} runs without a performance value were left out"] if unmeasured else []
    constant = {name: passed[0][1][name] for name in PLACES if passed[0][1].get(name) and name not in places}
    return replace(campaign, units=_units(passed), metadata=constant, notes=(*notes, *campaign.notes))


def _passed(
    rows: Iterable[tuple[int, Row]], outcomes: Counter[str], limits: Limits
) -> Iterator[tuple[int, Row]]:
    """Yield the used cells of the runs that passed and measured something; `outcomes` counts the others."""
    for line, row in rows:
        if row.get("result", "pass") not in ("pass", ""):
            outcomes[FAILED] += 1
        elif not any(_has_value(key, value) for key, value in row.items()):
            outcomes[UNMEASURED] += 1
        else:
            yield line, {key: value for key, value in row.items() if _is_used(key, value)}
            continue
        check_unmeasured(outcomes.total(), limits, line)


def _is_used(key: str, value: object) -> bool:
    used = (*NAMES, *PLACES, *JOBS, *NODES, *TIMES, "parameters")
    return key in used or key.endswith(UNIT) or _has_value(key, value)


def _has_value(key: str, value: object) -> bool:
    return key.endswith(VALUE) and value not in NO_VALUE


def _old_row(text: str, line: int) -> Row:
    match = OLD.fullmatch(text)
    if match is None:
        raise FormatError(
            quoted(text), "a line with a test, jobid=…, a metric with its value, and ref=…", line
        )
    name, _, place = match["test"].replace(" on ", " @").replace(" using ", "+").partition(" @")
    system, _, environ = place.partition("+")
    row: Row = {"display_name": name, "environ": environ, match["metric"] + VALUE: match["value"]}
    row["system"], _, row["partition"] = system.partition(":")
    row |= {JOBS[0]: match["job"], TIMES[0]: match["time"]}
    return row | {match["metric"] + UNIT: match["unit"] or ""}


def _row(header: Sequence[str], text: str, line: int) -> Row:
    count = text.count("|") + 1
    if count != len(header):
        raise FormatError(f"a row of {count} cells", f"{len(header)} cells, as in the header", line)
    return dict(zip(header, (cell.strip() for cell in text.split("|")), strict=True))


def _entry(row: Row, places: Sequence[str], line: int) -> Entry:
    name = str(next(row[key] for key in NAMES if key in row))
    given = row.get("parameters")
    parameters: dict[str, object] = dict(given) if isinstance(given, Mapping) else {}
    parameters |= dict(PARAMETER.findall(name))
    parameters |= {place: row[place] for place in places}
    values = {}
    for key, text in row.items():
        if _has_value(key, text):
            number = as_number(text)
            if number is None:
                raise FormatError(f"{quoted(text)} as {key}", "a number", line)
            values[key.removesuffix(VALUE)] = [number]
    found = entry(re.split(r"\s[%/@~]", name, maxsplit=1)[0], parameters, values, line)
    return replace(found, origin=_origin(row))


def _origin(row: Row) -> Origin | None:
    """Return the job, nodes and day of a run, as far as its row contains them."""
    job, nodes, time = (
        next((row[name] for name in names if row.get(name) not in NO_ORIGIN), "")
        for names in (JOBS, NODES, TIMES)
    )
    if isinstance(nodes, list):
        nodes = listed_nodes(map(str, nodes))
    return origin_of({"job": job, "node": nodes, "time": time})


def _units(rows: Sequence[tuple[int, Row]]) -> dict[str, str]:
    found = {}
    for _, row in rows:
        for key, text in row.items():
            if key.endswith(UNIT) and isinstance(text, str) and text not in NO_VALUE:
                found[key.removesuffix(UNIT)] = UNITS.get(text, text)
    return found
