"""Turn names of parameters into identifiers of Python."""

import unicodedata
from collections.abc import Iterable
from keyword import kwlist

_TAKEN = {*kwlist, "__debug__", "log2", "nan", "inf"}
"""Identifiers that Python or the formulas already use."""


def identifiers(names: Iterable[str]) -> dict[str, str]:
    """Return a different Python identifier for each name. The order of the names does not matter.

    Names that are identifiers stay unchanged. In other names, underscores replace forbidden characters.
    Numbers make equal results different: a_b and a-b become a_b and a_b_2.
    """
    found: dict[str, str] = {}
    for name in sorted(set(names), key=lambda name: (_identifier(name) != name, name)):
        first = identifier = _identifier(name)
        number = 1
        while identifier in found.values():
            number += 1
            identifier = f"{first}_{number}"
        found[name] = identifier
    return found


def _identifier(name: str) -> str:
    """Return the name as an identifier. Several names may have the same identifier."""
    # Python reads identifiers in this normal form.
    normal = unicodedata.normalize("NFKC", name)
    allowed = "".join(letter if f"a{letter}".isidentifier() else "_" for letter in normal)
    return allowed if allowed.isidentifier() and allowed not in _TAKEN else f"_{allowed}"
