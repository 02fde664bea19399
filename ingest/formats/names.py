"""Names that a page can show and a database index: bounded, visible, in reading order."""

import unicodedata

from ingest.formats.errors import FormatError, quoted
from ingest.formats.limits import Limits

SEPARATOR = "->"
BIDIRECTIONAL = set("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
DEFAULT_KERNEL = "main"
DEFAULT_METRIC = "time"


def kernel_path(name: object, limits: Limits) -> str:
    """A call path, one space-free separator between its levels.

    Raises:
        FormatError: it is empty, too long or has characters that cannot be seen.
    """
    levels = [level.strip() for level in _checked(name, "a kernel", limits.path_characters).split(SEPARATOR)]
    if not all(levels):
        raise FormatError(f"the kernel {quoted(name)} with an empty level", "a name on each side of “->”")
    if len(levels) > limits.levels:
        raise FormatError(f"a call path of {len(levels)} levels", f"{limits.levels} at most")
    return SEPARATOR.join(levels)


def short_name(name: object, what: str, limits: Limits) -> str:
    """The name of a parameter or metric.

    Raises:
        FormatError: as `kernel_path`.
    """
    return _checked(name, what, limits.name_characters)


def _checked(name: object, what: str, most: int) -> str:
    if not isinstance(name, str):
        raise FormatError(f"{quoted(name)} as the name of {what}", "a text")
    name = name.strip()
    if not 0 < len(name) <= most:
        found = f"a name of {len(name)} characters for {what}" if name else f"an empty name for {what}"
        raise FormatError(found, f"1 to {most} characters")
    if not name.isascii():
        _check_visible(name, what)
    elif not name.isprintable():
        raise FormatError(f"a control character in the name {quoted(name)} of {what}", "printable characters")
    return name


def _check_visible(name: str, what: str) -> None:
    for letter in name:
        if letter in BIDIRECTIONAL or unicodedata.category(letter) in ("Cc", "Cs", "Co", "Cn", "Zl", "Zp"):
            raise FormatError(
                f"the character U+{ord(letter):04X} in the name {quoted(name)} of {what}",
                "visible characters, none that change the direction of reading",
            )
