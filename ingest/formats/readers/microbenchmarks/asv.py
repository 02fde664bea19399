"""Reads results of airspeed velocity: the times of one commit's benchmarks, over their parameters.

The input is a result file (`results/MACHINE/COMMIT-ENVIRONMENT.json`), or an archive of the result files of
one commit with `benchmarks.json`, which names parameters and units. If there are several environments, their
names become part of the kernels' names. Samples are taken in one process, so they are rounds.
"""

import ast
import json
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from itertools import islice, product
from typing import Any

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.collecting.entries import Entry, as_number, campaign_of, entry
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.nesting import nested_end
from ingest.formats.files.source import Source
from ingest.formats.files.text import decoded
from ingest.formats.limits import Limits

NAME = "asv"
TITLE = "airspeed velocity"
PACKED = CONTAINED = True
INDEX = "benchmarks.json"
KEYS = {"commit_hash", "results"}
ENVIRONMENT = {"env_name", "requirements"}
"""Every result file has one of these keys. `env_name` is missing before version 2 of the format."""
METRICS = {"time": "s", "timeraw": "s", "mem": "B", "peakmem": "B"}
"""Kind of benchmark → unit. Names begin with the kind. Benchmarks of the kind `track` name their own unit."""
UNITS = {"seconds": "s", "bytes": "B"}
ABOUT = ("commit_hash", "python", "env_name")
MOST_BYTES = 8 * 1024 * 1024
"""Limit on the bytes of a file, which is read as a whole. Hundreds of benchmarks have less than 1 MB."""

Object = dict[str, Any]


def recognises(source: Source) -> bool:
    """Recognise a result file, or an archive with machine.json, or with benchmarks.json and another file."""
    if source.packed:
        names = [name.rpartition("/")[2] for name in source.names]
        return "machine.json" in names or (INDEX in names and len(names) > 1)
    return _is_result(source.keys)


def _is_result(keys: Set[str]) -> bool:
    return keys >= KEYS and not keys.isdisjoint(ENVIRONMENT)


def read(source: Source) -> Campaign:
    """Read the campaign file by file."""
    documents = dict(_documents(source))
    index = next((found for name, found in documents.items() if name.endswith(INDEX)), {})
    results = {name: found for name, found in documents.items() if _is_result(found.keys())}
    commits = {str(found["commit_hash"]) for found in results.values()}
    if len(commits) != 1:
        found = f"results of {len(commits)} commits" if commits else "no results of asv"
        raise FormatError(found, "the results of one commit; perfweb.py history sends a whole results folder")
    units: dict[str, str] = {}
    environments = {_environment(found) for found in results.values()}
    entries = _entries(results, index, units, several=len(environments) > 1)
    campaign = campaign_of(entries, source.limits, NAME, rounds=True)
    first = next(iter(results.values()))
    about = first["params"] if isinstance(first.get("params"), dict) else {}
    metadata = {name: first[name] for name in ABOUT if isinstance(first.get(name), str)}
    texts = {name: value for name, value in about.items() if isinstance(value, str) and len(value) < 200}
    return replace(campaign, units=units, metadata=texts | metadata)


def _documents(source: Source) -> Iterator[tuple[str, Object]]:
    for name, data in source.files(lambda name: name.endswith(".json")):
        try:
            yield name, _loaded(data, source.limits)
        except FormatError as error:
            raise (error.inside(name) if source.packed else error) from None


def _loaded(data: bytes, limits: Limits) -> Object:
    """Parse a JSON object, in which asv may have written NaN and Infinity."""
    if len(data) > MOST_BYTES:
        raise FormatError(
            f"a file of {len(data)} bytes", f"at most {MOST_BYTES} bytes: the results of one commit"
        )
    text = decoded(data, 1).strip()
    if not text.startswith("{"):
        raise FormatError("JSON that is no object", "a file of asv's results")
    nested_end(text.encode(), 0, limits.depth)
    try:
        found: Object = json.loads(text)
    except ValueError as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise FormatError(f"no JSON: {quoted(error)}", "valid JSON", line) from None
    return found


def _entries(
    results: Mapping[str, Object], index: Object, units: dict[str, str], *, several: bool
) -> Iterator[Entry]:
    for name, document in results.items():
        columns = document.get("result_columns") or ["result", "params"]
        if not isinstance(document["results"], dict) or not isinstance(columns, list):
            raise FormatError(f"the results {quoted(document['results'])}", "an object of benchmarks").inside(
                name
            )
        labels: Object = {"env": _environment(document)} if several else {}
        for benchmark, row in document["results"].items():
            about = index.get(benchmark)
            fields = row if isinstance(row, dict) else dict(zip(columns, _listed(row), strict=False))
            known = about if isinstance(about, dict) else {}
            yield from _benchmark(benchmark, fields, known, labels, units)


def _environment(document: Object) -> str:
    """Return the name of a result's environment or, without one, the versions that make it up."""
    name = document.get("env_name") or document.get("requirements")
    if isinstance(name, dict):
        return "-".join(f"{package}{version}" for package, version in sorted(name.items()))
    return str(name or "")


def _benchmark(
    name: str, fields: Object, about: Object, labels: Object, units: dict[str, str]
) -> Iterator[Entry]:
    """Yield an entry for each combination of the benchmark's parameters that has a result."""
    metric = name.rpartition(".")[2].partition("_")[0]
    unit = str(about.get("unit", ""))
    if metric not in METRICS:
        metric = unit if metric == "track" and unit and unit != "unit" else "value"
    axes = [_listed(axis) for axis in _listed(fields.get("params") or [])]
    names = [str(text) for text in _listed(about.get("param_names") or [])]
    names += [f"param{place}" for place in range(len(names) + 1, len(axes) + 1)]
    values, samples = _listed(fields.get("result")), _listed(fields.get("samples") or [])
    for place, combination in enumerate(islice(product(*axes), len(values))):
        if measured := _measured(values, samples, place):
            units[metric] = METRICS.get(metric, UNITS.get(unit, unit if unit != "unit" else ""))
            parameters = dict(zip(names, map(_value, combination), strict=False))
            yield entry(name, {**parameters, **labels}, {metric: measured}, 0)


def _measured(values: list[Any], samples: list[Any], place: int) -> list[float]:
    """Return the samples of a combination or, without any, its single result; empty if there is neither."""
    taken = samples[place] if place < len(samples) else None
    result = values[place] if place < len(values) else None
    return _numbers(taken if isinstance(taken, list) and taken else [result])


def _numbers(values: Iterable[Any]) -> list[float]:
    plain = [float(value) for value in values if isinstance(value, int | float) and value is not True]
    return [value for value in plain if value == value and abs(value) != float("inf")]  # noqa: PLR0124 -- NaN


def _value(written: Any) -> object:
    """Parse a parameter value, which asv writes in Python's syntax."""
    text = str(written)
    if as_number(text) is not None or len(text) > 1000:
        return text
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    return found if isinstance(found, str) else text


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
