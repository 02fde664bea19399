"""Checks names that people give, and derives the addresses of applications from their names."""

import os
import re

from django.core.exceptions import ValidationError
from django.utils.text import slugify

from ingest.formats.campaign.invisible import invisible_in, plain

ADDRESS = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")
LONGEST_NAME = 120


def slug_of(name: str) -> str:
    """Return the address of an application of this name: `My Solver 2` is at `my-solver-2`.

    The result may be invalid; `slug_wrong` gives the reason.
    """
    name = name.strip()
    return name if ADDRESS.fullmatch(name) else slugify(re.sub(r"[^\w\s-]", " ", name))


def slug_wrong(name: str) -> str:
    """Return why no address can be derived from a name; empty if one can."""
    name, slug = name.strip(), slug_of(name)
    shown = f"{name[:60]}{'…' if len(name) > 60 else ''}"
    if wrong := text_wrong(name, len(name)):
        return wrong
    if not ADDRESS.search(slug):
        return f"Found “{shown}”, expected a name with at least one letter a–z or digit, such as my-solver."
    if len(slug) > 60 or len(name) > LONGEST_NAME:
        return f"Found a name of {len(name)} characters, “{shown}”, expected at most 60."
    return ""


def slug_note(name: str) -> str:
    """Return a note about the address derived from a name; empty if the name is the address."""
    name, slug = name.strip(), slug_of(name)
    return "" if name == slug else f"The application “{name}” is stored as {slug}."


def file_name(sent: str) -> str:
    """Return the last part of a file name, without invisible characters."""
    shown = "".join(character for character in plain(os.path.basename(sent)) if character.isprintable())
    return shown[:255] or "upload"


def text_wrong(text: str, most: int) -> str:
    """Return why a text cannot be a name or label; empty if it can."""
    if len(text) > most:
        return f"Found {len(text)} characters, expected at most {most}."
    unprintable = next((f"the character U+{ord(each):04X}" for each in text if not each.isprintable()), "")
    found = unprintable or invisible_in(text)
    return f"Found {found}, expected printable characters." if found else ""


def text_visible(text: str) -> None:
    """Refuse a text that cannot be a name, as a validator of form fields.

    Raises:
        ValidationError: what was found.
    """
    if wrong := text_wrong(text, len(text)):
        raise ValidationError(wrong)
