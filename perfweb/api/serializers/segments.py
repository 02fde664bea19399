"""Laws of a kernel whose behaviour changes inside the measured range."""

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers

from modeling.selectors.kernel.segments import Segmented
from perfweb.api.serializers.laws import TermSerializer, written_terms
from perfweb.api.serializers.numbers import Number

Entry = dict[str, Any]


class SegmentSerializer(serializers.Serializer[object]):
    """constant + Σ terms, from one value of the parameter to another."""

    begin = Number(help_text="where the law begins to hold, by rising values; null: it is the first")
    end = Number(help_text="where the next one begins; null: it is the last, and extrapolation rests on it")
    first_measured = serializers.FloatField()
    last_measured = serializers.FloatField()
    values = serializers.IntegerField(help_text="of the parameter, that were measured there")
    constant = Number()
    terms = TermSerializer(many=True)


class SegmentsSerializer(serializers.Serializer[object]):
    """Segments along one parameter; `law` is that of the last one."""

    parameter = serializers.CharField()
    probability = serializers.FloatField(help_text="that there are several")
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
