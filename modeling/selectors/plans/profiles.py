"""The parameters that functions depend on: from an analysis, from users, or inferred."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from ingest.models import Dependencies
from modeling.engine import inferred_terms
from modeling.engine.design.deduced.profile import without_arguments
from modeling.selectors.run.rows import RunRows

Terms = frozenset[frozenset[str]]
"""Sets of parameters. Effects in one set multiply; effects of different sets add up."""

FUNCTIONS_SHOWN = 100
"""Limit on the functions in the table in which users set dependencies."""

FUNCTIONS_NAMED = 5
"""Limit on the functions that a sentence names."""


@dataclass(frozen=True)
class ProfileRow:
    """A function, its terms, and whether these are inferred from measurements."""

    name: str
    terms: Terms
    inferred: bool

    @property
    def parameters(self) -> frozenset[str]:
        """All parameters of the function's terms."""
        return frozenset().union(*self.terms)


def stored_terms(profile: Dependencies) -> dict[str, Terms]:
    """Return the terms that are stored for each function."""
    return {
        function["demangled"] or function["name"]: frozenset(map(frozenset, function["depends_on"]))
        for function in profile.functions
    }


def inferred_functions(loaded: RunRows) -> dict[str, Terms]:
    """Return a run's largest functions, largest first, with the terms of their probable laws."""
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
    """Return the stored functions, then the measured functions that are not stored."""
    stored = stored_terms(profile) if profile is not None else {}
    rows = [ProfileRow(name, terms, inferred=False) for name, terms in stored.items()]
    known = set(map(plain_name, stored))
    if loaded is not None:
        rows += [
            ProfileRow(name, terms, inferred=True)
            for name, terms in inferred_functions(loaded).items()
            if plain_name(name) not in known
        ]
    return rows[:FUNCTIONS_SHOWN]


def uncovered_told(profile: Dependencies, loaded: RunRows) -> str:
    """Name the largest measured functions that the stored table lacks, the largest first; empty if none."""
    rows = sorted((loaded.rows[at] for at in loaded.heaviest.tolist()), key=lambda row: -(row.largest or 0.0))
    stored = {plain_name(name) for name in stored_terms(profile)}
    measured = list(dict.fromkeys(row.name for row in rows))
    missing = [name for name in measured if plain_name(name) not in stored]
    if not missing:
        return ""
    named = ", ".join(missing[:FUNCTIONS_NAMED])
    more = len(missing) - FUNCTIONS_NAMED
    return (
        f"The stored table lacks {len(missing)} of the {len(measured)} most expensive functions that were "
        f"measured: {named}{f' and {more} more' if more > 0 else ''}. The design does not cover what they "
        "depend on, unless somebody adds them to the table."
    )


def terms_of(chosen: Collection[str], before: Terms) -> Terms:
    """Return terms for the parameters that a user chose: the earlier terms if they fit, or else one term."""
    if frozenset().union(*before) == frozenset(chosen):
        return before
    return frozenset([frozenset(chosen)]) if chosen else frozenset()


def plain_name(name: str) -> str:
    """Return a function's name without arguments and blanks, by which kernels are matched."""
    return "".join(without_arguments(name).split())


def as_profile(functions: Mapping[str, Terms]) -> dict[str, set[str]]:
    """Return the parameters of each function, without their grouping into terms."""
    return {name: set().union(*terms) for name, terms in functions.items()}
