"""Filter files that exclude constant functions, which depend on no parameter, from instrumentation.

Instrumenting short functions causes the most overhead, and functions that do not grow need no measurements
(Performance-Detective, section 2.1).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from modeling.engine.design.deduced.profile import without_arguments


@dataclass(frozen=True)
class Function:
    """A function: its mangled name for a linker, and its readable name."""

    mangled: str
    demangled: str


def filter_text(kind: str, constant: Sequence[Function], measured: Sequence[Function] = ()) -> str:
    """Return a filter that excludes the constant functions, and none of the measured ones.

    Raises:
        ValueError: `kind` is not in `FILTERS`.
    """
    if kind not in FILTERS:
        raise ValueError(f"Found “{kind[:40]}”, expected one of {', '.join(FILTERS)}.")
    if kind == "gcc":
        return _gcc(constant, measured)
    return {"scorep": _scorep, "clang": _clang}[kind](constant)


def _scorep(functions: Sequence[Function]) -> str:
    """Return a filter file for Score-P. Wildcards in names are escaped."""
    names = [re.sub(r"([*?\[\]\\# ])", r"\\\1", function.mangled) for function in functions]
    lines = [
        "SCOREP_REGION_NAMES_BEGIN",
        *(f"  EXCLUDE MANGLED {name}" for name in names),
        "SCOREP_REGION_NAMES_END",
    ]
    return "\n".join(["# SCOREP_FILTERING_FILE: functions that depend on no parameter.", *lines]) + "\n"


def _gcc(constant: Sequence[Function], measured: Sequence[Function]) -> str:
    """Return a file of options for `gcc @file`.

    A listed name excludes all functions whose names contain it. So names that are part of a measured
    function's name are not listed.
    """
    whole = [without_arguments(function.demangled) for function in measured]
    parts = (without_arguments(function.demangled) for function in constant)
    names = [part.replace(",", r"\,") for part in parts if not any(part in name for name in whole)]
    options = ["-finstrument-functions"]
    if names:
        listed = ",".join(dict.fromkeys(names)).replace("\\", "\\\\").replace('"', '\\"')
        options.append(f'"-finstrument-functions-exclude-function-list={listed}"')
    return "\n".join(options) + "\n"


def _clang(functions: Sequence[Function]) -> str:
    """Return a file for `clang -fxray-instrument -fxray-attr-list=file`."""
    names = [re.sub(r"([*?\[\]\\{}()+^$|])", r"\\\1", function.mangled) for function in functions]
    return (
        "\n".join(["# Functions that depend on no parameter.", "[never]", *(f"fun:{name}" for name in names)])
        + "\n"
    )


FILTERS = {"scorep": "Score-P", "gcc": "gcc", "clang": "clang (XRay)"}
"""Kinds of filters by their name in addresses, with the tool that reads them."""
