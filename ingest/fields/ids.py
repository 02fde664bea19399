"""Ids of rows, as addresses and forms name them."""

LONGEST = 18
"""Limit on the digits of an id: the database has none above 2^63."""


def id_parse(text: str) -> int | None:
    """Return the id that a text names; None if it names none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= LONGEST else None
