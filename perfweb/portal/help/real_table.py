"""The accuracy page's table of modelers on measured campaigns, made by `tests.benchmarks.real_modelers`."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from django.utils.safestring import SafeString

from perfweb.portal.help.table_rows import rows_html
from perfweb.portal.text.formatting import in_percent

MODELERS = ("evidence", "adaptive", "regression", "refinement")
"""Modelers in the order of the table's columns."""

HELD_OUT = (1, 2)

Rows = Mapping[int, Mapping[str, Any]]
"""Rows of one campaign, by how many of its largest values were held out."""


def real_body(found: Mapping[str, Any]) -> SafeString:
    """Return median errors with one and two values held out: a row per campaign, and their medians."""
    campaigns: dict[str, dict[int, Mapping[str, Any]]] = {}
    for row in found["rows"]:
        campaigns.setdefault(row["set"], {})[row["held_out"]] = row
    rows = [_row(name, of_set) for name, of_set in campaigns.items()]
    return rows_html([*rows, _median(found["rows"])])


def network_sets(found: Mapping[str, Any]) -> str:
    """Return in how many campaigns adaptive took any kernel's law from its network: 7 of 22."""
    asked = {row["set"] for row in found["rows"] if row["network"] > 0}
    return f"{len(asked)} of {len({row['set'] for row in found['rows']})}"


def _row(name: str, rows: Rows) -> list[str]:
    first = rows[min(rows)]
    errors = [_error(rows.get(held_out), modeler) for held_out in HELD_OUT for modeler in MODELERS]
    return [name, f"{first['kernels']:,}", in_percent(first["network"]), *errors]


def _error(row: Mapping[str, Any] | None, modeler: str) -> str:
    return in_percent(row["error"][modeler] if row else None)


def _median(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the row of medians over campaigns; one kernel with an error of 740 % would dominate a mean."""
    errors = []
    for held_out in HELD_OUT:
        some = [row["error"] for row in rows if row["held_out"] == held_out]
        errors += [
            in_percent(median(each[modeler] for each in some) if some else None) for modeler in MODELERS
        ]
    return ["median over campaigns", "", "", *errors]
