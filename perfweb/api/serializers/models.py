"""Models: laws in the performance model normal form, with errors, noise and predictions.

`ModelSerializer` only declares the form of an answer, and `written` builds it: the framework's fields would
take several times the time budget of a page with hundreds of models.
"""

from collections.abc import Sequence
from typing import Any

from django.urls import reverse
from rest_framework import serializers

from modeling.engine import GRADES, doubts
from modeling.models import Model
from modeling.selectors.kernel.segments import segmented
from modeling.selectors.run.metrics import adds_up
from modeling.selectors.run.models_at import ModelAt
from perfweb.api.links import Link
from perfweb.api.serializers.campaigns import RunSerializer
from perfweb.api.serializers.evidence import EvidenceSerializer, written_evidence
from perfweb.api.serializers.laws import (
    FactorSerializer,
    SegmentsSerializer,
    TermSerializer,
    written_factors,
    written_segments,
    written_terms,
)
from perfweb.api.serializers.numbers import Number, finite
from perfweb.reasons import doubt_reasons, trust_reasons
from perfweb.together import together

Entry = dict[str, Any]


class KernelSerializer(serializers.Serializer[object]):
    """A call path."""

    id = serializers.IntegerField()
    path = serializers.CharField()
    history = Link("api:history", pk="pk")


class AmountSerializer(serializers.Serializer[object]):
    """A value at the target with its 95 % interval, in units of the metric."""

    predicted = Number()
    lower = Number()
    upper = Number()


class AtTargetSerializer(AmountSerializer):
    """A prediction at the target with its 95 % interval, and the formula's value; in units of the metric."""

    law_value = Number(
        help_text="value of the formula alone; the prediction is a median over all laws, follows nearby "
        "measured points, and returns to the law far from them"
    )


class TrustSerializer(serializers.Serializer[object]):
    """The trust in the prediction at the target."""

    grade = serializers.ChoiceField(GRADES)
    reasons = serializers.ListField(
        child=serializers.CharField(), help_text="reasons for the grade, as sentences"
    )


class TotalSerializer(AmountSerializer):
    """The whole program at the target: a sum of kernels' predictions, with the interval of joint draws."""

    kernels = serializers.IntegerField(help_text="number of kernels that the total sums up")


class ErrorsSerializer(serializers.Serializer[object]):
    """How well the law fits; fractions, not percent."""

    smape = Number(help_text="SMAPE of the fit to all points")
    relative_error = Number(help_text="mean relative error of the fit to all points")
    r_squared = Number()
    cv_smape = Number(help_text="SMAPE when each point is predicted by a fit to all other points")
    holdout_error = Number(help_text="relative error at the largest point of a law fitted to the others")


class NoiseSerializer(serializers.Serializer[object]):
    """Noise of the repetitions; fractions, not percent."""

    level = Number()
    mean = Number()
    median = Number()
    min = Number()
    max = Number()


class StabilitySerializer(serializers.Serializer[object]):
    """How much the law depends on single points; null until this has been computed."""

    score = Number(
        help_text="share of the points that can be left out, one at a time, without changing the law"
    )
    weakest_point = serializers.DictField(
        child=serializers.FloatField(), allow_null=True, help_text="the most influential point"
    )
    ratio = Number(help_text="prediction without that point / with it, at 4 times the largest values")


class IdentifiabilitySerializer(serializers.Serializer[object]):
    """Whether the data determine the law, and its value at the target."""

    identifiable = serializers.BooleanField()
    reasons = serializers.ListField(
        child=serializers.CharField(), help_text="reasons why the law is not identifiable, as sentences"
    )
    lead_certainty = serializers.DictField(
        child=serializers.FloatField(),
        allow_null=True,
        help_text="parameter → probability of its lead exponent, ± 1/4; null: laws have no probabilities",
    )


class LawSerializer(serializers.Serializer[object]):
    """A law: constant + Σ terms."""

    status = serializers.CharField(help_text="ok, segmented, failed, does not fit, or what is missing")
    reason = serializers.CharField(help_text="reason of a failure; else empty")
    expression = serializers.CharField()
    growth = serializers.CharField(help_text="class of growth of the parameter with the fastest growth")
    constant = Number()
    terms = TermSerializer(many=True)
    lead_exponents = FactorSerializer(
        many=True, help_text="exponents of each parameter's lead term; 0 and -1: rises towards a limit"
    )


class TogetherSerializer(serializers.Serializer[object]):
    """Parameters that were always varied together; nothing is known about points off their relation."""

    parameters = serializers.ListField(child=serializers.CharField())
    free = serializers.ListField(
        child=serializers.CharField(), help_text="parameters from which the others follow, also in the law"
    )
    relations = serializers.ListField(
        child=serializers.CharField(), help_text="equations, such as ranks = 8 · nodes"
    )


class RegionSerializer(serializers.Serializer[object]):
    """The part of the parameter space in which the kernel was measured."""

    lower = serializers.DictField(child=serializers.FloatField(), help_text="parameter → smallest value")
    upper = serializers.DictField(child=serializers.FloatField(), help_text="parameter → largest value")
    varied_together = TogetherSerializer(many=True)


