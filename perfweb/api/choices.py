"""Parses parameters of a query: switches, and names of an application's metrics and targets."""

from collections.abc import Sequence

from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from ingest.models import Metric, Target
from modeling.targets import target_parse
from perfweb.api.pages import ShortPages

METRIC = OpenApiParameter("metric", str, description="Name of a metric; default: the first metric.")
ANY_METRIC = OpenApiParameter("metric", str, description="Name of a metric; default: all metrics.")
TARGET = OpenApiParameter(
    "target",
    str,
    description="Name of a target of the application, or a configuration such as `p:65536,n:8000`, "
    "with commas and percent signs in names as `%2C` and `%25`. "
    "Default: the target for which predictions are stored.",
)

EVIDENCE = OpenApiParameter(
    "evidence",
    bool,
    description="Also give rival laws, lead exponents and families of noise with their probabilities; "
    f"then a page has {ShortPages.max_limit} entries at most.",
)


FLAGS = {"": True, "1": True, "true": True, "0": False, "false": False}
"""The values of a parameter that is on or off. An address such as `…?dry_run` switches it on."""


def flag_read(request: Request, name: str) -> bool:
    """Return whether a parameter is on; off if it is left out. Raise ValidationError for other values."""
    text = request.query_params.get(name, "false")
    if text.lower() not in FLAGS:
        raise ValidationError({name: [f"Found “{text[:80]}”, expected true or false."]})
    return FLAGS[text.lower()]


def metric_read(request: Request, metrics: tuple[Metric, ...]) -> Metric | None:
    """Return the requested metric, or None; raise ValidationError if there is no such metric."""
    name = request.query_params.get("metric")
    found = next((metric for metric in metrics if metric.name == name), None)
    if name and found is None:
        known = ", ".join(metric.name for metric in metrics)
        raise ValidationError({"metric": [f"Found “{name[:80]}”, expected one of: {known}."]})
    return found


def target_read(
    request: Request, targets: tuple[Target, ...], parameters: Sequence[str]
) -> dict[str, float] | None:
    """Return the requested target, or None; raise ValidationError if it is neither a name nor coordinates."""
    text = request.query_params.get("target")
    if not text:
        return None
    named = next((target for target in targets if target.name == text), None)
    if named is not None:
        return dict(named.values)
    try:
        return target_parse(text[:500], parameters)
    except ValueError as wrong:
        raise ValidationError({"target": [str(wrong)]}) from wrong
