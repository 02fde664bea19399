"""Reads Caliper profiles: the file of one run, or an archive or folder with several runs.

The format reads `.cali` and every JSON form that `cali-query` and `output.format` write. Values about a whole
run (Adiak) become metadata, among which `run_parameters` chooses the parameters.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.origins import origin_of
from ingest.formats.collecting.collector import Collector
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.source import HEAD, Source
from ingest.formats.files.text import BYTE_ORDER_MARK
from ingest.formats.readers.profilers.caliper.aggregation import SCALINGS, over_processes
from ingest.formats.readers.profilers.caliper.cali_file import read_cali
from ingest.formats.readers.profilers.caliper.json_file import (
    OBJECT,
    SPLIT,
    holds_profile,
    is_records,
    read_json,
)
from ingest.formats.readers.profilers.caliper.notes import (
    LeftOut,
    notes_of_members,
    notes_of_metrics,
    notes_of_texts,
)
from ingest.formats.readers.profilers.caliper.profile import Profile
from ingest.formats.runs.run_parameters import Choice, choose, coordinates, numbers

NAME = "caliper"
TITLE = "Caliper"
PACKED = CONTAINED = True
OPTIONS = {
    "parameters": "names of numbers that each run has, separated by commas; by default those that vary",
    "scaling": "how a run's processes are combined: weak (their mean, the default), strong (their sum), "
    "ranks (each is a repetition)",
    "metrics": "names, separated by commas; by default all",
}
JSON = (".json", ".json-split")
MOST_CHARACTERS = 200
"""Limit on the characters of a metadata value. A list of all libraries would fill a page."""


@dataclass(frozen=True)
class Member:
    """The file of one run.

    Attributes:
        values: (call path, metric) → values over the run's processes.
    """

    name: str
    profile: Profile
    values: Mapping[tuple[str, str], list[float]]


def recognises(source: Source) -> bool:
    """Recognise a file of Caliper's records, Caliper's JSON, or an archive with one of them."""
    if not source.packed:
        known = source.head.startswith("__rec=") or is_records(source.head)
        return known or source.keys >= SPLIT or source.keys >= OBJECT
    if any(name.endswith(".cali") for name in source.names):
        return True
    if not any(name.endswith(JSON) for name in source.names):
        return False
    return any(holds_profile(data) for _, data in source.files(lambda name: name.endswith(JSON)))


def read(source: Source) -> Campaign:
    """Read the campaign run by run."""
    wanted = _names(source.options, "parameters")
    members, skipped = _members(source)
    beside = [source.place.of(member.name) for member in members]
    about = [numbers(member.profile.globals, source.limits, len(members), wanted) for member in members]
    runs = [{**known, **given} for known, given in zip(about, beside, strict=True)]
    choice = choose(runs, wanted, list(dict.fromkeys(name for given in beside for name in given)))
    left_out = _left_out(members, source)
    campaign = _collected(members, runs, choice, left_out, source)
    metrics = {metric for _, metric in campaign.series}
    units = {name: unit for member in members for name, unit in member.profile.units.items()}
    campaign = replace(
        campaign,
        units={name: unit for name, unit in units.items() if name in metrics},
        metadata=_metadata([member.profile for member in members]),
        runs=runs,
    )
    texts = [member.profile.globals for member in members]
    points = [tuple(coordinates(run, choice.parameters)) for run in runs]
    notes = (
        *choice.notes,
        *notes_of_texts(texts, points),
        *notes_of_metrics(left_out.values()),
        *notes_of_members([member.profile for member in members], skipped),
    )
    return replace(campaign, notes=notes + campaign.notes)


def _members(source: Source) -> tuple[list[Member], list[str]]:
    """Return the files that are profiles, and the names of other JSON files in the archive."""
    scaling, wanted = source.options.get("scaling", "weak"), _names(source.options, "metrics")
    if scaling not in SCALINGS:
        raise FormatError(f"the scaling {quoted(scaling)}", f"one of {', '.join(SCALINGS)}")
    members, skipped = [], []
    for name, data in source.files(lambda name: name.endswith((".cali", *JSON))):
        if source.packed and name.endswith(JSON) and not holds_profile(data):
            skipped.append(name)
            continue
        try:
            profile = _profile(data, source)
        except FormatError as error:
            raise (error.inside(name) if source.packed else error) from None
        values = {
            key: over_processes(profile.values(key), profile.kind(key[1]), scaling)
            for key in profile.cells
            if not wanted or key[1] in wanted
        }
        profile.cells.clear()
        members.append(Member(name if source.packed else source.name, profile, values))
    if not members:
        raise FormatError("no Caliper profile", "a file that ends in .cali, .json or .json-split")
    return members, skipped


def _profile(data: bytes, source: Source) -> Profile:
    start = data[:HEAD].removeprefix(BYTE_ORDER_MARK).lstrip()[:1]
    return (read_json if start in (b"{", b"[") else read_cali)(data, source.limits)


def _left_out(members: list[Member], source: Source) -> dict[str, LeftOut]:
    """Find the metrics to leave out, because they have impossible values, such as negative ones.

    Raises:
        FormatError: no other metric remains.
    """
    least, most = source.limits.value
    found: dict[str, LeftOut] = {}
    for member in members:
        for (path, metric), values in member.values.items():
            for value in values:
                if not (value == 0 or least <= value <= most) and metric not in found:
                    found[metric] = LeftOut(metric, path, value, member.name if source.packed else "")
    metrics = {metric for member in members for _, metric in member.values}
    if metrics and found.keys() >= metrics:
        first = next(iter(found.values()))
        expected = f"a finite number that is not negative: 0, or from {least:g} to {most:g}"
        error = FormatError(f"the value {quoted(first.value)} of {first.metric} in {first.path}", expected)
        raise error.inside(first.member) if first.member else error
    return found


def _collected(
    members: list[Member],
    runs: list[dict[str, float]],
    choice: Choice,
    left_out: Mapping[str, LeftOut],
    source: Source,
) -> Campaign:
    collector = Collector(source.limits)
    collector.declare(choice.parameters)
    for member, run in zip(members, runs, strict=True):
        origin = origin_of(member.profile.globals)
        point = collector.point(coordinates(run, choice.parameters), origin)
        for (path, metric), values in member.values.items():
            if metric not in left_out:
                collector.add(collector.series(path, metric), point, values, 0)
    return collector.campaign(NAME)


def _names(options: Mapping[str, str], key: str) -> list[str]:
    return [name.strip() for name in options.get(key, "").split(",") if name.strip()]


def _metadata(profiles: list[Profile]) -> dict[str, object]:
    """Return the metadata that all runs have in common."""
    return {
        name: value
        for name, value in profiles[0].globals.items()
        if len(value) <= MOST_CHARACTERS and all(profile.globals.get(name) == value for profile in profiles)
    }
