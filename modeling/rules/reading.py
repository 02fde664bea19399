"""Reading a line of text word by word; errors name the place, what was found and what was expected."""

import math
import re
from typing import NamedTuple

LONGEST = 500
"""Characters of a rule. The longest sensible ones have about a hundred."""

_TOKEN = re.compile(
    r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<quoted>`[^`]+`)"
    r"|(?P<word>[^\W\d][\w.]*)"
    r"|(?P<sign><=|>=|\S)"
)

SIGNS = {"<=": "≤", ">=": "≥", "*": "·", "×": "·", "−": "-", "–": "-"}
"""Other ways to write a sign."""


class RuleError(ValueError):
    """A rule that cannot be read; `position` counts characters from 1."""

    def __init__(self, position: int, found: str, expected: str) -> None:
        super().__init__(f"Character {position}: found {found}, expected {expected}.")
        self.position, self.found, self.expected = position, found, expected


class Token(NamedTuple):
    """A number, a word or a sign, with where it begins (from 1)."""

    kind: str
    text: str
    position: int

    @property
    def shown(self) -> str:
        """The token as a message quotes it."""
        return f"“{self.text[:40]}”" if self.kind != "end" else "the end"


class Reader:
    """The tokens of a text, from the left; parameters whose names are no words stand in `backquotes`."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            raise RuleError(LONGEST + 1, "more text", f"at most {LONGEST} characters")
        self._tokens = _tokens(text)
        self._at = 0

    @property
    def next(self) -> Token:
        """The token that comes next."""
        return self._tokens[self._at]

    def take(self) -> Token:
        """The next token, behind which reading goes on; the end stays the end."""
        token = self.next
        if token.kind != "end":
            self._at += 1
        return token

    def takes(self, *texts: str) -> bool:
        """Whether the next tokens are these; if so, reading goes on behind them. Case does not matter."""
        ahead = self._tokens[self._at : self._at + len(texts)]
        if [token.text.lower() for token in ahead] != [text.lower() for text in texts]:
            return False
        self._at += len(texts)
        return True

    def fail(self, expected: str) -> RuleError:
        """The error that something else than the next token was expected."""
        return RuleError(self.next.position, self.next.shown, expected)

    def need(self, text: str, expected: str = "") -> None:
        """Go on behind this token.

        Raises:
            RuleError: another one comes next.
        """
        if not self.takes(text):
            raise self.fail(expected or f"“{text}”")

    def number(self, expected: str = "a number") -> float:
        """The next number, finite and not negative.

        Raises:
            RuleError: none comes next, or one that is too large.
        """
        if self.next.kind != "number":
            raise self.fail(expected)
        value = float(self.next.text)
        if not math.isfinite(value):
            raise self.fail("a number that a computer can hold")
        self.take()
        return value

    def name(self, expected: str) -> str:
        """The next word, or the text in backquotes.

        Raises:
            RuleError: neither comes next.
        """
        if self.next.kind not in ("word", "quoted"):
            raise self.fail(expected)
        return self.take().text.strip("`")

    def end(self, expected: str = "the end") -> None:
        """Make sure that nothing follows.

        Raises:
            RuleError: something does.
        """
        if self.next.kind != "end":
            raise self.fail(expected)


def _tokens(text: str) -> list[Token]:
    found = [
        Token(str(match.lastgroup), SIGNS.get(match[0], match[0]), match.start() + 1)
        for match in _TOKEN.finditer(text)
    ]
    return [*found, Token("end", "", len(text.rstrip()) + 1)]
