"""Turn names of parameters into identifiers of Python."""

import unicodedata
from collections.abc import Iterable
from keyword import kwlist

_TAKEN = {*kwlist, "__debug__", "log2", "nan", "inf"}
"""Words that cannot be used as identifiers because Python or the formulas use them."""


def identifiers(names: Iterable[str]) -> dict[str, str]:
    """Return a different identifier for each name, independent of the names' order.

    A name that is already an identifier is not changed. In other names, characters that Python does not allow
    are replaced by underscores. If two identifiers would be equal, a number is added: next to a_b, the name
    a-b becomes a_b_2.
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
    """Return the normal form in which Python itself reads identifiers. This form replaces fullwidth letters
    by ordinary letters.
    """
    normal = unicodedata.normalize("NFKC", name)
    allowed = "".join(letter if f"a{letter}".isidentifier() else "_" for letter in normal)
    return allowed if allowed.isidentifier() and allowed not in _TAKEN else f"_{allowed}"
