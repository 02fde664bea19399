"""Parses the options for formats that can be read in more than one way."""

from itertools import chain

from django.core.exceptions import ValidationError

from ingest.fields.names import text_wrong
from ingest.formats import FORMATS

LONGEST_OPTIONS = 2000
"""Limit on the characters of all options together."""

OPTIONS_EXAMPLE = "scaling=strong; metrics=time, visits"

KNOWN_OPTIONS: dict[str, dict[str, str]] = {
    name: module.OPTIONS for name, module in FORMATS.items() if hasattr(module, "OPTIONS")
}
"""Format → name of each option → explanation of the option."""


def options_parse(text: str) -> dict[str, str]:
    """Parse “name=value; name=value” into values by name.

    Raises:
        ValidationError: a part is not such a pair, or a name occurs twice.
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
    """Return the options as a text that `options_parse` can read."""
    return "; ".join(f"{name}={value}" for name, value in options.items())


def options_wrong(options: dict[str, str], format_name: str) -> str:
    """Return why the options are invalid for the format, or for all formats; empty if they are valid."""
    known = (
        KNOWN_OPTIONS.get(format_name, {}) if format_name else dict.fromkeys(chain(*KNOWN_OPTIONS.values()))
    )
    if unknown := options.keys() - known.keys():
        return f"Found “{min(unknown)[:40]}”, expected {' or '.join(known) or 'none for this format'}."
    return text_wrong(options_written(options), LONGEST_OPTIONS)
