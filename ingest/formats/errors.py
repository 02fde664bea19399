"""Errors about files that cannot be read, worded so that the author can correct the file."""


class FormatError(Exception):
    """A file cannot be read.

    Attributes:
        found: what the file contains.
        expected: what the file should contain, or what to do.
        line: 1-based, or None if no line can be named.
        file: the file's name, filled in by `parse`; for an archive, the member's name.
    """

    def __init__(self, found: str, expected: str, line: int | None = None) -> None:
        super().__init__(found, expected)
        self.found, self.expected, self.line, self.file = found, expected, line, ""

    def __str__(self) -> str:
        place = ", ".join(filter(None, [self.file, f"line {self.line}" if self.line else ""]))
        message = f"found {self.found}; expected {self.expected}"
        return f"{place}: {message}" if place else message

    def at(self, line: int) -> "FormatError":
        """Set the line of the error if it has none, and return the error."""
        self.line = self.line or line
        return self

    def inside(self, member: str) -> "FormatError":
        """Set the archive's member of the error if it has none, and return the error."""
        self.file = self.file or member
        return self


class LimitError(FormatError):
    """The content of a file exceeds a limit, so that reading on is pointless."""


def quoted(text: object, most: int = 60) -> str:
    """Return a value from the file, shortened and without control characters, for a message."""
    start = str(text)[: most + 1]
    plain = "".join(letter if letter.isprintable() else "�" for letter in start)
    return f"“{plain[:most]}{'…' if len(plain) > most else ''}”"
