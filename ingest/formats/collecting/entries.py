"""Handles results that benchmarking tools list one by one, each with its own parameters."""

import math
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from ingest.formats.campaign.campaign import CONFIGURATION, Campaign
from ingest.formats.campaign.names import SEPARATOR
from ingest.formats.campaign.notes import MOST_NOTES
from ingest.formats.campaign.origins import Origin
from ingest.formats.collecting.collector import Collector
from ingest.formats.errors import FormatError, LimitError, quoted
from ingest.formats.limits import Limits

FLAG_VALUES = 2
"""Largest number of different positive values of a flag. A parameter with more is a size."""


Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Entry:
    """One result, and its line in the file; `values` are its repetitions by metric."""

    kernel: str
    parameters: Mapping[str, float]
    values: Mapping[str, Sequence[float]]
    line: int = 0
    origin: Origin | None = None


def entry(
    kernel: str, parameters: Mapping[str, object], values: Mapping[str, Sequence[float]], line: int
) -> Entry:
    """Make an entry of a result. Parameters that are not numbers become part of the kernel's name."""
    numbers, texts = dict[str, float](), dict[str, object]()
    for name, value in parameters.items():
        number = as_number(value)
        if number is None:
            texts[name] = level_of(str(value))
        else:
            numbers[name] = number
    return Entry(with_labels(kernel, texts), numbers, values, line)


def within_limits(
    results: Iterable[Result], limits: Limits, cells: Callable[[Result], int] = lambda _: 1
) -> Iterator[Result]:
    """Yield the results as long as they stay within the limits. `cells` counts the cells of a result.

    Raises:
        LimitError: there are more than `limits.results`, or they take more than `limits.results_cells`.
    """
    held = 0
    for count, result in enumerate(results):
        held += cells(result)
        if count >= limits.results:
            most = f"{limits.results} results"
            raise LimitError(f"more than {most}", f"at most {most} in one campaign")
        if held > limits.results_cells:
            most = f"{limits.results_cells} metrics and parameters"
            raise LimitError(f"results with more than {most} in all", f"at most {most} in one campaign")
        yield result


def level_of(name: str) -> str:
    """Return the name as one level of a kernel's path: on one line, with → for separators of levels."""
    return " ".join(name.split()).replace(SEPARATOR, "→")


def as_number(value: object) -> float | None:
    """Return a JSON number, or the number in a text; None for anything else."""
    if isinstance(value, float):
        return value
    if not isinstance(value, str) or not value.isascii() or "_" in value:
        return None
    try:
        return float(value)
    except ValueError:
        return None


def campaign_of(
    entries: Iterable[Entry], limits: Limits, format_name: str, *, rounds: bool = False
) -> Campaign:
    """Return the campaign of all results, over the parameters that most results have.

    A parameter of only some results becomes part of the kernel's name. So does a parameter with
    values that laws cannot use: 0, negative numbers, and flags. A result that lacks a parameter is stored at
    that parameter's smallest value. Without parameters, all results are stored at one point, where versions
    can still be compared. Infinite values and NaN are missing. A metric with negative or too large values is
    left out, with a note.

    Args:
        format_name: the format's `NAME`.
        rounds: as for `Collector.campaign`.

    Raises:
        FormatError: there are no results, or their values are invalid.
    """
    measured, left_out = _measured(entries, limits)
    found = _named(measured, limits)
    sets = Counter(frozenset(each.parameters) for each in found if each.parameters)
    most = max(sets, key=lambda names: (sets[names], len(names)), default=frozenset[str]())
    names = next((list(each.parameters) for each in found if each.parameters.keys() == most), [])
    collector = Collector(limits)
    collector.declare(names or [CONFIGURATION])
    smallest = {
        name: min(each.parameters[name] for each in found if name in each.parameters) for name in names
    }
    for each in found:
        extra = {name: value for name, value in each.parameters.items() if name not in most}
        coordinates = {**smallest, **each.parameters}
        _add(collector, each, extra, [coordinates[name] for name in names] or [1.0])
    others = [each for each in found if not each.parameters.keys() >= most]
    campaign = collector.campaign(format_name, rounds=rounds)
    notes = (*left_out, *note_of_others([each.kernel for each in others], names), *campaign.notes)
    return replace(campaign, notes=notes)


