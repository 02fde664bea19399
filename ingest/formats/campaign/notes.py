"""Limits the number of notes for the owner of a file."""

from collections.abc import Sequence

MOST_NOTES = 20
"""Limit on the notes of one kind that are shown, about a screen."""


def bounded_notes(notes: Sequence[str], rest: str = "more notes of this kind") -> tuple[str, ...]:
    """Return the first notes, and a line such as "7 more notes of this kind"."""
    if len(notes) <= MOST_NOTES:
        return tuple(notes)
    return (*notes[:MOST_NOTES], f"{len(notes) - MOST_NOTES} {rest}")
