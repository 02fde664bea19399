"""What is wrong with a file, said so that its author can mend it."""


class FormatError(Exception):
    """A file that cannot be read.

    Attributes:
        found: what stands there.
        expected: what should, or what to do.
        line: 1-based; None where no line can be named.
        file: the file's name, filled in by `parse`, and the member's where it is an archive.
    """

    def __init__(self, found: str, expected: str, line: int | None = None) -> None:
        super().__init__(found, expected)
        self.found, self.expected, self.line, self.file = found, expected, line, ""

    def __str__(self) -> str:
        place = ", ".join(filter(None, [self.file, f"line {self.line}" if self.line else ""]))
        message = f"found {self.found}; expected {self.expected}"
        return f"{place}: {message}" if place else message

    def at(self, line: int) -> "FormatError":
        """The same error, which now knows its line."""
        self.line = self.line or line
        return self

    def inside(self, member: str) -> "FormatError":
        """The same error, which now knows in which member of an archive it is."""
        self.file = self.file or member
        return self


class LimitError(FormatError):
    """A file with more of something than is read, of which no later line can make less."""


def quoted(text: object, most: int = 60) -> str:
    """What was found, short enough for a message and without control characters."""
    start = str(text)[: most + 1]
    plain = "".join(letter if letter.isprintable() else "�" for letter in start)
    return f"“{plain[:most]}{'…' if len(plain) > most else ''}”"
