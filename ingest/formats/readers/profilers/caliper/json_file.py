"""Reads the JSON formats that `cali-query` and Caliper's `output.format` write.

- `json-split`: a table, its columns and its tree of regions; every other key describes the run.
- `json(object)`: a list of records with the run's metadata and the attributes' descriptions.
- `json`, `json(pretty)`: the list of records alone; `json(split)`: this list without its brackets.

The `path` of a record is a text with slashes or a list of regions. If nested attributes were written
separately (`function`, `region`, …), the first one is the path. Texts are numbers only if the file has no
other numbers (`quote-all`).
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ingest.formats.campaign.names import SEPARATOR
from ingest.formats.collecting.entries import as_number
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.document import LIST, Document
from ingest.formats.files.documents.json_text import check_numbers, decode_first, members
from ingest.formats.files.source import HEAD
from ingest.formats.files.text import BYTE_ORDER_MARK, checked
from ingest.formats.limits import Limits
from ingest.formats.readers.profilers.caliper.aggregation import is_metric, unit
from ingest.formats.readers.profilers.caliper.profile import (
    NESTED,
    Profile,
    call_path,
    place_of,
    region_of,
    weight_of,
)

SPLIT = frozenset({"data", "columns", "column_metadata", "nodes"})
OBJECT = frozenset({"records", "globals"})
MEASURED = re.compile("#|time|count|duration", re.IGNORECASE)
"""Matches words that usually occur in the names of Caliper's metrics."""
PROBED_RECORDS = 50
"""Number of first records by which a list is recognised. The very first record may lie outside of any
region.
"""
GAP = re.compile(r"[\[,\s]*+")


def holds_profile(data: bytes) -> bool:
    """Return whether a JSON text was written by Caliper."""
    head = data[:HEAD].removeprefix(BYTE_ORDER_MARK).decode(errors="replace").lstrip()
    return is_records(head) or any(
        all(f'"{key}"'.encode() in data for key in keys) for keys in (SPLIT, OBJECT)
    )


def is_records(head: str) -> bool:
    """Return whether a text begins like a list of Caliper's records, with regions and metrics."""
    regions = measured = False
    for record in _first_records(head):
        if any(
            isinstance(value, tuple) or (isinstance(value, list) and key != "path") for key, value in record
        ):
            return False
        keys = {key for key, _ in record}
        regions = regions or not keys.isdisjoint(NESTED)
        measured = measured or any(
            MEASURED.search(key) for key, value in record if as_number(value) is not None
        )
    return regions and measured


def _first_records(head: str) -> Iterator[tuple[tuple[str, Any], ...]]:
    """Yield the first objects of a list, as pairs of key and value, up to the first that is incomplete."""
    place, flat = 0, re.compile(r"\{[^{}]*+\}")
    for count in range(PROBED_RECORDS):
        match = GAP.match(head, place)
        start = match.end() if match else place
        found = flat.match(head, start)
        if found is None or (
            not count and head[0] != "[" and not head[found.end() :].lstrip().startswith(",")
        ):
            return
        try:
            yield decode_first(found[0])[0]
        except (json.JSONDecodeError, FormatError):
            return
        place = found.end()


def read_json(data: bytes, limits: Limits) -> Profile:
    """Read a profile.

    Raises:
        FormatError: Caliper did not write the document, or its parts contradict each other.
    """
    data = checked(data.removeprefix(BYTE_ORDER_MARK))
    head = data[:HEAD].decode(errors="ignore").lstrip()
    if head.startswith("{") and is_records(head):
        data = b"[%b]" % data
    document = Document(data, limits)
    try:
        if document.sections.keys() >= SPLIT:
            return _split(document, limits)
        if document.sections.keys() >= OBJECT:
            return _object(document)
        if document.sections.keys() == {LIST}:
            return _records(document, LIST, Profile(), {})
        raise FormatError(
            "JSON without Caliper's keys",
            "a file that cali-query has written as json, json-split or json(object)",
            1,
        )
    except FormatError as error:
        raise error.at(document.line) from None


