"""The evidence modeler's results for a kernel besides the most probable law."""

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers

from modeling.engine import NOISE_SHAPES
from modeling.selectors.run.weighed import Lead, Weighed
from perfweb.api.serializers.laws import TermSerializer, written_terms
from perfweb.api.serializers.numbers import Number

Entry = dict[str, Any]


class RivalSerializer(serializers.Serializer[object]):
    """A law that the measurements allow."""

    probability = serializers.FloatField()
    constant = serializers.FloatField()
    terms = TermSerializer(many=True)
    predicted = Number(help_text="median prediction of this law alone at the target")


class LeadSerializer(serializers.Serializer[object]):
    """The factor x^exponent · log2(x)^log_exponent with which the metric grows with a parameter x. The
    exponents 0 and 0 mean no growth. The exponents 0 and -1 mean that the metric rises towards a limit.
    """

    exponent = serializers.FloatField()
    log_exponent = serializers.FloatField()
    probability = serializers.FloatField()


class GrowthSerializer(serializers.Serializer[object]):
    """How the metric may grow with a parameter, over all laws."""

    parameter = serializers.CharField()
    lead_exponents = LeadSerializer(many=True, help_text="most probable first")


class FamilySerializer(serializers.Serializer[object]):
    """A family of noise."""

    family = serializers.ChoiceField(NOISE_SHAPES)
    probability = serializers.FloatField()


class EvidenceSerializer(serializers.Serializer[object]):
    """Probabilities of laws, of growth and of noise; each list is in falling order."""

    rivals = RivalSerializer(many=True)
    others = serializers.FloatField(help_text="probability of all laws that are not among the rivals")
    growth = GrowthSerializer(many=True)
    noise_families = FamilySerializer(many=True)


def written_evidence(found: Weighed | None, parameters: Sequence[str]) -> Entry | None:
    """Return the evidence as `EvidenceSerializer` declares it; `parameters` are in the campaign's order."""
    if found is None:
        return None
    return {
        "rivals": [
            {
                "probability": rival.probability,
                "constant": rival.constant,
                "terms": written_terms(rival.coefficients, rival.exponents, parameters),
                "predicted": rival.predicted,
            }
            for rival in found.rivals
        ],
        "others": found.others,
        "growth": [
            {"parameter": name, "lead_exponents": [_lead(lead) for lead in leads]}
            for name, leads in zip(parameters, found.leads, strict=True)
        ],
        "noise_families": [{"family": kind.name, "probability": kind.probability} for kind in found.noise],
    }


def _lead(lead: Lead) -> Entry:
    return {
        "exponent": lead.exponent,
        "log_exponent": lead.log_exponent,
        "probability": lead.probability,
    }