class ModelSerializer(serializers.Serializer[object]):
    """A kernel's model for one metric."""

    kernel = KernelSerializer()
    metric = serializers.CharField()
    unit = serializers.CharField()
    lower_is_better = serializers.BooleanField(
        help_text="Whether lower values are better; false: higher values are better."
    )
    law = LawSerializer()
    segments = SegmentsSerializer(
        allow_null=True,
        help_text="Segments, if the behaviour changes inside the measured range; null: it does not.",
    )
    at_target = AtTargetSerializer()
    trust = TrustSerializer()
    region = RegionSerializer()
    largest_measured = Number(help_text="median at the largest point")
    counts_to_total = serializers.BooleanField(
        help_text="Whether the kernel is a summand of the program's total; rates and ratios do not add up."
    )
    errors = ErrorsSerializer()  # type: ignore[assignment]  # a field, as the framework has it
    noise = NoiseSerializer()
    stability = StabilitySerializer()
    identifiability = IdentifiabilitySerializer()
    evidence = EvidenceSerializer(
        allow_null=True, help_text="Probabilities of laws; null: not requested, or the modeler computes none."
    )
    points_used = serializers.IntegerField()
    degrees_of_freedom = serializers.IntegerField()


class ModelPageSerializer(serializers.Serializer[Any]):
    """One page of a campaign's models, with links to the other pages."""

    campaign = Link("api:campaign", pk="campaign.pk")
    parameters = serializers.ListField(child=serializers.CharField())
    target = serializers.DictField(child=serializers.FloatField(), help_text="parameter → value")
    run = RunSerializer(allow_null=True, help_text="The run that made the models; null: not modelled yet.")
    total = TotalSerializer(
        allow_null=True,
        help_text="Total in the requested metric; "
        "null: no metric was requested, its values do not add up, or the total is unknown.",
    )
    count = serializers.IntegerField(help_text="number of all models that match")
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    models = ModelSerializer(many=True)

    def to_representation(self, instance: Entry) -> Entry:
        """Return the page; its models are built by `written`."""
        body: Entry = super().to_representation(instance | {"models": []})
        # One address is resolved instead of hundreds, because they differ only in their number.
        address = self.context["request"].build_absolute_uri(reverse("api:history", args=[0]))
        head, _, tail = address.rpartition("0")
        entries = (
            written(found, instance["parameters"], f"{head}{found.model.kernel_id}{tail}")
            for found in instance["models"]
        )
        return body | {"models": list(entries)}


def written(found: ModelAt, parameters: Sequence[str], history: str) -> Entry:
    """Return a model as `ModelSerializer` declares it; `parameters` are in the campaign's order."""
    model, amount = found.model, found.amount
    return {
        "kernel": {
            "id": model.kernel_id,
            "path": model.kernel.path,
            "history": history,
        },
        "metric": model.metric.name,
        "unit": model.metric.unit,
        "lower_is_better": model.metric.lower_is_better,
        "law": _law(model, parameters),
        "segments": written_segments(segmented(model, model.run.campaign), parameters),
        "at_target": _numbers(
            predicted=amount.predicted, lower=amount.lower, upper=amount.upper, law_value=found.judged.law
        ),
        "trust": {"grade": found.judged.grade, "reasons": trust_reasons(found.judged, parameters)},
        "region": _region(found, parameters),
        "largest_measured": finite(model.largest),
        "counts_to_total": model.counts_to_total and adds_up(model.metric),
        "errors": _numbers(
            smape=model.smape,
            relative_error=model.relative_error,
            r_squared=model.r_squared,
            cv_smape=model.cv_smape,
            holdout_error=model.holdout_error,
        ),
        "noise": _numbers(
            level=model.noise,
            mean=model.noise_mean,
            median=model.noise_median,
            min=model.noise_min,
            max=model.noise_max,
        ),
        "stability": _stability(model),
        "identifiability": _identifiability(found, parameters),
        "evidence": written_evidence(found.known, parameters),
        "points_used": model.points_used,
        "degrees_of_freedom": model.degrees_of_freedom,
    }


def _region(found: ModelAt, parameters: Sequence[str]) -> Entry:
    trust, number = found.judged.trust, found.judged.number
    ends = (trust.region.lower[number].tolist(), trust.region.upper[number].tolist())
    lower, upper = (dict(zip(parameters, end, strict=True)) for end in ends)
    groups = together(trust.relations(number), parameters)
    return {
        "lower": lower,
        "upper": upper,
        "varied_together": [
            {"parameters": list(each.names), "free": list(each.free), "relations": list(each.equations)}
            for each in groups
        ],
    }


def _stability(model: Model) -> Entry:
    point = model.weakest_point
    campaign = model.run.campaign
    return {
        "score": finite(model.stability),
        "weakest_point": None
        if point is None
        else dict(zip(campaign.parameters, campaign.points[point], strict=True)),
        "ratio": finite(model.weakest_ratio),
    }


def _identifiability(found: ModelAt, parameters: Sequence[str]) -> Entry:
    certainty, amount = found.model.lead_certainty, found.amount
    found_doubts = doubts(certainty or (), (amount.predicted, amount.lower, amount.upper))
    return {
        "identifiable": not found_doubts,
        "reasons": doubt_reasons(found_doubts, parameters),
        "lead_certainty": None if certainty is None else dict(zip(parameters, certainty, strict=True)),
    }


def _law(model: Model, parameters: Sequence[str]) -> Entry:
    return {
        "status": model.status,
        "reason": model.reason,
        "expression": model.expression,
        "growth": model.growth,
        "constant": finite(model.constant),
        "terms": written_terms(model.coefficients, model.exponents, parameters),
        "lead_exponents": written_factors(model.lead_exponents, parameters),
    }


def _numbers(**values: float | None) -> dict[str, float | None]:
    return {name: finite(value) for name, value in values.items()}
