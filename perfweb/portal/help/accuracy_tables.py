"""Tables of the help's page on accuracy."""

from collections.abc import Iterator

import numpy as np
from django.utils.safestring import SafeString

from perfweb.portal.help.accuracy import (
    EVIDENCE,
    EXTRAP_ERROR,
    ORACLE,
    PUBLISHED_DNN,
    PUBLISHED_REGRESSION,
    REGRESSION,
    Accuracy,
    Row,
)
from perfweb.portal.help.table_rows import rows_html
from perfweb.portal.text.formatting import in_percent

FAMILY_MODELERS = {EVIDENCE: "evidence", REGRESSION: "regression", ORACLE: "true terms"}
_FAMILY_NAMES = {"uniform": "even"}


def families_body(found: Accuracy) -> SafeString:
    """Return median errors at P4+ by kind and level of noise, for each number of parameters."""
    return rows_html(
        [
            name,
            *(
                in_percent(found.row(modeler, m, noise, family).error[-1])
                for m in found.functions
                for modeler in FAMILY_MODELERS
            ),
        ]
        for name, family, noise in _noises(found)
        if family != "uniform"
    )


def coverage_body(found: Accuracy) -> SafeString:
    """Return how often intervals contain the truth: at the points, at P1+ and at P4+."""
    rows = (
        (name, [found.row(EVIDENCE, m, noise, family) for m in found.functions])
        for name, family, noise in _noises(found)
    )
    return rows_html(
        [name, *(in_percent(share) for row in cells for share in (row.inside, *(row.inside_ahead or ())))]
        for name, cells in rows
    )


def means_body(found: Accuracy) -> SafeString:
    """Return mean errors at P4+ under uniform noise, for each number of parameters."""
    return rows_html(
        [
            in_percent(noise),
            *(
                in_percent(found.row(modeler, m, noise).mean_error)
                for m in found.functions
                for modeler in FAMILY_MODELERS
            ),
        ]
        for noise in found.levels("uniform")
    )


def coverage_sentence(found: Accuracy) -> str:
    """Return a sentence on how often intervals contain the truth, over all functions together."""
    inside, ahead = (
        np.average([value for _, value in pairs], weights=[weight for weight, _ in pairs])
        for pairs in (
            [(found.functions[row.parameters], row.inside or 0.0) for row in _evidence(found)],
            [(found.functions[row.parameters], (row.inside_ahead or (0.0,))[-1]) for row in _evidence(found)],
        )
    )
    here, there = in_percent(inside), in_percent(ahead)
    return f"Over all functions together it is {here} at the points and {there} at P4+."


def published_body(found: Accuracy) -> SafeString:
    """Return published median errors at P4+, and ours."""
    return rows_html(
        [
            str(parameters),
            in_percent(noise),
            *(in_percent(table[parameters].get(noise)) for table in (PUBLISHED_REGRESSION, PUBLISHED_DNN)),
            in_percent(EXTRAP_ERROR[parameters][noise]),
            in_percent(found.row(EVIDENCE, parameters, noise).error[-1]),
        ]
        for parameters, known in PUBLISHED_DNN.items()
        for noise in known
    )


def _evidence(found: Accuracy) -> list[Row]:
    return [row for row in found.rows if row.modeler == EVIDENCE]


def _noises(found: Accuracy) -> Iterator[tuple[str, str, int]]:
    for family in found.families:
        for noise in found.levels(family):
            yield f"{_FAMILY_NAMES.get(family, family)}, {in_percent(noise)}", family, noise
