"""Perf-Taint's JSON: on which parameters the loops of each function depend.

It holds no measurements, so it is no campaign and none of `FORMATS`. Both of its forms are read: what an
instrumented program writes (`loops[].instance`, loops nested in loops, with references to the functions that
they call), and what the tool's converter makes of it (`loops[].deps`). Source: docs/json.md of Perf-Taint.
Terms are formed as its converter does: loops one after the other add, a loop multiplies with what it
contains, and the parameters of one loop count as occurring together.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from ingest.formats import taint_loops
from ingest.formats.documents.document import Document
from ingest.formats.errors import FormatError, quoted
from ingest.formats.limits import Limits
from ingest.formats.source import Source
from ingest.formats.taint_loops import Reader, terms_of
from ingest.formats.unseen import unseen

Terms = frozenset[frozenset[str]]

LIMITS = Limits(document_bytes=2_000_000, depth=200)
"""Files of whole applications have some 100 kB. A loop in a loop takes two levels of JSON."""
MOST_BRACKETS = 200_000
"""Lists and objects in a file: one for every ten bytes of the largest, as each takes far more here."""

DEMANGLED = "functions_demangled_names"
MANGLED = "functions_mangled_names"
NAME_CHARACTERS = 4096
"""As of a call path; names of templates are long."""


@dataclass(frozen=True)
class Function:
    """What a function depends on.

    Attributes:
        name: mangled, as a linker knows it.
        demangled: as people write it, with its arguments.
        terms: sets of parameters that occur together, in its own loops and those of what it calls; none where
            no loop depends on any parameter.
    """

    name: str
    demangled: str
    terms: Terms


@dataclass(frozen=True)
class Dependencies:
    """What a taint analysis found.

    Attributes:
        parameters: names of all that were followed through the program, also those that nothing depends on.
        functions: those that were analysed.
    """

    parameters: tuple[str, ...]
    functions: tuple[Function, ...]


def recognises(source: Source) -> bool:
    """Whether a file holds dependencies: an object with names of functions and no measurements."""
    return DEMANGLED in source.keys


def read_dependencies(
    path: str | os.PathLike[str], limits: Limits | None = None, data: bytes | None = None
) -> Dependencies:
    """Read them.

    Args:
        path: the file; where its content is given, only its name.
        limits: how large it may be.
        data: its content.

    Raises:
        FormatError: it is no such file; names file, line, what was found and what was expected.
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
        raise FormatError(f"over {MOST_BRACKETS} lists and objects", "what the instrumented program wrote")


def _read(document: Document, limits: Limits) -> Dependencies:
    try:
        _check_kind(document)
        used, unused = (_names(document, section) for section in ("parameters", "unused_parameters"))
        parameters = tuple(dict.fromkeys([*used, *unused]))
        if len(parameters) > limits.parameters:
            raise FormatError(f"{len(parameters)} parameters", f"{limits.parameters} at most")
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
        raise FormatError(found, "what the instrumented program wrote, such as app_0.json", line=1)


def _is_there(document: Document, section: str) -> bool:
    """Whether a section is there and not null; the document is at its value then."""
    if section not in document.sections:
        return False
    document.enter(section)
    return not document.begins("null")


def _names(document: Document, section: str) -> list[str]:
    """A list of names; empty if the key is missing, because the tool leaves out empty lists."""
    if not _is_there(document, section):
        return []
    names = document.value()
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise FormatError(quoted(names), f"a list of names as {section}")
    return [_checked(name) for name in names]


def _checked(name: str) -> str:
    if not name.isprintable() or unseen(name) or len(name) > NAME_CHARACTERS:
        raise FormatError(f"the name {quoted(name)}", f"at most {NAME_CHARACTERS} printable characters")
    return name


def _functions(document: Document, reader: Reader, limits: Limits) -> dict[str, taint_loops.Function]:
    """Functions by their mangled names.

    Functions of libraries, which the analysis never sees from inside, have no line: that nothing is known of
    their loops does not mean that they depend on nothing.
    """
    found: dict[str, taint_loops.Function] = {}
    for section in ("functions", "unimportant_functions"):
        if not _is_there(document, section):
            continue
        for name in document.members():
            value = document.value()
            function = reader.function(value)
            if len(found) == limits.kernels:
                raise FormatError(f"over {limits.kernels} functions", "fewer")
            if section == "functions" or "line" in dict(value):
                found[_checked(name)] = function
    if not found:
        raise FormatError("no function that was analysed", "at least one in “functions”", line=1)
    return found


def _demangled(document: Document, functions: dict[str, taint_loops.Function]) -> dict[str, str]:
    """Demangled names by mangled ones: by their place in both lists, or by the functions' numbers."""
    mangled, names = _names(document, MANGLED), _names(document, DEMANGLED)
    if mangled:
        return dict(zip(mangled, names, strict=False))
    return {
        name: names[function.index]
        for name, function in functions.items()
        if function.index is not None and 0 <= function.index < len(names)
    }
