"""Write and parse configurations in addresses of pages, such as p:65536,n:8000."""

import math
from collections.abc import Mapping, Sequence
from urllib.parse import unquote

NEAREST, FARTHEST = 1e-30, 1e30
"""Limits on coordinates, because powers of values beyond them may exceed the range of floats."""

FARTHEST_TOLD = "10³⁰"


def target_parse(text: str, parameters: Sequence[str]) -> dict[str, float]:
    """Parse a configuration. Commas and percent signs in names are written as %2C and %25.

    Raises:
        ValueError: the text is no configuration of these parameters. Users see the message.
    """
    values: dict[str, float] = {}
    for part in text.split(","):
        written, colon, number = part.strip().rpartition(":")
        name = unquote(written) if unquote(written) in parameters else written
        if not colon or name not in parameters:
            known = ", ".join(parameters) or "none"
            raise ValueError(f"“{part}” sets no parameter ({known}); write e.g. {_example(parameters)}.")
        values[name] = _positive(name, number)
    missing = [name for name in parameters if name not in values]
    if missing:
        raise ValueError(f"A target needs a value for {', '.join(missing)} too, e.g. {_example(parameters)}.")
    return {name: values[name] for name in parameters}


def target_key(values: Mapping[str, float]) -> str:
    """Return the text of a configuration."""
    return ",".join(f"{target_name(name)}:{value:.15g}" for name, value in values.items())


def target_name(name: str) -> str:
    """Return the name of a parameter as a configuration writes it."""
    return name.replace("%", "%25").replace(",", "%2C")


def _example(parameters: Sequence[str]) -> str:
    return ",".join(f"{target_name(name)}:{1024 * 4**at}" for at, name in enumerate(parameters)) or "p:1024"


def _positive(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not NEAREST <= value <= FARTHEST:
        raise ValueError(f"{name} must be a number above 0, up to {FARTHEST_TOLD}, not “{text}”.")
    return value
