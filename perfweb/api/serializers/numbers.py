"""Numbers in the form that JSON allows."""

import math

from rest_framework import serializers


def finite(value: float | None) -> float | None:
    """Return the number, or None if it is unknown or infinite."""
    return float(value) if value is not None and math.isfinite(value) else None


class Number(serializers.FloatField):
    """A number, or null if the number is unknown or infinite."""

    def __init__(self, **options: object) -> None:
        super().__init__(allow_null=True, **options)  # type: ignore[arg-type]

    def to_representation(self, value: float) -> float | None:  # type: ignore[override]
        """Return the value, or null if it is unknown or infinite."""
        return finite(value)
