"""Tells runs of several commands apart, by the words in which the commands differ."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from ingest.formats.table.headings import RUN

PROGRAM = "program"
"""Name of the first word of a command."""
OPTION = re.compile(r"-{1,2}([A-Za-z][\w-]{0,40})")
ASSIGNED = re.compile(r"-{0,2}([A-Za-z][\w-]{0,40})=(.{0,200})")
LONGEST = 500
"""Limit on the characters that distinguish commands."""
MOST = 20
"""Limit on the arguments in which commands differ. With more, the whole command names the kernel."""


def differences(commands: Sequence[str]) -> list[Mapping[str, str]]:
    """Return, for each command, the names and values of the arguments in which the commands differ.

    `./sort -n 8 quick` and `./sort -n 64 heap` differ in `n`, and in `arg1`, the first argument without a
    name. Numbers of runs and seeds are left out.
    """
    distinct = dict.fromkeys(command[:LONGEST] for command in commands)
    known = {command: dict(_arguments(command)) for command in distinct}
    times = Counter(item for each in known.values() for item in each.items())
    differing = dict.fromkeys(name for (name, _), count in times.items() if count < len(known))
    if len(differing) > MOST:
        return [{"command": command[:LONGEST]} for command in commands]
    kept = {
        command: {name: each[name] for name in differing if name in each} for command, each in known.items()
    }
    return [kept[command[:LONGEST]] for command in commands]


def _arguments(command: str) -> Iterator[tuple[str, str]]:
    """Yield the names and values of a command's words."""
    first, *words = command.split() or [""]
    yield PROGRAM, PurePosixPath(first).name
    option, count = "", 0
    for word in words:
        assigned, flag = ASSIGNED.fullmatch(word), OPTION.fullmatch(word)
        if assigned:
            name, value = assigned[1], assigned[2]
        elif flag:
            name, value = flag[1], "yes"
        elif option:
            name, value = option, word
        else:
            count += 1
            name, value = f"arg{count}", word
        option = flag[1] if flag else ""
        if name.lower().replace("-", "_") not in RUN - {"i"}:
            yield name, value
