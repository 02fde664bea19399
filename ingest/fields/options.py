"""What people and scripts choose of a format that can be read in more than one way."""

from itertools import chain

from django.core.exceptions import ValidationError

from ingest.fields.names import text_wrong
from ingest.formats import FORMATS

LONGEST_OPTIONS = 2000
"""Characters of all options together."""

OPTIONS_EXAMPLE = "scaling=strong; metrics=time, visits"

KNOWN_OPTIONS: dict[str, dict[str, str]] = {
    name: module.OPTIONS for name, module in FORMATS.items() if hasattr(module, "OPTIONS")
}
"""By format: name → what it chooses."""


def options_parse(text: str) -> dict[str, str]:
    """“name=value; name=value” by name; empty text is nothing.

    Raises:
        ValidationError: a part is no such pair, or its name is given twice.
    """
    options: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not (name and equals and value):
            raise ValidationError(
                f"Found “{part[:40]}”, expected name=value pairs such as {OPTIONS_EXAMPLE}."
            )
        if name in options:
            raise ValidationError(f"Found “{name[:40]}” twice, expected it once.")
        options[name] = value
    return options


def options_written(options: dict[str, str]) -> str:
    """The text again."""
    return "; ".join(f"{name}={value}" for name, value in options.items())


def options_wrong(options: dict[str, str], format_name: str) -> str:
    """Why no file of a format, or of any where none is named, can be read so; empty: it may."""
    known = (
        KNOWN_OPTIONS.get(format_name, {}) if format_name else dict.fromkeys(chain(*KNOWN_OPTIONS.values()))
    )
    if unknown := options.keys() - known.keys():
        return f"Found “{min(unknown)[:40]}”, expected {' or '.join(known) or 'none for this format'}."
    return text_wrong(options_written(options), LONGEST_OPTIONS)
