"""Finds invisible characters in a name, and characters that change how others look.

With them, two different names could look the same.
"""

import re
import unicodedata

HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800"
    "\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""All characters that Unicode calls default ignorable, except `SELECTORS`. Line separators, annotation marks
and the empty Braille pattern are added.
"""
SELECTORS = re.compile("[\ufe00-\ufe0f]")
"""Characters that choose how the one before them looks, visible only on symbols."""
MEANINGLESS = {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Unicode categories of control characters, halves of surrogates, and unassigned characters."""
MARKS = {"Mn", "Me"}
MOST_MARKS = 4
"""Limit on the combining marks on one character. Vowels and tones need three."""


def invisible_in(text: str) -> str:
    """Describe an invisible character of a text, or too many combining marks; empty if there are none."""
    if text.isascii() and text.isprintable():
        return ""
    before, marks = "", 0
    for letter in text:
        category = unicodedata.category(letter)
        selects = SELECTORS.match(letter) and before != "So"
        if category in MEANINGLESS or selects or HIDDEN.match(letter):
            return f"the character U+{ord(letter):04X}"
        marks = marks + 1 if category in MARKS else 0
        if marks > MOST_MARKS:
            return f"more than {MOST_MARKS} combining marks in a row, such as U+{ord(letter):04X},"
        before = category
    return ""


def plain(text: str) -> str:
    """Return the text without invisible characters, for texts of a file that are not names."""
    return HIDDEN.sub("", text)