def _measured(entries: Iterable[Entry], limits: Limits) -> tuple[list[Entry], list[str]]:
    """Remove values that laws cannot use. Return the other results, and notes about the metrics concerned."""
    held = within_limits(entries, limits, lambda each: len(each.values) + len(each.parameters))
    found = [_finite(each) for each in held]
    wrong = _wrong(found, limits.value[1])
    if wrong:
        found = [_without(each, wrong) for each in found]
    usable = [each for each in found if each.values]
    if not usable and wrong:
        each, value = next(iter(wrong.values()))
        least, most = limits.value
        expected = f"a finite number that is not negative: 0, or from {least:g} to {most:g}"
        raise FormatError(f"the value {quoted(value)}", expected, each.line or None)
    if not usable:
        raise FormatError("no results", "at least one that was measured and did not fail")
    return usable, [
        f"the metric {metric} was left out: it is {value:g} for {each.kernel}, and laws take only finite "
        "numbers that are not negative; send a signed difference as two metrics"
        for metric, (each, value) in list(wrong.items())[:MOST_NOTES]
    ]


def _wrong(entries: Sequence[Entry], most: float) -> dict[str, tuple[Entry, float]]:
    """Return the metrics with values that laws cannot use, each with the first such result and value."""
    wrong: dict[str, tuple[Entry, float]] = {}
    for each in entries:
        for metric, values in each.values.items():
            least, largest = min(values), max(values)
            if metric not in wrong and (least < 0 or largest > most):
                wrong[metric] = each, least if least < 0 else largest
    return wrong


def _without(result: Entry, metrics: Container[str]) -> Entry:
    return replace(result, values={name: kept for name, kept in result.values.items() if name not in metrics})


def _finite(result: Entry) -> Entry:
    """Return the result without infinite values and NaN, and without metrics that have no other values."""
    if all(values and all(map(math.isfinite, values)) for values in result.values.values()):
        return result
    kept = {name: list(filter(math.isfinite, values)) for name, values in result.values.items()}
    return replace(result, values={name: values for name, values in kept.items() if values})


def _named(entries: Sequence[Entry], limits: Limits) -> list[Entry]:
    """Return the results, with arguments that cannot be coordinates as part of the names."""
    values: dict[str, set[float]] = {}
    for each in entries:
        for name, value in each.parameters.items():
            values.setdefault(name, set()).add(value)
    least, most = limits.coordinate
    proper = {name: sum(least <= value <= most for value in found) for name, found in values.items()}
    flags = {
        name for name, found in values.items() if proper[name] < len(found) and proper[name] <= FLAG_VALUES
    }
    named = []
    for each in entries:
        sizes = {
            name: value
            for name, value in each.parameters.items()
            if name not in flags and least <= value <= most
        }
        others = {name: value for name, value in each.parameters.items() if name not in sizes}
        kernel = with_labels(each.kernel, others)
        named.append(replace(each, kernel=kernel, parameters=sizes) if others else each)
    return named


def note_of_others(others: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Return a note about kernels that were stored without these parameters."""
    if not others:
        return ()
    kernels = list(dict.fromkeys(others))
    shown = ", ".join(kernels[:5]) + (" …" if len(kernels) > 5 else "")
    return (
        f"stored at the smallest value of parameters that they lack ({', '.join(names)}), so that "
        f"versions can be compared: {shown}",
    )


def with_labels(kernel: str, labels: Mapping[str, object]) -> str:
    """Return the kernel's name with the labels that distinguish it: `sort [kind=heap]`."""
    if not labels:
        return kernel
    texts = (
        f"{value:g}" if isinstance(value, float) else str(value).replace(SEPARATOR, "→")
        for value in labels.values()
    )
    return f"{kernel} [{', '.join(map('='.join, zip(labels, texts, strict=True)))}]"


def _add(
    collector: Collector, found: Entry, labels: Mapping[str, object], coordinates: Sequence[float]
) -> None:
    try:
        point, kernel = collector.point(coordinates, found.origin), with_labels(found.kernel, labels)
        for metric, values in found.values.items():
            collector.add(collector.series(kernel, metric), point, list(values), found.line)
    except FormatError as error:
        raise error.at(found.line) from None
