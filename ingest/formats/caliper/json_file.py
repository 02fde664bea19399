"""What `cali-query` writes as JSON: `json-split`, a table and its tree of regions, or `json(object)`.

Any other key of a `json-split` document is something known of the run as a whole.
"""

from typing import Any

from ingest.formats.caliper.profile import UNITS, Profile, is_metric
from ingest.formats.document import Document
from ingest.formats.errors import FormatError, quoted
from ingest.formats.json_text import check_numbers, members
from ingest.formats.limits import Limits
from ingest.formats.names import SEPARATOR
from ingest.formats.text import decoded

SPLIT = frozenset({"data", "columns", "column_metadata", "nodes"})
OBJECT = frozenset({"records", "globals"})


def read_json(data: bytes, limits: Limits) -> Profile:
    """Read a profile.

    Raises:
        FormatError: it is neither, or does not fit itself.
    """
    document = Document(decoded(data, 1), limits)
    try:
        if document.sections.keys() >= SPLIT:
            return _split(document)
        if document.sections.keys() >= OBJECT:
            return _object(document)
        raise FormatError(
            "JSON without Caliper's keys", "what cali-query writes as json-split or json(object)", 1
        )
    except FormatError as error:
        raise error.at(document.line) from None


def _split(document: Document) -> Profile:
    profile = Profile(globals=_scalars(document))
    columns = _column_names(document)
    document.enter("column_metadata")
    metadata = [members(entry, "an object for each column") for entry in document.elements()]
    if len(metadata) != len(columns):
        raise FormatError(
            f"{len(metadata)} entries of “column_metadata” for {len(columns)} columns", "one for each"
        )
    metrics = {
        place: name
        for place, (name, about) in enumerate(zip(columns, metadata, strict=True))
        if about.get("is_value") is True and is_metric(name)
    }
    for place, name in metrics.items():
        unit = str(metadata[place].get("attribute.unit", ""))
        profile.units[name] = UNITS.get(unit, unit)
    paths = _paths(document)
    region = columns.index("path") if "path" in columns else -1
    document.enter("data")
    for row in document.elements():
        if not isinstance(row, list) or len(row) != len(columns):
            raise FormatError(quoted(row), f"a list of {len(columns)} cells")
        path = _path(row[region], paths) if region >= 0 else ""
        for place, name in metrics.items():
            if row[place] is not None:
                check_numbers([row[place]], name)
                profile.add(path, name, row[place])
    return profile


def _scalars(document: Document) -> dict[str, str]:
    found = {}
    for key in document.sections.keys() - SPLIT:
        document.enter(key)
        found[key] = _text(document.value())
    return found


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _column_names(document: Document) -> list[str]:
    document.enter("columns")
    names = list(document.elements())
    if not all(isinstance(name, str) for name in names):
        raise FormatError(f"the columns {quoted(names)}", "a list of names")
    return names


def _paths(document: Document) -> list[str]:
    """Call path of each node; a node's parent comes before it."""
    document.enter("nodes")
    paths: list[str] = []
    for entry in document.elements():
        node = members(entry, 'an object with "label"')
        label, parent = str(node.get("label", "")).replace(SEPARATOR, "→"), node.get("parent")
        paths.append(label if parent is None else _path(parent, paths) + SEPARATOR + label)
    return paths


def _path(number: Any, paths: list[str]) -> str:
    if number is None:
        return ""
    if not isinstance(number, float) or number not in range(len(paths)):
        raise FormatError(f"the node {quoted(number)}", f"the number of a node before it, below {len(paths)}")
    return paths[int(number)]


def _object(document: Document) -> Profile:
    document.enter("globals")
    about = members(document.value(), "an object of globals")
    profile = Profile(globals={name: _text(value) for name, value in about.items()})
    document.enter("records")
    for entry in document.elements():
        record = members(entry, "an object for each record")
        levels = str(record.get("path", "")).split("/")
        path = SEPARATOR.join(level.replace(SEPARATOR, "→") for level in levels if level)
        for name, value in record.items():
            if isinstance(value, float) and is_metric(name):
                profile.add(path, name, value)
    return profile
