"""Reads run reports of ReFrame 3 and 4 (`report.json`, from `--report-file` or ~/.reframe/reports).

`{"session_info": …, "runs": [{"testcases": [{"display_name": "stream %n=8", "result": "pass", …}]}]}`.

Up to version 4.6, measurements are a list in `perfvars`. Later they are an object `perfvalues`:
`system:partition:metric` → [value, reference, lower and upper bound, unit]. Each test case is read as a row
of `reframe`.
"""

from collections.abc import Iterator
from typing import Any

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.errors import FormatError, LimitError, quoted
from ingest.formats.files.documents.document import Document
from ingest.formats.files.documents.json_text import members
from ingest.formats.files.source import Source
from ingest.formats.limits import Limits
from ingest.formats.readers.frameworks.reframe import JOBS, NODES, TIMES, UNIT, VALUE, Row, campaign_of_rows

NAME = "reframe-report"
TITLE = "ReFrame run report"
PASSED = {"success": "pass"}
"""Words for results in versions before 4.7 → words since then."""


def recognises(source: Source) -> bool:
    """Recognise a JSON document of a session and its runs."""
    return source.keys >= {"session_info", "runs"}


def read(source: Source) -> Campaign:
    """Read the report test case by test case."""
    document = source.document
    try:
        return campaign_of_rows(_rows(document, source.limits), source.limits, NAME)
    except FormatError as error:
        raise error.at(document.line) from None


def _rows(document: Document, limits: Limits) -> Iterator[tuple[int, Row]]:
    document.enter("runs")
    count = 0
    for _ in document.places():
        for key in document.members():
            if key != "testcases":
                document.skip()
                continue
            for case in document.elements():
                count += 1
                if count > limits.results:
                    most = f"{limits.results} test cases"
                    raise LimitError(f"more than {most}", f"at most {most} in one campaign")
                yield document.line, _row(members(case, "an object for each test case"))


def _row(case: dict[str, Any]) -> Row:
    """Return a test case as a row, with the names of a performance log."""
    name = case.get("display_name") or case.get("name")
    if not isinstance(name, str):
        raise FormatError(f"the name {quoted(name)} of a test case", "a text")
    row: Row = {"display_name": name, "result": PASSED.get(str(case.get("result")), str(case.get("result")))}
    system, _, partition = str(case.get("system") or "").partition(":")
    row |= {"system": system, "partition": partition or str(case.get("partition") or "")}
    row["environ"] = str(case.get("environ") or case.get("environment") or "")
    row |= {
        key: case[key] for key in (*JOBS, *NODES, *TIMES) if isinstance(case.get(key), str | float | list)
    }
    if "%" not in name:
        parameters = members(case.get("check_params") or (), "check_params by name")
        plain = {key: value for key, value in parameters.items() if isinstance(value, str | float | bool)}
        row["parameters"] = plain
    for metric, value, unit in _measured(case):
        if value is not None and value != "None":
            row[metric + VALUE] = value
        if isinstance(unit, str) and unit:
            row[metric + UNIT] = unit
    return row


def _measured(case: dict[str, Any]) -> Iterator[tuple[str, object, object]]:
    """Yield name, value and unit of each metric."""
    variables = case.get("perfvars") or []
    if not isinstance(variables, list):
        raise FormatError(f"{quoted(variables)} as perfvars", "a list")
    for variable in variables:
        fields = members(variable, "an object for each of perfvars")
        yield str(fields.get("name")), fields.get("value"), fields.get("unit")
    for key, values in members(case.get("perfvalues") or (), "perfvalues by name").items():
        if not isinstance(values, list) or len(values) < 5:
            raise FormatError(
                f"{quoted(values)} as {quoted(key)}",
                "a list of value, reference, lower bound, upper bound and unit",
            )
        yield key.rpartition(":")[2], values[0], values[4]
