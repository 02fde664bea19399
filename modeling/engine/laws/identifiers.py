"""Names of parameters as identifiers of Python."""

import unicodedata
from collections.abc import Iterable
from keyword import kwlist

_TAKEN = {*kwlist, "__debug__", "log2", "nan", "inf"}
"""Words that cannot be identifiers, because Python or formulas use them."""


def identifiers(names: Iterable[str]) -> dict[str, str]:
    """A different identifier for each name, independent of the names' order.

    A name that is an identifier stays as it is. In other names, characters that Python does not allow become
    underscores, and a number is added where two would be equal: with a_b, a-b becomes a_b_2.
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
    """Python itself reads identifiers in this normal form, in which fullwidth letters are plain ones."""
    normal = unicodedata.normalize("NFKC", name)
    allowed = "".join(letter if f"a{letter}".isidentifier() else "_" for letter in normal)
    return allowed if allowed.isidentifier() and allowed not in _TAKEN else f"_{allowed}"
