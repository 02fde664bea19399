"""Laws in the performance model normal form: their terms, and laws that hold in segments of a parameter."""

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers

from modeling.selectors.kernel.segments import Segmented
from perfweb.api.serializers.numbers import Number

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
    """Return terms as `TermSerializer` declares them; terms with coefficient 0 are left out."""
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


class SegmentSerializer(serializers.Serializer[object]):
    """A law, constant + Σ terms, which holds from one value of the parameter to another."""

    begin = Number(help_text="value from which the law holds; null for the first segment")
    end = Number(
        help_text="value where the next segment begins; null for the last segment, which is extrapolated"
    )
    first_measured = serializers.FloatField()
    last_measured = serializers.FloatField()
    values = serializers.IntegerField(help_text="number of measured values of the parameter in the segment")
    constant = Number()
    terms = TermSerializer(many=True)


class SegmentsSerializer(serializers.Serializer[object]):
    """Segments along one parameter; `law` is that of the last one."""

    parameter = serializers.CharField()
    probability = serializers.FloatField(help_text="probability that there are several segments")
    laws = SegmentSerializer(many=True)


def written_segments(found: Segmented | None, parameters: Sequence[str]) -> Entry | None:
    """Return segments as `SegmentsSerializer` declares them; null if one law holds for all values."""
    if found is None:
        return None
    return {
        "parameter": found.parameter,
        "probability": found.probability,
        "laws": [
            {
                "begin": segment.begin,
                "end": segment.end,
                "first_measured": segment.first,
                "last_measured": segment.last,
                "values": segment.values,
                "constant": segment.constant,
                "terms": written_terms(segment.coefficients, segment.exponents, parameters),
            }
            for segment in found.segments
        ],
    }
