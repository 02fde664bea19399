"""Reads the files of github-action-benchmark: the `data.js` of its web pages, or lists of results, its input.

A result has a name, a value and a unit: `{"name": "sort", "unit": "ms", "value": 1.5}`. The name is the
kernel. Each unit becomes a metric.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import DEFAULT_METRIC, SEPARATOR
from ingest.formats.collecting.entries import Entry, campaign_of, level_of
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.json_text import load, members
from ingest.formats.files.source import Source
from ingest.formats.files.text import checked

NAME = "benchmark-action"
TITLE = "github-action-benchmark"
DATA = re.compile(r"window\.BENCHMARK_DATA\s*=\s*(?=\{)")
RESULT = re.compile(r'\[\s*\{(?=[^{}]*"name"\s*:)(?=[^{}]*"unit"\s*:)(?=[^{}]*"value"\s*:)')


def recognises(source: Source) -> bool:
    """Recognise the assignment of `data.js`, or a list whose first element is a result."""
    return DATA.match(source.head) is not None or RESULT.match(source.head) is not None


def read(source: Source) -> Campaign:
    """Read the list, or the last commit of each suite."""
    text = checked(source.whole).decode().strip()
    data = DATA.match(text)
    if data is None:
        return _campaign(_results(load(text, source.limits.depth), ""), source, {}, ())
    document = members(load(text[data.end() :].rstrip(" ;\n"), source.limits.depth), "an object")
    suites = members(document.get("entries"), "results by suite")
    last = {name: members(_last(runs), "an object for each commit") for name, runs in suites.items()}
    commits = sum(len(runs) for runs in suites.values() if isinstance(runs, list))
    entries = [
        each
        for name, run in last.items()
        for each in _results(run.get("benches"), f"{level_of(name)}{SEPARATOR}" if len(last) > 1 else "")
    ]
    notes = (
        () if commits == len(last) else (f"only the last of {commits} stored runs was read: {_ids(last)}",)
    )
    return _campaign(entries, source, {"commit": _ids(last)}, notes)


def _campaign(
    entries: Sequence[Entry] | Iterator[Entry],
    source: Source,
    metadata: Mapping[str, object],
    notes: Sequence[str],
) -> Campaign:
    campaign = campaign_of(entries, source.limits, NAME)
    units = {metric: metric for _, metric in campaign.series if metric != DEFAULT_METRIC}
    return replace(campaign, units=units, metadata=dict(metadata), notes=(*notes, *campaign.notes))


def _last(runs: object) -> Any:
    if not isinstance(runs, list) or not runs:
        raise FormatError(f"the runs {quoted(runs)}", "a list with at least one run for each suite")
    return runs[-1]


def _ids(last: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the commits of the last runs."""
    commits = (members(run.get("commit") or (), "an object for the commit") for run in last.values())
    return ", ".join(dict.fromkeys(str(commit.get("id", "?"))[:40] for commit in commits))


def _results(results: object, suite: str) -> Iterator[Entry]:
    for number, result in enumerate(results if isinstance(results, list) else (), 1):
        fields = members(result, "an object for each result")
        name, unit, value = (fields.get(key) for key in ("name", "unit", "value"))
        if not isinstance(name, str) or not isinstance(value, float) or not isinstance(unit, str | None):
            given = ", ".join(map(quoted, (name, value, unit)))
            found = f"result {number} with the name, the value and the unit {given}"
            raise FormatError(found, "a text, a number and a text")
        yield Entry(f"{suite}{level_of(name)}", {}, {unit or DEFAULT_METRIC: [value]})
