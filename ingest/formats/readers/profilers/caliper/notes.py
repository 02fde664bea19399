"""Writes notes for the owner about values that were left out or look unusual."""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ingest.formats.collecting.entries import as_number
from ingest.formats.readers.profilers.caliper.profile import Profile

SHOWN = 5
"""Limit on the names, values or metrics that a note lists."""
VALUE_CHARACTERS = 40
"""Limit on the characters of a text value that a note shows."""
ALWAYS_DIFFERENT = re.compile(
    r"cmd|command|argv|launch|user|host|librar|path|executable|date|time|hash|uuid|job|pid|machine_build"
    r"|^(cali|spot|adiak)(?![a-z])",
    re.IGNORECASE,
)
"""Names of texts that identify a run instead of describing how the run was measured."""


@dataclass(frozen=True)
class LeftOut:
    """A metric with an impossible value, and where the first one was found."""

    metric: str
    path: str
    value: float
    member: str


def notes_of_metrics(left_out: Iterable[LeftOut]) -> list[str]:
    """Return a sentence for each metric that was left out; after `SHOWN`, one sentence counts the others."""
    notes = []
    for found in left_out:
        where = " of ".join(filter(None, [found.path, found.member]))
        notes.append(
            f"the metric {found.metric} was left out: it is {found.value:g} in {where}, and values must be "
            "finite and not negative; a derived metric like this is better computed from its counters"
        )
    if len(notes) > SHOWN:
        notes[SHOWN:] = [f"{len(notes) - SHOWN} more metrics with such values were left out"]
    return notes


def notes_of_texts(about: Sequence[Mapping[str, str]], points: Sequence[Hashable]) -> list[str]:
    """Return a sentence if texts differ between the runs at one point, such as a compiler's flags."""
    values: dict[Hashable, dict[str, set[str]]] = {}
    for run, point in zip(about, points, strict=True):
        for name, text in run.items():
            if as_number(text) is None and not ALWAYS_DIFFERENT.search(name):
                values.setdefault(point, {}).setdefault(name, set()).add(text)
    differing: dict[str, set[str]] = {}
    for names in values.values():
        for name, texts in names.items():
            if len(texts) > 1:
                differing.setdefault(name, set()).update(texts)
    if not differing:
        return []
    shown = [
        f"{name} ({_listed([_short(text) for text in sorted(found)])})"
        for name, found in sorted(differing.items())
    ]
    return [
        f"runs that count as repetitions of one point differ in {_listed(shown)}; if that matters, send them "
        "as different campaigns or versions, or send their points along with the files"
    ]


def notes_of_members(profiles: Sequence[Profile], skipped: Sequence[str]) -> list[str]:
    """Return sentences about values outside of regions, and about the archive's other files."""
    notes = []
    if outside := sum(profile.outside for profile in profiles):
        notes.append(f"{outside} values outside of any region were left out")
    if undefined := sum(profile.undefined for profile in profiles):
        notes.append(f"{undefined} values that are not numbers (NaN) were left out")
    if skipped:
        notes.append(f"files that Caliper did not write were left out: {_listed(skipped)}")
    return notes


def _short(text: str) -> str:
    return text if len(text) <= VALUE_CHARACTERS else f"{text[:VALUE_CHARACTERS]}…"


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words[:SHOWN]) + (f" and {len(words) - SHOWN} more" if len(words) > SHOWN else "")
