"""Perf-Taint's JSON: on which parameters the loops of each function depend. Laws need no other terms.

It holds no measurements, so it is no campaign and none of `FORMATS`.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.formats.document import Document
from ingest.formats.errors import FormatError, quoted
from ingest.formats.json_text import members
from ingest.formats.limits import Limits
from ingest.formats.source import Source

Terms = frozenset[frozenset[str]]


@dataclass(frozen=True)
class Dependencies:
    """What a taint analysis found.

    Attributes:
        parameters: their names.
        functions: demangled name → sets of parameters that occur together; none where nothing depends on any.
    """

    parameters: tuple[str, ...]
    functions: dict[str, Terms]


def read_dependencies(path: str | os.PathLike[str], limits: Limits | None = None) -> Dependencies:
    """Read them.

    Raises:
        FormatError: it is no such file; names file, line, what was found and what was expected.
    """
    source = Source(Path(path), limits or Limits())
    try:
        return _read(source.document)
    except FormatError as error:
        error.file = source.path.name
        raise


def _read(document: Document) -> Dependencies:
    try:
        parameters = tuple(_names(document, "parameters"))
        demangled = _names(document, "functions_demangled_names")
        document.enter("functions")
        functions = {}
        for mangled in document.members():
            function = members(document.value(), "an object for each function")
            functions[_name(function, mangled, demangled)] = _terms(function, parameters)
    except FormatError as error:
        raise error.at(document.line) from None
    return Dependencies(parameters, functions)


def _names(document: Document, section: str) -> list[str]:
    document.enter(section)
    names = list(document.elements())
    if not all(isinstance(name, str) for name in names):
        raise FormatError(quoted(names), f"names as {section}")
    return names


def _name(function: dict[str, Any], mangled: str, demangled: list[str]) -> str:
    place = function.get("func_idx")
    known = isinstance(place, float) and place in range(len(demangled))
    return demangled[int(place)] if known else mangled  # type: ignore[arg-type]


def _terms(function: dict[str, Any], parameters: tuple[str, ...]) -> Terms:
    loops = function.get("loops") or []
    if not isinstance(loops, list):
        raise FormatError(quoted(loops), "a list of loops")
    found = set()
    for loop in loops:
        for names in members(loop, "an object for each loop").get("deps") or []:
            if not isinstance(names, list) or not set(map(str, names)) <= set(parameters):
                raise FormatError(f"the dependency {quoted(names)}", f"some of {', '.join(parameters)}")
            found.add(frozenset(map(str, names)))
    return frozenset(found)
