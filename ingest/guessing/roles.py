"""Guesses the role of a parameter from its name, and chooses the one that counts processes."""

from collections.abc import Iterable, Mapping

from ingest.formats.campaign.roles import Kind, kind, precedence
from ingest.models import Parameter


def parameter_role(name: str) -> str:
    """Return the usual role of a parameter of this name."""
    found = kind(name)
    if found.counts_processes:
        return Parameter.Role.PROCESSES
    return Parameter.Role.PROBLEM_SIZE if found == Kind.SIZE else Parameter.Role.OTHER


def process_parameter(roles: Mapping[str, str], varied: Iterable[str]) -> str | None:
    """Return the parameter that counts processes. Ranks precede nodes, and nodes precede threads.

    Names without a hint come first, because a person gave them the role.
    """
    named = [name for name in varied if roles.get(name) == Parameter.Role.PROCESSES]
    return min(named, key=lambda name: (kind(name).counts_processes, precedence(name)), default=None)