def _split(document: Document, limits: Limits) -> Profile:
    profile = Profile(globals=_scalars(document))
    columns = _column_names(document)
    document.enter("column_metadata")
    metadata = [members(entry, "an object for each column") for entry in document.elements()]
    if len(metadata) != len(columns):
        raise FormatError(
            f"{len(metadata)} entries of “column_metadata” for {len(columns)} columns",
            "one entry for each column",
        )
    metrics = {
        place: name
        for place, (name, about) in enumerate(zip(columns, metadata, strict=True))
        if about.get("is_value") is True and is_metric(name)
    }
    for place, name in metrics.items():
        profile.units[name] = unit(name, str(metadata[place].get("attribute.unit", "")))
    paths = _paths(document, limits)
    region = next((columns.index(name) for name in NESTED if name in columns), -1)
    document.enter("data")
    for row in document.elements():
        if not isinstance(row, list) or len(row) != len(columns):
            raise FormatError(quoted(row), f"a list of {len(columns)} cells")
        record = {name: cell for name, cell in zip(columns, row, strict=True) if cell is not None}
        measured = [(name, row[place]) for place, name in metrics.items() if row[place] is not None]
        for name, value in measured:
            check_numbers([value], name)
        path = _path(row[region], paths) if region >= 0 else ""
        profile.add(path, measured, place_of(record), weight_of(record))
    return profile


def _scalars(document: Document) -> dict[str, str]:
    found = {}
    for key in document.sections.keys() - SPLIT:
        document.enter(key)
        found[key] = _text(document.value())
    return found


def _text(value: Any) -> str:
    return (
        str(int(value))
        if isinstance(value, float) and value.is_integer() and abs(value) < 1e15
        else str(value)
    )


def _column_names(document: Document) -> list[str]:
    document.enter("columns")
    names = list(document.elements())
    if not all(isinstance(name, str) for name in names):
        raise FormatError(f"the columns {quoted(names)}", "a list of names")
    return names


def _paths(document: Document, limits: Limits) -> list[str]:
    """Return the call path of each node; a node's parent comes before the node."""
    document.enter("nodes")
    paths: list[str] = []
    for entry in document.elements():
        node = members(entry, 'an object with "label"')
        label, parent = str(node.get("label", "")), node.get("parent")
        above = "" if parent is None else _path(parent, paths)
        paths.append(SEPARATOR.join(filter(None, [above, call_path([label])])))
        # without this limit, the length of all paths grows with the square of the number of levels
        if paths[-1].count(SEPARATOR) >= limits.levels:
            raise FormatError(f"a call path of {limits.levels + 1} levels", f"{limits.levels} at most")
    return paths


def _path(number: Any, paths: list[str]) -> str:
    if number is None:
        return ""
    if not isinstance(number, float) or number not in range(len(paths)):
        raise FormatError(f"the node {quoted(number)}", f"the number of an earlier node, below {len(paths)}")
    return paths[int(number)]


def _object(document: Document) -> Profile:
    document.enter("globals")
    about = members(document.value(), "an object of globals")
    profile = Profile(globals={name: _text(value) for name, value in about.items()})
    attributes: dict[str, Any] = {}
    if "attributes" in document.sections:
        document.enter("attributes")
        attributes = members(document.value(), "an object of attributes")
    return _records(document, "records", profile, attributes)


def _records(document: Document, section: str, profile: Profile, attributes: Mapping[str, Any]) -> Profile:
    """Return the profile with all records. Texts are numbers only if there are no other numbers."""
    quoted_numbers = _quoted_numbers(document, section)
    document.enter(section)
    known: dict[str, bool] = {}
    for entry in document.elements():
        record = members(entry, "an object for each record")
        numbers = []
        for name, value in record.items():
            number = as_number(value) if quoted_numbers else value
            if isinstance(number, float):
                measured = known.get(name)
                if measured is None:
                    measured = known[name] = is_metric(name) and name not in NESTED
                if measured:
                    numbers.append((name, number))
        profile.add(_region(record), numbers, place_of(record), weight_of(record))
    for name in {name for _, name in profile.cells}:
        profile.units[name] = unit(name, _unit_of(attributes.get(name)))
    return profile


def _unit_of(attribute: Any) -> str:
    return str(dict(attribute).get("attribute.unit", "")) if isinstance(attribute, tuple) else ""


def _quoted_numbers(document: Document, section: str) -> bool:
    """Return whether every number in the records is written as a text."""
    document.enter(section)
    return not any(
        isinstance(value, float) and is_metric(name)
        for entry in document.elements()
        for name, value in members(entry, "an object for each record").items()
    )


def _region(record: Mapping[str, Any]) -> str:
    """Return the call path of a record; empty if the record belongs to no region."""
    found = region_of(record)
    return call_path(found if isinstance(found, list) else str(found).split("/"))
