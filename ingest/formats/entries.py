"""Results that benchmarking tools list one by one, each with parameters of its own."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ingest.formats.campaign import Campaign
from ingest.formats.collector import Collector
from ingest.formats.errors import FormatError
from ingest.formats.limits import Limits


@dataclass(frozen=True)
class Entry:
    """One result, found in a line of the file.

    Attributes:
        values: metric → repetitions.
    """

    kernel: str
    parameters: Mapping[str, float]
    values: Mapping[str, Sequence[float]]
    line: int = 0


def entry(
    kernel: str, parameters: Mapping[str, object], values: Mapping[str, Sequence[float]], line: int
) -> Entry:
    """A result; parameters that are no numbers become part of the kernel's name."""
    numbers, texts = {}, []
    for name, value in parameters.items():
        number = as_number(value)
        if number is None:
            texts.append(f"{name}={value}")
        else:
            numbers[name] = number
    return Entry(f"{kernel} [{', '.join(texts)}]" if texts else kernel, numbers, values, line)


def as_number(value: object) -> float | None:
    """The number that a JSON value is or spells."""
    if isinstance(value, float):
        return value
    if not isinstance(value, str) or not value.isascii() or "_" in value:
        return None
    try:
        return float(value)
    except ValueError:
        return None


def campaign_of(entries: Iterable[Entry], limits: Limits, format_name: str) -> Campaign:
    """The campaign of those results that have the same parameters as most.

    Raises:
        FormatError: none has a parameter, or what is measured is wrong.
    """
    found = list(entries)
    sets = Counter(frozenset(each.parameters) for each in found if each.parameters)
    if not sets:
        raise FormatError("results without parameters", "some that were measured at several sizes")
    most = sets.most_common(1)[0][0]
    names = next(list(each.parameters) for each in found if each.parameters.keys() == most)
    collector = Collector(limits)
    collector.declare(names)
    others: dict[str, None] = {}
    for each in found:
        if each.parameters.keys() == most:
            _add(collector, each, names)
        else:
            others[each.kernel] = None
    campaign = collector.campaign(format_name)
    if not others:
        return campaign
    shown = ", ".join(list(others)[:5]) + (" …" if len(others) > 5 else "")
    note = f"left out, as their parameters are not {', '.join(names)}: {shown}"
    return replace(campaign, notes=(note, *campaign.notes))


def _add(collector: Collector, found: Entry, names: Sequence[str]) -> None:
    try:
        point = collector.point([found.parameters[name] for name in names])
        for metric, values in found.values.items():
            collector.add(collector.series(found.kernel, metric), point, list(values), found.line)
    except FormatError as error:
        raise error.at(found.line) from None
