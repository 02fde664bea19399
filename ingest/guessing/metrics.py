"""Guesses a metric's unit, its direction, and whether kernels' values add up, by words of its name.

Smaller values are better, unless something indicates the opposite.
"""

import re

from ingest.formats.campaign.languages import in_english
from ingest.formats.campaign.units import DATA, SECONDS, SHORT, is_per_time, quotient, seconds_in
from ingest.guessing.metric_words import (
    BAD,
    CLOCKS,
    COUNTED,
    ENERGY,
    GOOD,
    INTENSIVE,
    NO_TIME,
    OPERATIONS,
    RATE,
    SPENT,
    STATISTICS,
    TIME,
    WORK,
)

_BOUNDARY = re.compile(r"(?<=[a-z]{2})(?=[A-Z])|(?<=\d)(?=[A-Za-z]{3})")
_WORD = re.compile(r"[a-zµμ0-9]+|%")
_IN_BRACKETS = re.compile(r"[\[(]\s*([^\[\]()]{1,40}?)\s*[\])]\s*$")
_SUFFIX = re.compile(r"ns|us|µs|ms|[mun]?secs?|(nano|micro|milli)?seconds?|minutes|hours")


def metric_unit(name: str) -> str:
    """Return the usual unit of a metric of this name; empty for a count, or if nothing hints at a unit."""
    if bracketed := _IN_BRACKETS.search(name[:200]):
        inside = bracketed[1]
        if inside.lower() in SPENT or inside == "%" or is_per_time(inside):
            return _short(inside)
    words, below = _split(name)
    return _unit_per(words, below[0]) if below else _unit_of_words(words)


def unit_is_usual(name: str) -> bool:
    """Return whether the unit is only assumed: `time` is assumed in seconds, but `time_ms` names its unit."""
    words, below = _split(name)
    named = {*words, *below} - STATISTICS
    units = SECONDS.keys() | DATA.keys()
    return metric_unit(name) in ("s", "B") and not any(
        word in units or _SUFFIX.fullmatch(word) for word in named
    )


def lower_is_better(name: str, unit: str = "") -> bool:
    """Return whether smaller values of a metric with this name and unit are better."""
    words, below = _split(name)
    counted, per = quotient(unit or metric_unit(name))
    if BAD.intersection(words) or BAD.intersection(_words(counted)):
        return True
    if per in SECONDS:
        return counted in ENERGY
    per = per or " ".join(below)
    if per in OPERATIONS or (not per and counted in SPENT):
        return True
    if per and WORK.intersection((*_words(counted), *words[-1:])):
        return False
    if unit and not per and "flops" in words:
        return True  # a metric per FLOP, not a rate of FLOP
    return not _is_good(words)


def adds_up(name: str, unit: str = "", *, lower_is_better: bool = True) -> bool:
    """Return whether the values of kernels may be summed, unlike rates, ratios and scores."""
    words, below = _split(name)
    counted, per = quotient(unit)
    if counted not in SPENT:
        per = per or " ".join(below)
    if not lower_is_better or counted == "%" or (per and per not in OPERATIONS):
        return False
    return not INTENSIVE.intersection(words)


def _split(name: str) -> tuple[list[str], list[str]]:
    """Return the words of a name before its `per` or `/`, and those after it.

    A second of the CPU or of the wall clock is a second: zone-cycles/cpu_second.
    """
    words = _words(name.replace("/", " per "))
    if "per" in words[1:]:
        at = words.index("per", 1)
        below = words[at + 1 :]
        while len(below) > 1 and below[0] in CLOCKS:
            below = below[1:]
        return words[:at], below
    return words, []


def _words(text: str) -> list[str]:
    return _WORD.findall(in_english(_BOUNDARY.sub(" ", text[:200]).lower()))


def _is_good(words: list[str]) -> bool:
    if words[-1:] and (words[-1] in TIME or _SUFFIX.fullmatch(words[-1])):
        return False  # for example, the time of a bandwidth test or of a cache hit
    if any(RATE.fullmatch(word) for word in words):
        return not ("flops" in words and COUNTED.intersection(words))
    return not GOOD.isdisjoint(words) or _is_ops(words)


def _is_ops(words: list[str]) -> bool:
    """Return whether the words mean operations per second, as `ops` does; `read_ops` is a count."""
    return "ops" in words and STATISTICS.issuperset(word for word in words if word != "ops")


def _unit_of_words(words: list[str]) -> str:
    """Return the last word if it is a unit, or else the unit that the words usually imply."""
    named = [word for word in words if word not in STATISTICS] or words
    last = named[-1] if named else ""
    if _SUFFIX.fullmatch(last):
        return _short(last)
    if "%" in words or last in ("percent", "percentage", "pct"):
        return "%"
    if last == "s" and len(named) > 1 and named[-2] in DATA:
        return f"{DATA[named[-2]]}/s"
    if _is_good(words):
        return _rate_unit(words)
    if last == "s" and len(words) > 1:
        return _short(last)
    return _amount_unit(words, named)


def _unit_per(words: list[str], below: str) -> str:
    """Return the unit of a quotient: a rate if it is per time, a cost if it is per operation."""
    if below in SECONDS:
        return f"{_numerator(words)}/{_short(below)}"
    if words[-1] in SECONDS:
        return _short(words[-1])
    return _unit_of_words(words) if below in OPERATIONS else ""


def _rate_unit(words: list[str]) -> str:
    """Return the unit of a rate such as GFLOPS; empty for names such as bandwidth."""
    if _is_ops(words):
        return "1/s"
    for word in words:
        if found := re.fullmatch(r"([kmgtpe]?)(flop|lup|tep)s", word):
            return f"{_prefix(found[1])}{found[2].upper()}/s"
        if found := re.fullmatch(r"([kmgt]b)s", word):
            return f"{DATA[found[1]]}/s"
        if re.fullmatch(r"iops|[qtrf]ps", word):
            return "1/s"
    return ""


def _amount_unit(words: list[str], named: list[str]) -> str:
    last = named[-1] if named else ""
    if {"activity", "duration"} <= {*words} and "scale" not in words:
        return "ns"  # the unit of Caliper's services for GPUs
    if last in DATA and (len(last) > 1 or len(words) == 1):
        return DATA[last]
    if "bytes" in words or named[:1] in (["memory"], ["mem"]):
        return "B"
    if last in ("joules", "watts"):
        return last[0].upper()
    is_time = not TIME.isdisjoint(words) or last in ("wall", "wallclock") or {"wall", "clock"} <= {*words}
    return "s" if is_time and NO_TIME.isdisjoint(words) else ""


def _numerator(words: list[str]) -> str:
    """Return the unit that is counted per time: B, FLOP, or else 1."""
    last = words[-1]
    if last in DATA and last != "b":
        return DATA[last]
    if flops := re.fullmatch(r"([kmgtpe]?)flops?", last):
        return f"{_prefix(flops[1])}FLOP"
    return _short(last) if len(last) > 1 and last in SECONDS else "1"


def _prefix(letter: str) -> str:
    return letter if letter == "k" else letter.upper()


def _short(unit: str) -> str:
    """Return the usual spelling of a unit of time or data. Other units are unchanged."""
    length = seconds_in(unit)
    if length is not None:
        return SHORT[length]
    return "B" if unit.lower() in ("byte", "bytes") else unit
