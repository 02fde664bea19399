"""Read a line of text word by word. Errors name the position, what was found and what was expected."""

import math
import re
from typing import NamedTuple

LONGEST = 500
"""Limit on the characters of a rule. The longest sensible rules have about a hundred."""

_TOKEN = re.compile(
    r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<quoted>`[^`]+`)"
    r"|(?P<word>[^\W\d][\w.]*)"
    r"|(?P<sign><=|>=|\S)"
)

SIGNS = {"<=": "≤", ">=": "≥", "*": "·", "×": "·", "−": "-", "–": "-"}
"""Other spellings of signs, each with its replacement."""


class RuleError(ValueError):
    """A rule cannot be read. `position` counts characters from 1."""

    def __init__(self, position: int, found: str, expected: str) -> None:
        super().__init__(f"Character {position}: found {found}, expected {expected}.")
        self.position, self.found, self.expected = position, found, expected


class Token(NamedTuple):
    """A number, a word or a sign, with its position (from 1)."""

    kind: str
    text: str
    position: int

    @property
    def shown(self) -> str:
        """Return the token as error messages quote it."""
        return f"“{self.text[:40]}”" if self.kind != "end" else "the end"


class Reader:
    """Reads the tokens of a text one after the other. Unusual names are written in `backquotes`."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            raise RuleError(LONGEST + 1, "more text", f"at most {LONGEST} characters")
        self._tokens = _tokens(text)
        self._at = 0

    @property
    def next(self) -> Token:
        """Return the next token without reading it."""
        return self._tokens[self._at]

    def take(self) -> Token:
        """Read and return the next token. The end token is returned again and again."""
        token = self.next
        if token.kind != "end":
            self._at += 1
        return token

    def takes(self, *texts: str) -> bool:
        """Read the next tokens if they are these texts, in upper or lower case. Return whether they are."""
        ahead = self._tokens[self._at : self._at + len(texts)]
        if [token.text.lower() for token in ahead] != [text.lower() for text in texts]:
            return False
        self._at += len(texts)
        return True

    def fail(self, expected: str) -> RuleError:
        """Return an error that says what was expected in place of the next token."""
        return RuleError(self.next.position, self.next.shown, expected)

    def need(self, text: str, expected: str = "") -> None:
        """Read the token `text`, or raise RuleError."""
        if not self.takes(text):
            raise self.fail(expected or f"“{text}”")

    def number(self, expected: str = "a number") -> float:
        """Read a finite number that is not negative, or raise RuleError."""
        if self.next.kind != "number":
            raise self.fail(expected)
        value = float(self.next.text)
        if not math.isfinite(value):
            raise self.fail("a number that a computer can hold")
        self.take()
        return value

    def name(self, expected: str) -> str:
        """Read a word, or a text in backquotes, or raise RuleError."""
        if self.next.kind not in ("word", "quoted"):
            raise self.fail(expected)
        return self.take().text.strip("`")

    def end(self, expected: str = "the end") -> None:
        """Raise RuleError if a token follows."""
        if self.next.kind != "end":
            raise self.fail(expected)


def _tokens(text: str) -> list[Token]:
    found = [
        Token(str(match.lastgroup), SIGNS.get(match[0], match[0]), match.start() + 1)
        for match in _TOKEN.finditer(text)
    ]
    return [*found, Token("end", "", len(text.rstrip()) + 1)]
