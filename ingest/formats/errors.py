"""Errors of an unreadable file, worded so that its author can correct the file."""


class FormatError(Exception):
    """Raised for a file that cannot be read.

    Attributes:
        found: what the file contains.
        expected: what it should contain, or what to do.
        line: 1-based; None where no line can be named.
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
        """Return the same error with its line."""
        self.line = self.line or line
        return self

    def inside(self, member: str) -> "FormatError":
        """Return the same error with the archive's member in which it occurred."""
        self.file = self.file or member
        return self


class LimitError(FormatError):
    """Raised for a file that exceeds a limit on its content; reading further could not correct it."""


def quoted(text: object, most: int = 60) -> str:
    """Return a value from the file for a message: shortened, and without control characters."""
    start = str(text)[: most + 1]
    plain = "".join(letter if letter.isprintable() else "�" for letter in start)
    return f"“{plain[:most]}{'…' if len(plain) > most else ''}”"
