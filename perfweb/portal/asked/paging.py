"""Divides a long table into pages."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Pages:
    """Rows `first` to `last` of `count`; `previous` and `following`: rows to skip for pages next to it."""

    first: int
    last: int
    count: int
    previous: int | None
    following: int | None

    @staticmethod
    def skip_from(text: str | None, size: int) -> int:
        """Return the number of rows to skip: a whole number of pages; 0 for invalid text."""
        skip = int(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else 0
        return skip - skip % size


def pages_of(count: int, skip: int, size: int) -> Pages:
    """Return the page that begins after `skip` rows."""
    return Pages(
        first=min(skip + 1, count),
        last=min(skip + size, count),
        count=count,
        previous=max(skip - size, 0) if skip else None,
        following=skip + size if skip + size < count else None,
    )
