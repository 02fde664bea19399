"""Read the result of a taint analysis for a kernel's function."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ingest.models import Dependencies, Kernel


@dataclass(frozen=True)
class DependsOn:
    """The parameters that a kernel depends on.

    Attributes:
        terms: sets of parameters that occur together, in its loops and those of the functions it calls.
        callers: parameters that its callers depend on. The number of calls may depend on them as well.
        followed: parameters that the analysis tracked through the program.
    """

    terms: frozenset[frozenset[str]]
    callers: frozenset[str]
    followed: frozenset[str]

    @property
    def own(self) -> frozenset[str]:
        """Return all parameters of the kernel's terms."""
        return frozenset().union(*self.terms)


def dependencies_of(kernel: Kernel) -> DependsOn | None:
    """Return the stored dependencies of a kernel's function; None if there are none."""
    row: Dependencies | None = getattr(kernel.application, "dependencies", None)
    if row is None:
        return None
    terms = _terms(row.functions, [kernel.name, *kernel.callers])
    own = terms[_plain(kernel.name)]
    if own is None:
        return None
    callers = [terms[_plain(name)] or () for name in kernel.callers]
    return DependsOn(
        frozenset(own),
        frozenset(name for found in callers for term in found for name in term),
        frozenset(row.parameters),
    )


def _terms(functions: list[dict[str, Any]], names: Iterable[str]) -> dict[str, set[frozenset[str]] | None]:
    """Return the terms of all functions with one of these names, by plain name; None if there is no such
    function.
    """
    found: dict[str, set[frozenset[str]] | None] = dict.fromkeys(map(_plain, names))
    for function in functions:
        for name in set(_names(function)) & found.keys():
            found[name] = (found[name] or set()) | set(map(frozenset, function["depends_on"]))
    return found


def _names(function: dict[str, Any]) -> Iterator[str]:
    """Yield the names that profiles may use for a function: mangled, demangled, and demangled without
    arguments.
    """
    yield _plain(function["name"])
    yield _plain(function["demangled"])
    yield _plain(without_arguments(function["demangled"]))


def _plain(name: str) -> str:
    """Return the name without blanks, because the names of different demanglers differ only in blanks."""
    return "".join(name.split())


def without_arguments(demangled: str) -> str:
    """Return a demangled name up to the parenthesis that matches its last one.

    >>> without_arguments("Mesh::operator()(void (*)(int)) const")
    'Mesh::operator()'
    """
    depth = 0
    for at in range(demangled.rfind(")"), -1, -1):
        depth += {")": 1, "(": -1}.get(demangled[at], 0)
        if not depth:
            return demangled[:at] or demangled
    return demangled
