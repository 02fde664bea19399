"""Read the parameters that a function depends on, from a taint analysis or a user's table."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ingest.models import PATH_SEPARATOR, Application, Dependencies, Kernel
from modeling.engine import DEFAULT_MODELER
from modeling.engine.design.deduced.profile import without_arguments
from modeling.models import ModelRun


@dataclass(frozen=True)
class DependsOn:
    """The parameters that a kernel depends on. Each of the `terms` has parameters that act together in loops.

    `callers` are parameters of its callers, so they may influence how often it is called. `followed` are all
    parameters that the analysis tracked.
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
    return _depends_on(kernel.path, _terms(row.functions), frozenset(row.parameters))


def profile_of(application: Application) -> Dependencies | None:
    """Return the stored dependencies of the application's functions; None if there are none."""
    return Dependencies.objects.filter(application=application).first()


def profile_of_run(run: ModelRun) -> Dependencies | None:
    """Return the stored dependencies that a run uses; None if there are none or the modeler ignores them."""
    if run.modeler != DEFAULT_MODELER:
        return None
    return profile_of(run.campaign.version.application)


def profile_differs(run: ModelRun) -> bool:
    """Return whether the dependencies of a run's laws differ from those stored now."""
    stored = profile_of_run(run)
    return run.profiled_at != (stored.stored_at if stored else None)


def influences(row: Dependencies, paths: Sequence[str], parameters: Sequence[str]) -> NDArray[np.bool_]:
    """Return whether each parameter may influence each kernel, (kernels, parameters).

    A parameter influences a kernel if the function or one of its callers depends on it. Any parameter may
    influence an unknown function. An untracked parameter may influence any kernel.
    """
    terms, followed = _terms(row.functions), frozenset(row.parameters)
    found = np.ones((len(paths), len(parameters)), dtype=bool)
    for number, path in enumerate(paths):
        known = _depends_on(path, terms, followed)
        if known is not None:
            excluded = known.followed - known.own - known.callers
            found[number] = [name not in excluded for name in parameters]
    return found


def meetings(row: Dependencies, paths: Sequence[str], parameters: Sequence[str]) -> NDArray[np.bool_]:
    """Return whether pairs of parameters may act together in kernels, (kernels, parameters, parameters).

    A pair cannot act together if the function uses both only separately, and no caller depends on either.
    """
    terms, followed = _terms(row.functions), frozenset(row.parameters)
    found = np.ones((len(paths), len(parameters), len(parameters)), dtype=bool)
    for number, path in enumerate(paths):
        known = _depends_on(path, terms, followed)
        if known is None:
            continue
        own = known.own - known.callers
        for one, other in combinations([at for at, name in enumerate(parameters) if name in own], 2):
            pair = {parameters[one], parameters[other]}
            found[number, one, other] = found[number, other, one] = any(
                term.issuperset(pair) for term in known.terms
            )
    return found


Terms = Mapping[str, Collection[frozenset[str]]]
"""Name of a function without blanks → its terms."""


def _depends_on(path: str, terms: Terms, followed: frozenset[str]) -> DependsOn | None:
    *callers, name = map(_plain, path.split(PATH_SEPARATOR))
    if name not in terms:
        return None
    above = frozenset(parameter for caller in callers for term in terms.get(caller, ()) for parameter in term)
    return DependsOn(frozenset(terms[name]), above, followed)


def _terms(functions: list[dict[str, Any]]) -> Terms:
    """Return the terms of functions by plain name. Functions with equal names share all their terms."""
    found: dict[str, set[frozenset[str]]] = {}
    for function in functions:
        for name in set(_names(function)):
            found.setdefault(name, set()).update(map(frozenset, function["depends_on"]))
    return found


def _names(function: dict[str, Any]) -> Iterator[str]:
    """Yield a function's possible names: mangled, demangled, and demangled without arguments."""
    yield _plain(function["name"])
    yield _plain(function["demangled"])
    yield _plain(without_arguments(function["demangled"]))


def _plain(name: str) -> str:
    """Return the name without blanks, because demanglers write blanks differently."""
    return "".join(name.split())
