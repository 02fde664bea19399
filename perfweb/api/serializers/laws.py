"""Terms of laws in the performance model normal form."""

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers

Entry = dict[str, Any]


class FactorSerializer(serializers.Serializer[object]):
    """x^exponent · log2(x)^log_exponent for a parameter x."""

    parameter = serializers.CharField()
    exponent = serializers.FloatField()
    log_exponent = serializers.FloatField()


class TermSerializer(serializers.Serializer[object]):
    """coefficient · Π factors."""

    coefficient = serializers.FloatField()
    factors = FactorSerializer(many=True)


def written_terms(
    coefficients: Sequence[float], exponents: Sequence[float], parameters: Sequence[str]
) -> list[Entry]:
    """Return terms as `TermSerializer` declares them; `exponents` are flattened, and terms with
    coefficient 0 are left out.
    """
    size = 2 * len(parameters)
    return [
        {
            "coefficient": coefficient,
            "factors": written_factors(exponents[at * size : (at + 1) * size], parameters),
        }
        for at, coefficient in enumerate(coefficients)
        if coefficient
    ]


def written_factors(exponents: Sequence[float], parameters: Sequence[str]) -> list[Entry]:
    """Return the factors that are not 1."""
    triples = zip(parameters, exponents[::2], exponents[1::2], strict=True)
    return [{"parameter": name, "exponent": i, "log_exponent": j} for name, i, j in triples if i or j]
