"""Parses descriptions of a file's new parameters and metrics, by kind and name, which replace guesses."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

import numpy as np
from django.core.exceptions import ValidationError

from ingest.fields.metadata import metadata_parse
from ingest.fields.names import text_wrong
from ingest.formats import Campaign
from ingest.guessing.metrics import lower_is_better, metric_unit, unit_is_usual
from ingest.models import Parameter

UNIT_CHARACTERS = 40

LONGEST_SECONDS = 1e7
"""No run takes longer than this, 116 days. A larger `time` is in a smaller unit, such as nanoseconds."""

SERIES_LOOKED_AT = 100
"""Limit on the series of a metric that are examined to guess its unit."""

BETTER = ("lower", "higher")
"""Which values of a metric are better."""

METRICS_EXAMPLE = '{"fom": {"unit": "zones/s", "lower_is_better": false}}'


def metrics_parse(text: str) -> dict[str, dict[str, str]]:
    """Return the descriptions in a request's JSON object, by kind and name.

    Raises:
        ValidationError: what was found, and what was expected.
    """
    described: dict[str, dict[str, str]] = {"metric_units": {}, "metric_better": {}}
    for name, about in metadata_parse(text).items():
        if not _is_about_a_metric(about):
            raise ValidationError(f"Found something else for {name[:40]}, expected {METRICS_EXAMPLE}.")
        if "unit" in about:
            described["metric_units"][name] = about["unit"]
        if "lower_is_better" in about:
            described["metric_better"][name] = BETTER[not about["lower_is_better"]]
    described_check(described)
    return {kind: said for kind, said in described.items() if said}


def _is_about_a_metric(about: object) -> bool:
    types = {"unit": str, "lower_is_better": bool}
    return isinstance(about, dict) and all(
        key in types and isinstance(value, types[key]) for key, value in about.items()
    )


def metric_described(
    name: str, parsed: Campaign, described: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    """Return a metric's unit and direction, as described by the sender, else by the file, else guessed."""
    given = described.get("metric_units", {}).get(name)
    unit = (parsed.units.get(name) or _unit_guessed(name, parsed)) if given is None else given
    better = described.get("metric_better", {}).get(name)
    lower = lower_is_better(name, unit) if better is None else better == "lower"
    return {"name": name, "unit": unit, "lower_is_better": lower}


def _unit_guessed(name: str, parsed: Campaign) -> str:
    """Return the unit that a metric's name suggests; empty if values are too large for seconds."""
    unit = metric_unit(name)
    if unit != "s" or not unit_is_usual(name):
        return unit
    some = islice((key for key in parsed.series if key[1] == name), SERIES_LOOKED_AT)
    largest = max((np.nanmax(parsed.series[key], initial=0.0) for key in some), default=0.0)
    return unit if largest <= LONGEST_SECONDS else ""


def described_check(described: Mapping[str, Mapping[str, str]]) -> None:
    """Refuse roles, units and directions that are invalid.

    Raises:
        ValidationError: what was found, and what was expected.
    """
    for name, role in described.get("roles", {}).items():
        if role not in Parameter.Role.values:
            expected = ", ".join(Parameter.Role.values)
            raise ValidationError(f"{name}: found the role “{role[:40]}”, expected one of {expected}.")
    for kind in ("units", "metric_units"):
        for name, unit in described.get(kind, {}).items():
            if wrong := text_wrong(unit, UNIT_CHARACTERS):
                raise ValidationError(f"{name}: {wrong}")
    for name, which in described.get("metric_better", {}).items():
        if which not in BETTER:
            raise ValidationError(f"{name}: found “{which[:40]}”, expected lower or higher.")
