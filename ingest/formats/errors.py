"""What is wrong with a file, said so that its author can mend it."""

from dataclasses import dataclass, replace


@dataclass
class FormatError(Exception):
    """A file that cannot be read.

    Attributes:
        found: what stands there.
        expected: what should, or what to do.
        line: 1-based; None where no line can be named.
        file: the file's name; filled in by `parse`.
    """

    found: str
    expected: str
    line: int | None = None
    file: str = ""

    def __str__(self) -> str:
        place = ", ".join(filter(None, [self.file, f"line {self.line}" if self.line else ""]))
        return (
            f"{place}: found {self.found}; expected {self.expected}"
            if place
            else (f"found {self.found}; expected {self.expected}")
        )

    def at(self, line: int | None) -> "FormatError":
        """The same error with its line, where it has none yet."""
        return self if self.line else replace(self, line=line)


def quoted(text: object, most: int = 60) -> str:
    """What was found, short enough for a message and without control characters."""
    plain = "".join(letter if letter.isprintable() else "�" for letter in str(text))
    return f"“{plain[:most]}{'…' if len(plain) > most else ''}”"
