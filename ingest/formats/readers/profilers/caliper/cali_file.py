"""Caliper's own files (.cali): lines of nodes, of records that refer to them, and of the run's metadata.

The package `caliperreader` keeps the tree of nodes. This module splits the lines, several times as fast.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from caliperreader.metadatadb import MetadataDB
from caliperreader.readererror import ReaderError

from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.text import decoded
from ingest.formats.limits import Limits
from ingest.formats.readers.profilers.caliper.aggregation import is_aggregated, is_metric, unit
from ingest.formats.readers.profilers.caliper.profile import (
    CONTEXT,
    REGIONS,
    Profile,
    call_path,
    place_of,
    region_of,
    weight_of,
)

NUMBERS = ("double", "int", "uint")
CHANNEL = "spot.channel"
ESCAPED = re.compile(r"((?:[^\\,=]|\\.)*+)([,=]|$)", re.DOTALL)
"""Matches one word of a line and the character that ends it. A backslash may escape any character."""
ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def read_cali(data: bytes, limits: Limits) -> Profile:
    """Read a profile from the bytes of a .cali file.

    Raises:
        FormatError: a line does not follow Caliper's syntax.
    """
    records, number = Records(), 0
    try:
        for number, text in _lines(data, limits):  # noqa: B007 -- errors name it
            records.take(text)
        return records.profile()
    except FormatError as error:
        raise error.at(number) from None
    except (ReaderError, LookupError, ValueError, AttributeError, TypeError) as error:
        found = f"no record of Caliper: {quoted(type(error).__name__ + ' ' + str(error))}"
        raise FormatError(
            found,
            "a line with __rec=node, __rec=ctx or __rec=globals that refers only to earlier records",
            number,
        ) from None


def _lines(data: bytes, limits: Limits) -> Iterator[tuple[int, str]]:
    for number, text in enumerate(decoded(data, 1).split("\n"), 1):
        if len(text) > limits.line_bytes:
            raise FormatError(
                f"a line of over {limits.line_bytes} characters",
                f"at most {limits.line_bytes} characters in a line",
                number,
            )
        if line := text.strip():
            yield number, line


def _fields(line: str) -> dict[str, list[str]]:
    """Split a line into its fields: `__rec=ctx,ref=42=7` becomes `{"__rec": ["ctx"], "ref": ["42", "7"]}`."""
    if "\\" not in line:
        words = (field.split("=") for field in line.split(","))
        return {key: values for key, *values in words}
    entries: list[list[str]] = [[]]
    place = 0
    while place < len(line):
        word = ESCAPED.match(line, place)
        if word is None:
            raise ValueError(f"a backslash at the end of {line[:40]}")
        entries[-1].append(ESCAPE.sub(_unescaped, word[1]))
        if word[2] == ",":
            entries.append([])
        place = word.end()
    return {key: values for key, *values in filter(None, entries)}


def _unescaped(escape: re.Match[str]) -> str:
    return "\n" if escape[1] == "n" else escape[1]


class Records:
    """Collects the content of a file line by line. Which numbers are metrics is known only at the end."""

    def __init__(self) -> None:
        self._db = MetadataDB()
        self._globals: dict[str, Any] = {}
        self._channels: dict[str, Profile] = {}
        self._contexts: dict[tuple[str, ...], tuple[str, dict[str, Any]]] = {}
        self._names: dict[str, tuple[str, bool]] = {}

    def take(self, line: str) -> None:
        """Add the content of a line."""
        fields = _fields(line)
        kind = fields["__rec"][0]
        if kind == "ctx":
            self._record(fields)
        elif kind == "node":
            self._node(fields)
        elif kind == "globals":
            self._globals = self._expanded(fields.get("ref", ())) | {
                self._name(key)[0]: value
                for key, value in zip(fields.get("attr", ()), fields.get("data", ()), strict=False)
            }

    def _node(self, fields: Mapping[str, list[str]]) -> None:
        number, parent = int(fields["id"][0]), fields.get("parent")
        if parent and int(parent[0]) == number:
            raise ValueError(f"the node {number} inside itself")
        above = (int(parent[0]),) if parent else ()
        self._db.import_node(number, int(fields["attr"][0]), (fields.get("data") or [""])[0], *above)

    def _record(self, fields: Mapping[str, list[str]]) -> None:
        refs = tuple(fields.get("ref", ()))
        context = self._contexts.get(refs)
        path, about = self._contexts.setdefault(refs, self._context(refs)) if context is None else context
        measured, about = [], dict(about)
        for key, text in zip(fields.get("attr", ()), fields.get("data", ()), strict=False):
            name, is_number = self._names.get(key) or self._name(key)
            if name in CONTEXT:
                about[name] = text
            if is_number:
                measured.append((name, float(text)))
        profile = self._channels.setdefault(str(about.get(CHANNEL, REGIONS)), Profile())
        place, weight = place_of(about), weight_of(about)
        profile.add(path, measured, place, weight)

    def _context(self, refs: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
        """Return the call path of the nodes, and the other values of the context, such as the process."""
        record = self._expanded(refs)
        region = region_of(record)
        about = {name: value for name, value in record.items() if name in CONTEXT or name == CHANNEL}
        return call_path(region if isinstance(region, list) else [region]), about

    def _expanded(self, refs: Any) -> dict[str, Any]:
        record: dict[str, Any] = {}
        for ref in refs:
            record |= self._db.nodes[int(ref)].expand()
        return record

    def _name(self, key: str) -> tuple[str, bool]:
        """Return the name of an attribute, and whether its values are numbers that may have been measured."""
        attribute = self._db.attributes_by_id[int(key)]
        name = str(attribute.name())
        self._names[key] = (
            name,
            is_metric(name)
            and attribute.is_value()
            and not attribute.is_global()
            and not attribute.is_hidden()
            and attribute.attribute_type() in NUMBERS,
        )
        return self._names[key]

    def profile(self) -> Profile:
        """Return the profile of the channel with the regions, or else of another channel."""
        channels = sorted(self._channels.items(), key=lambda item: (item[0] != REGIONS, item[0]))
        found = next((profile for _, profile in channels if profile.cells), Profile())
        measured = dict.fromkeys(metric for _, metric in found.cells)
        attributes = {name: self._db.attributes[name] for name in measured}
        marked = {
            name: attribute
            for name, attribute in attributes.items()
            if attribute.is_aggregatable() or is_aggregated(name)
        }
        names = _aliases(marked or attributes)
        units = {
            new: unit(old, str(attributes[old].get("attribute.unit") or "")) for old, new in names.items()
        }
        about = {str(name): str(value) for name, value in self._globals.items()}
        return found.finished(names, units, about)


def _aliases(attributes: Mapping[str, Any]) -> dict[str, str]:
    """Return each attribute's readable name (alias), or its own name if the alias is not unique."""
    aliases = {name: str(attribute.get("attribute.alias") or name) for name, attribute in attributes.items()}
    taken = list(aliases.values())
    return {name: alias if taken.count(alias) == 1 else name for name, alias in aliases.items()}
