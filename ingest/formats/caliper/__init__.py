"""Caliper profiles: one file of one run, or an archive or folder of several.

`.cali`, and what `cali-query` writes as `json-split` or `json(object)`. What is known of a run as a whole
(Adiak) becomes metadata; numbers that vary between runs become parameters, or are offered to choose from.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from ingest.formats.caliper.cali_file import read_cali
from ingest.formats.caliper.choice import choose, numbers
from ingest.formats.caliper.json_file import OBJECT, SPLIT, read_json
from ingest.formats.caliper.profile import Profile
from ingest.formats.campaign import Campaign
from ingest.formats.collector import Collector
from ingest.formats.errors import FormatError, quoted
from ingest.formats.source import Source

NAME = "caliper"
TITLE = "Caliper"
PACKED = CONTAINED = True
OPTIONS = {
    "parameters": "names of what is known of each run, separated by commas; by default what varies",
    "scaling": "what becomes of a run's processes: weak (their mean, the default), strong (their sum), ranks",
    "metrics": "names, separated by commas; by default all",
}
COMBINE: dict[str, Callable[[list[float]], list[float]]] = {
    "weak": lambda values: [float(np.mean(values))],
    "strong": lambda values: [float(np.sum(values))],
    "ranks": lambda values: values,
}
MOST_CHARACTERS = 200
"""Longer metadata, such as a list of all libraries, is no use on a page."""


def recognises(source: Source) -> bool:
    """A file of Caliper's records or its JSON; an archive with such files."""
    if source.packed:
        return any(name.endswith(".cali") for name in source.names)
    return source.head.startswith("__rec=") or source.keys >= SPLIT or source.keys >= OBJECT


def read(source: Source) -> Campaign:
    """Read run by run."""
    scaling = source.options.get("scaling", "weak")
    if scaling not in COMBINE:
        raise FormatError(f"the scaling {quoted(scaling)}", f"one of {', '.join(COMBINE)}")
    profiles = _profiles(source)
    runs = [numbers(dict(profile.globals), source.limits) for profile in profiles]
    parameters, others = choose(runs, _names(source.options, "parameters"))
    collector, metrics = Collector(source.limits), _names(source.options, "metrics")
    collector.declare(parameters)
    for profile, run in zip(profiles, runs, strict=True):
        point = collector.point([run[name] for name in parameters])
        for (path, metric), values in profile.values.items():
            if not metrics or metric in metrics:
                collector.add(collector.series(path, metric), point, COMBINE[scaling](values), 0)
    campaign = collector.campaign(NAME)
    units = {name: unit for profile in profiles for name, unit in profile.units.items()}
    notes = _notes(profiles, others) + campaign.notes
    return replace(campaign, units=units, metadata=_metadata(profiles), notes=notes, runs=runs)


def _profiles(source: Source) -> list[Profile]:
    found = []
    for name, data in source.files(lambda name: name.endswith((".cali", ".json"))):
        try:
            first = data.lstrip()[:1]
            found.append((read_json if first == b"{" else read_cali)(data, source.limits))
        except FormatError as error:
            raise (error.inside(name) if source.packed else error) from None
    if not found:
        raise FormatError("no Caliper profile", "a file that ends in .cali or .json")
    return found


def _names(options: Mapping[str, str], key: str) -> list[str]:
    return [name.strip() for name in options.get(key, "").split(",") if name.strip()]


def _metadata(profiles: list[Profile]) -> dict[str, object]:
    """What all runs have in common."""
    return {
        name: value
        for name, value in profiles[0].globals.items()
        if len(value) <= MOST_CHARACTERS and all(profile.globals.get(name) == value for profile in profiles)
    }


def _notes(profiles: list[Profile], others: list[str]) -> tuple[str, ...]:
    notes = []
    if others:
        notes.append(f"these vary between runs as well and could be parameters: {', '.join(others)}")
    if outside := sum(profile.outside for profile in profiles):
        notes.append(f"{outside} values outside of any region were left out")
    return tuple(notes)
