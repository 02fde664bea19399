"""What an application's functions depend on: as an analysis or people say, or as measurements make it
probable."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from ingest.models import Dependencies
from modeling.engine import inferred_terms
from modeling.selectors.application.dependencies import without_arguments
from modeling.selectors.run.rows import RunRows

Terms = frozenset[frozenset[str]]
"""Sets of parameters that act together; what is in different sets adds up."""

FUNCTIONS_SHOWN = 100
"""Functions of the table in which people say what they depend on: with more nobody goes through them."""


@dataclass(frozen=True)
class ProfileRow:
    """A function, what it depends on, and whether measurements alone say so."""

    name: str
    terms: Terms
    inferred: bool

    @property
    def parameters(self) -> frozenset[str]:
        """All parameters of its terms."""
        return frozenset().union(*self.terms)


def stored_terms(profile: Dependencies) -> dict[str, Terms]:
    """Function → what it depends on, as it is stored."""
    return {
        function["demangled"] or function["name"]: frozenset(map(frozenset, function["depends_on"]))
        for function in profile.functions
    }


def inferred_functions(loaded: RunRows) -> dict[str, Terms]:
    """The heaviest functions of a run, heaviest first, with what their probable laws depend on.

    A function that is called on several paths depends on what any of these kernels depends on.
    """
    names = loaded.campaign.parameters
    points = np.array(loaded.campaign.points, dtype=np.float64)
    found = inferred_terms(loaded.heaviest_weighed, points)
    weight = [loaded.rows[at].largest or 0.0 for at in loaded.heaviest.tolist()]
    functions: dict[str, Terms] = {}
    for place in np.argsort(-np.array(weight), kind="stable").tolist():
        name = loaded.rows[int(loaded.heaviest[place])].name
        terms = frozenset(frozenset(names[at] for at in term) for term in found[place])
        functions[name] = functions.get(name, frozenset()) | terms
    return functions


def profile_rows(profile: Dependencies | None, loaded: RunRows | None) -> list[ProfileRow]:
    """The functions that are stored, then those measured that are not among them."""
    stored = stored_terms(profile) if profile is not None else {}
    rows = [ProfileRow(name, terms, inferred=False) for name, terms in stored.items()]
    if loaded is not None:
        rows += [
            ProfileRow(name, terms, inferred=True)
            for name, terms in inferred_functions(loaded).items()
            if name not in stored
        ]
    return rows[:FUNCTIONS_SHOWN]


def terms_of(chosen: Collection[str], before: Terms) -> Terms:
    """Terms for the parameters that somebody chose: those known where they are the same, else one of all.

    Whether they add or multiply cannot be seen in a table of ticks; that they may meet is the safe answer.
    """
    if frozenset().union(*before) == frozenset(chosen):
        return before
    return frozenset([frozenset(chosen)]) if chosen else frozenset()


def plain_name(name: str) -> str:
    """A function's name as kernels are found by it: without arguments and blanks."""
    return "".join(without_arguments(name).split())


def as_profile(functions: Mapping[str, Terms]) -> dict[str, set[str]]:
    """Function → all parameters that it depends on, as designs are deduced from."""
    return {name: set().union(*terms) for name, terms in functions.items()}
