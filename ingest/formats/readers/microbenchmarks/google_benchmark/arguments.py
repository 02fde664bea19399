"""Splits the names of benchmarks into kernel and arguments."""

import re

from ingest.formats.collecting.entries import as_number, level_of

SETTINGS = {"real_time", "process_time", "manual_time"}
SETTING_VALUES = ("iterations:", "repeats:", "min_time:", "min_warmup_time:")
ARGUMENT = re.compile(r"([^:]++):([^:]++)")
"""An argument with its name, such as `n:1024`; `std::sort` is not an argument."""
MARK = re.compile(r"->|[<>()/]")


def arguments(name: str) -> tuple[str, dict[str, object]]:
    """Return the kernel that `BM_sort<int>/n:1024/8/real_time` measures, and its arguments by name."""
    first, *parts = _parts(name)
    kernel, parameters, count = [first], dict[str, object](), 0
    for part in parts:
        named = ARGUMENT.fullmatch(part)
        if part in SETTINGS or part.startswith(SETTING_VALUES):
            continue
        if named:
            parameters[level_of(named[1])] = named[2]
        elif as_number(part) is not None:
            count += 1
            parameters[f"arg{count}"] = part
        else:
            kernel.append(part)
    return level_of("/".join(kernel)), parameters


def _parts(name: str) -> list[str]:
    """Split a name at slashes outside of the brackets of a template or a call."""
    parts, depth, start = list[str](), 0, 0
    for found in MARK.finditer(name):
        mark = found[0]
        if mark in "<(":
            depth += 1
        elif mark in ">)":
            depth -= 1
        elif mark == "/" and not depth:
            parts.append(name[start : found.start()])
            start = found.end()
    return name.split("/") if depth else [*parts, name[start:]]
