"""Models: laws in the performance model normal form, with errors, noise and predictions."""

from typing import Any, TypedDict

from rest_framework import serializers

from modeling.models import Model
from modeling.selectors.models_at import ModelAt
from perfweb.api.links import Link
from perfweb.api.serializers.campaigns import RunSerializer
from perfweb.api.serializers.numbers import Number


class Factor(TypedDict):
    """x^exponent · log2(x)^log_exponent for a parameter x."""

    parameter: str
    exponent: float
    log_exponent: float


class Term(TypedDict):
    """coefficient · Π factors."""

    coefficient: float
    factors: list[Factor]


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


class ErrorsSerializer(serializers.Serializer[Model]):
    """How well the law fits; fractions, not percent."""

    smape = Number(help_text="in sample")
    relative_error = Number(help_text="in sample, mean")
    r_squared = Number()
    cv_smape = Number(help_text="leave-one-out over points")
    holdout_error = Number(help_text="at the largest point, refitted without it")


class NoiseSerializer(serializers.Serializer[Model]):
    """Noise of the repetitions; fractions, not percent."""

    level = Number(source="noise")
    mean = Number(source="noise_mean")
    median = Number(source="noise_median")
    min = Number(source="noise_min")
    max = Number(source="noise_max")


class LawSerializer(serializers.Serializer[Model]):
    """constant + Σ terms. `parameters` are in the context, in the campaign's order."""

    status = serializers.CharField(help_text="ok, or why there is no law")
    expression = serializers.CharField()
    growth = serializers.CharField(help_text="class of the fastest growing parameter")
    constant = Number()
    terms = serializers.SerializerMethodField()
    lead_exponents = serializers.SerializerMethodField(help_text="of each parameter's fastest growing term")

    def get_terms(self, model: Model) -> list[Term]:
        """The terms with those factors that are not 1."""
        size = 2 * len(self.context["parameters"])
        return [
            Term(coefficient=coefficient, factors=self._factors(model.exponents[at * size : (at + 1) * size]))
            for at, coefficient in enumerate(model.coefficients)
        ]

    def get_lead_exponents(self, model: Model) -> list[Factor]:
        """Those of the parameters that the law depends on."""
        return self._factors(model.lead_exponents)

    def _factors(self, exponents: list[float]) -> list[Factor]:
        pairs = zip(self.context["parameters"], exponents[::2], exponents[1::2], strict=True)
        return [Factor(parameter=name, exponent=i, log_exponent=j) for name, i, j in pairs if i or j]


class ModelSerializer(serializers.Serializer[ModelAt]):
    """A kernel's model for one metric."""

    kernel = KernelSerializer(source="model.kernel")
    metric = serializers.CharField(source="model.metric.name")
    unit = serializers.CharField(source="model.metric.unit")
    law = LawSerializer(source="model")
    at_target = AmountSerializer(source="amount")
    largest_measured = Number(source="model.largest", help_text="median at the largest point")
    counts_to_total = serializers.BooleanField(
        source="model.counts_to_total", help_text="Whether the program's total is a sum with this one."
    )
    errors = ErrorsSerializer(source="model")  # type: ignore[assignment]  # a field, as the framework has it
    noise = NoiseSerializer(source="model")
    points_used = serializers.IntegerField(source="model.points_used")
    degrees_of_freedom = serializers.IntegerField(source="model.degrees_of_freedom")


class ModelPageSerializer(serializers.Serializer[Any]):
    """Some of a campaign's models, and the way to the others."""

    campaign = Link("api:campaign", pk="campaign.pk")
    parameters = serializers.ListField(child=serializers.CharField())
    target = serializers.DictField(child=serializers.FloatField(), help_text="parameter → value")
    run = RunSerializer(allow_null=True, help_text="Null: not modelled yet.")
    count = serializers.IntegerField(help_text="of all models that match")
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    models = ModelSerializer(many=True)
