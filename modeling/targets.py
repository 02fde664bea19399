"""Configurations to predict, as addresses spell them."""

import math
from collections.abc import Mapping, Sequence

NEAREST, FARTHEST = 1e-30, 1e30
"""Beyond them powers of a coordinate leave the range of floating-point numbers."""


def target_parse(text: str, parameters: Sequence[str]) -> dict[str, float]:
    """Read p:65536,n:8000.

    Raises:
        ValueError: what is wrong, for people.
    """
    values: dict[str, float] = {}
    for part in text.split(","):
        name, colon, number = part.strip().rpartition(":")
        if not colon or name not in parameters:
            known = ", ".join(parameters) or "none"
            raise ValueError(f"“{part}” sets no parameter ({known}); write e.g. {_example(parameters)}.")
        values[name] = _positive(name, number)
    missing = [name for name in parameters if name not in values]
    if missing:
        raise ValueError(f"A target needs a value for {', '.join(missing)} too, e.g. {_example(parameters)}.")
    return {name: values[name] for name in parameters}


def target_key(values: Mapping[str, float]) -> str:
    """A configuration as it stands in a URL: p:65536,n:8000."""
    return ",".join(f"{name}:{value:.15g}" for name, value in values.items())


def _example(parameters: Sequence[str]) -> str:
    return ",".join(f"{name}:{1024 * 4**at}" for at, name in enumerate(parameters)) or "p:1024"


def _positive(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not NEAREST <= value <= FARTHEST:
        raise ValueError(f"{name} must be a number above 0, up to {FARTHEST:g}, not “{text}”.")
    return value
