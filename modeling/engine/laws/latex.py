"""Write names with any characters in LaTeX's text and mathematics modes."""

import re
import unicodedata

_SPECIAL = {character: "\\" + character for character in "#$%&_{}"}
_IN_TEXT = _SPECIAL | {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # At the beginning of a table row, LaTeX would read these as arguments of the preceding line break.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    '"': r"{\char34}",  # LaTeX packages for German write umlauts with this character
}
_LIGATURE = re.compile(r"(?<=[-'`,?!])(?=[-'`,])")
"""Positions between characters that LaTeX would join, as in -- or ''."""

_IN_MATHEMATICS = _SPECIAL | {
    "\\": r"\backslash{}",
    "^": r"\hat{\ }",
    "~": r"\sim{}",
    " ": r"\ ",
    "-": r"\textrm{-}",  # a hyphen, not a minus
    "'": r"\textrm{'}",  # an apostrophe, not a prime
    "`": r"\textrm{`}",
    '"': r"\textrm{\char34}",
}
_GREEK = {
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu",
    "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
    "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega",
}  # fmt: skip
"""Greek letters with a LaTeX command."""


def in_text(name: str) -> str:
    """Write a name for running text or a table."""
    apart = _LIGATURE.sub("\0", name)
    return "".join(_IN_TEXT.get(character, character) for character in apart).replace("\0", "{}")


def in_mathematics(name: str) -> str:
    r"""Write a name as a variable of a formula, such as p, \pi or \mathit{my\_p}."""
    if len(name) == 1 and name.isascii() and name.isalpha():
        return name
    if len(name) == 1 and (greek := _greek(name)):
        return greek
    return rf"\mathit{{{''.join(map(_mathematics, name))}}}"


def _mathematics(character: str) -> str:
    if character.isalnum() and character.isascii():
        return character
    if written := _IN_MATHEMATICS.get(character):
        return written
    if greek := _greek(character):
        return f"{greek}{{}}"
    # Braces remove the space around a sign. Other alphabets exist only in text fonts.
    return f"{{{character}}}" if character.isascii() else rf"\textrm{{{character}}}"


def _greek(character: str) -> str:
    """Return the LaTeX command of a Greek letter, or an empty string if there is none."""
    words = unicodedata.name(character, "").split()
    if words[:1] != ["GREEK"] or words[2:3] != ["LETTER"] or len(words) != 4:
        return ""
    letter = words[3].replace("LAMDA", "LAMBDA")
    letter = letter.capitalize() if words[1] == "CAPITAL" else letter.lower()
    return f"\\{letter}" if letter in _GREEK else ""
