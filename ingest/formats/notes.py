"""What the owner of a file should know of it: no more notes than somebody reads."""

from collections.abc import Sequence

MOST_NOTES = 20
"""Notes of one kind that are shown one by one, about a screen of them."""


def bounded_notes(notes: Sequence[str], rest: str = "more notes of this kind") -> tuple[str, ...]:
    """The first notes, and how many more there are: "7 more notes of this kind"."""
    if len(notes) <= MOST_NOTES:
        return tuple(notes)
    return (*notes[:MOST_NOTES], f"{len(notes) - MOST_NOTES} {rest}")
