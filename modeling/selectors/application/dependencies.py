"""What a taint analysis says of the function that a kernel is."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ingest.models import Dependencies, Kernel


@dataclass(frozen=True)
class DependsOn:
    """On which parameters a kernel depends.

    Attributes:
        terms: sets of parameters that occur together, in its loops and those of what it calls.
        callers: parameters on which the functions that call it depend: how often they call it may, too.
        followed: parameters that the analysis followed through the program.
    """

    terms: frozenset[frozenset[str]]
    callers: frozenset[str]
    followed: frozenset[str]

    @property
    def own(self) -> frozenset[str]:
        """All parameters of its terms."""
        return frozenset().union(*self.terms)


def dependencies_of(kernel: Kernel) -> DependsOn | None:
    """What is known of a kernel's function; None where nothing is."""
    row = Dependencies.objects.filter(application=kernel.application_id).first()
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
    """By plain name the terms of all functions that are called so; None: there is no such function."""
    found: dict[str, set[frozenset[str]] | None] = dict.fromkeys(map(_plain, names))
    for function in functions:
        for name in set(_names(function)) & found.keys():
            found[name] = (found[name] or set()) | set(map(frozenset, function["depends_on"]))
    return found


def _names(function: dict[str, Any]) -> Iterator[str]:
    """How profiles may call a function: mangled, demangled, and that without its arguments."""
    yield _plain(function["name"])
    yield _plain(function["demangled"])
    yield _plain(without_arguments(function["demangled"]))


def _plain(name: str) -> str:
    """Demanglers disagree about blanks only."""
    return "".join(name.split())


def without_arguments(demangled: str) -> str:
    """A demangled name up to the parenthesis that its last one closes.

    >>> without_arguments("Mesh::operator()(void (*)(int)) const")
    'Mesh::operator()'
    """
    depth = 0
    for at in range(demangled.rfind(")"), -1, -1):
        depth += {")": 1, "(": -1}.get(demangled[at], 0)
        if not depth:
            return demangled[:at] or demangled
    return demangled
