"""The accuracy page's table of all modelers and Extra-P, made by `tests.benchmarks.adaptive_protocol`."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.safestring import SafeString

from perfweb.portal.help.accuracy import crossings
from perfweb.portal.help.table_rows import rows_html
from perfweb.portal.text.formatting import in_percent, number
from perfweb.portal.text.wording import listed

MEDIANS = "Extra-P, medians"
MODELERS = ("evidence", "adaptive", "network alone", "regression", "refinement", "Extra-P 4.2.5", MEDIANS)
"""Modelers in the order of the table's columns."""

PUBLISHED_GAINS = {1: 22, 2: 25}
"""Number of parameters → published gain of adaptive at 100 % noise, in points of exponents within 1/4."""

Cells = Mapping[str, Mapping[str, Any]]


def modelers_body(found: Mapping[str, Any]) -> SafeString:
    """Return a row for each number of parameters and noise level.

    Columns: each modeler's median error at P4+, also the published one, and share of exponents within 1/4.
    """
    return rows_html(_row(*group) for group in _groups(found))


def seconds_body(found: Mapping[str, Any]) -> SafeString:
    """Return the seconds in which each modeler models a campaign, largest over all noise levels."""
    longest: dict[int, dict[str, float]] = {}
    for parameters, _, cells in _groups(found):
        known = longest.setdefault(parameters, {})
        for name, row in cells.items():
            known[name] = max(known.get(name, 0.0), row["seconds_a_campaign"])
    return rows_html(
        [str(parameters), *(number(known.get(name)) for name in MODELERS)]
        for parameters, known in longest.items()
    )


def noise_off(found: Mapping[str, Any]) -> str:
    """Return the mean error of the estimated noise in percentage points, by number of parameters."""
    off: dict[int, list[float]] = {}
    for parameters, _, cells in _groups(found):
        off.setdefault(parameters, []).append(next(iter(cells.values()))["noise_off"])
    return ", ".join(f"{sum(each) / len(each):.1f} with {m}" for m, each in off.items())


def gains(found: Mapping[str, Any]) -> str:
    """Return by how many percentage points adaptive has more lead exponents within 1/4 of the truth.

    Adaptive is compared with regression and Extra-P at the strongest noise, by number of parameters.
    """
    strongest = max((noise for _, noise, _ in _groups(found)), default=0)
    parts = []
    for parameters, noise, cells in _groups(found):
        if noise == strongest and "adaptive" in cells:
            own = cells["adaptive"]["near"]
            ours, theirs = (
                f"{own - cells[name]['near']:+.0f}" if name in cells else "–"
                for name in ("regression", MEDIANS)
            )
            paper = f" (published: +{PUBLISHED_GAINS[parameters]})" if parameters in PUBLISHED_GAINS else ""
            parts.append(f"{ours} and {theirs} points with {parameters}{paper}")
    return ", ".join(parts)


def leading(found: Mapping[str, Any], parameters: int, measure: str, most_noise: int) -> str:
    """Return the adaptive modeler's smallest share over the noise levels up to `most_noise`, in percent.

    `measure` is `leading` or `leading_half`: the share of functions whose exponents in the largest term are
    within 1/4 or 1/2.
    """
    shares = [
        cells["adaptive"][measure]
        for m, noise, cells in _groups(found)
        if m == parameters and noise <= most_noise and measure in cells.get("adaptive", {})
    ]
    return in_percent(min(shares, default=None))


def crossings_words(found: Mapping[str, Any]) -> str:
    """Return the crossings: "at all levels of noise with 1 and 2 parameters; from 10 % of noise on …"."""
    lowest: dict[int, int] = {}
    for parameters, noise, _ in _groups(found):
        lowest.setdefault(parameters, noise)
    where: dict[str, list[str]] = {}
    for m, level in crossings(found["rows"]).items():
        words = "at all levels of noise" if level == lowest[m] else f"from {in_percent(level)} of noise on"
        where.setdefault(words, []).append(str(m))
    return "; ".join(f"{words} with {listed(numbers)} parameters" for words, numbers in where.items())


def _groups(found: Mapping[str, Any]) -> Iterator[tuple[int, int, Cells]]:
    """Yield number of parameters, noise, and the rows by their modeler."""
    keys = sorted({(row["parameters"], row["noise"]) for row in found["rows"]})
    for parameters, noise in keys:
        rows = [row for row in found["rows"] if (row["parameters"], row["noise"]) == (parameters, noise)]
        yield parameters, noise, {row["modeler"]: row for row in rows}


def _row(parameters: int, noise: int, cells: Cells) -> list[str]:
    published = cells.get("adaptive", {}).get("published")
    errors = [in_percent(cells[name]["error"][-1]) if name in cells else "–" for name in MODELERS]
    near = [in_percent(cells[name]["near"]) if name in cells else "–" for name in MODELERS]
    errors.insert(MODELERS.index("adaptive") + 1, in_percent(published) if published else "–")
    return [str(parameters), in_percent(noise), *errors, *near]
