"""Reads Perf-Taint's JSON, which has the parameters on which the loops of each function depend.

The file has no measurements, so it is no campaign, and the module is not in `FORMATS`. An instrumented
program writes `loops[].instance`: loops nested in loops, with references to called functions. The tool's
converter turns this form into `loops[].deps`. Source: docs/json.md of Perf-Taint.

A function depends on a sum of terms. A term is a set of multiplied parameters. As in the converter,
consecutive loops are added, a loop is multiplied with those inside it, and the parameters of one loop with
each other.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from ingest.formats.campaign.invisible import invisible_in
from ingest.formats.dependencies import loops
from ingest.formats.dependencies.loops import Reader, terms_of
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.document import Document
from ingest.formats.files.source import Source
from ingest.formats.limits import Limits

Terms = frozenset[frozenset[str]]

LIMITS = Limits(document_bytes=2_000_000, depth=200)
"""Limits of a file. Whole applications have about 100 kB. A loop inside a loop needs two levels."""
MOST_BRACKETS = 200_000
"""Limit on the lists and objects in a file, because each takes far more memory than its text."""

DEMANGLED = "functions_demangled_names"
MANGLED = "functions_mangled_names"
NAME_CHARACTERS = 4096
"""Limit on the characters of a name, as for a call path, because names of templates are long."""


@dataclass(frozen=True)
class Function:
    """The parameters on which a function depends. `name` is its mangled name.

    Attributes:
        terms: sets of multiplied parameters, in loops of the function and its callees; may be empty.
    """

    name: str
    demangled: str
    terms: Terms


@dataclass(frozen=True)
class Dependencies:
    """The result of a taint analysis.

    Attributes:
        parameters: names of all tracked parameters, including those on which no function depends.
        functions: the functions that were analysed.
    """

    parameters: tuple[str, ...]
    functions: tuple[Function, ...]


def recognises(source: Source) -> bool:
    """Recognise a file of dependencies."""
    return DEMANGLED in source.keys


def read_dependencies(
    path: str | os.PathLike[str], limits: Limits | None = None, data: bytes | None = None
) -> Dependencies:
    """Read the dependencies.

    Args:
        path: the file; only its name is used if `data` is given.
        data: the file's content.

    Raises:
        FormatError: the file is not Perf-Taint's; the message says what was found and what was expected.
    """
    source = Source(Path(path), limits or LIMITS, data=data)
    try:
        _check_brackets(source.whole)
        return _read(source.document, source.limits)
    except FormatError as error:
        error.file = source.path.name
        raise


def _check_brackets(data: bytes) -> None:
    if data.count(b"[") + data.count(b"{") > MOST_BRACKETS:
        raise FormatError(
            f"over {MOST_BRACKETS} lists and objects", "a file that the instrumented program wrote"
        )


def _read(document: Document, limits: Limits) -> Dependencies:
    try:
        _check_kind(document)
        used, unused = (_names(document, section) for section in ("parameters", "unused_parameters"))
        parameters = tuple(dict.fromkeys([*used, *unused]))
        if len(parameters) > limits.parameters:
            raise FormatError(f"{len(parameters)} parameters", f"at most {limits.parameters} parameters")
        reader = Reader(used, parameters)
        functions = _functions(document, reader, limits)
        demangled = _demangled(document, functions)
    except FormatError as error:
        raise error.at(document.line) from None
    return Dependencies(
        parameters,
        tuple(
            Function(name, demangled.get(name, name), reader.named(terms))
            for name, terms in terms_of(functions).items()
        ),
    )


def _check_kind(document: Document) -> None:
    if DEMANGLED not in document.sections:
        found = f"no key “{DEMANGLED}”"
        raise FormatError(found, "a file that the instrumented program wrote, such as app_0.json", line=1)


def _is_there(document: Document, section: str) -> bool:
    """Move to the section, and return whether it exists and is not null."""
    if section not in document.sections:
        return False
    document.enter(section)
    return not document.begins("null")


def _names(document: Document, section: str) -> list[str]:
    """Return a list of names, empty if the key is missing, because the tool writes no empty lists."""
    if not _is_there(document, section):
        return []
    names = document.value()
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise FormatError(quoted(names), f"a list of names as {section}")
    return [_checked(name) for name in names]


def _checked(name: str) -> str:
    if not name.isprintable() or invisible_in(name) or len(name) > NAME_CHARACTERS:
        raise FormatError(f"the name {quoted(name)}", f"at most {NAME_CHARACTERS} printable characters")
    return name


def _functions(document: Document, reader: Reader, limits: Limits) -> dict[str, loops.Function]:
    """Return functions by mangled names, without functions of libraries, whose loops are not analysed."""
    found: dict[str, loops.Function] = {}
    for section in ("functions", "unimportant_functions"):
        if not _is_there(document, section):
            continue
        for name in document.members():
            value = document.value()
            function = reader.function(value)
            if len(found) == limits.kernels:
                raise FormatError(f"over {limits.kernels} functions", f"at most {limits.kernels} functions")
            if section == "functions" or "line" in dict(value):
                found[_checked(name)] = function
    if not found:
        raise FormatError("no function that was analysed", "at least one in “functions”", line=1)
    return found


def _demangled(document: Document, functions: dict[str, loops.Function]) -> dict[str, str]:
    """Return demangled names by mangled ones, matched by position or by the functions' numbers."""
    mangled, names = _names(document, MANGLED), _names(document, DEMANGLED)
    if mangled:
        return dict(zip(mangled, names, strict=False))
    return {
        name: names[function.index]
        for name, function in functions.items()
        if function.index is not None and 0 <= function.index < len(names)
    }
