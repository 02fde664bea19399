"""The role of a parameter, as its name tells it, and which parameter counts the processes."""

from collections.abc import Iterable, Mapping

from ingest.formats.roles import Kind, kind, precedence
from ingest.models import Parameter


def parameter_role(name: str) -> str:
    """What a parameter of this name usually is."""
    found = kind(name)
    if found.counts_processes:
        return Parameter.Role.PROCESSES
    return Parameter.Role.PROBLEM_SIZE if found == Kind.SIZE else Parameter.Role.OTHER


def process_parameter(roles: Mapping[str, str], varied: Iterable[str]) -> str | None:
    """The parameter that speed-up, efficiency and the automatic target take as the number of processes.

    Several may have that role: of those that vary, ranks go before nodes and these before threads. What no
    name tells was given the role by a person, so it goes before all of them.
    """
    named = [name for name in varied if roles.get(name) == Parameter.Role.PROCESSES]
    return min(named, key=lambda name: (kind(name).counts_processes, precedence(name)), default=None)
