"""Reads Criterion.rs's folder `target/criterion`, in which every benchmark has a folder of its own.

In `<group>/<function>/<parameter>/new/`, `benchmark.json` names the benchmark, and `sample.json` has
iterations and time of each sample. The kernel is group/function. A parameter that is a number is called
`size`; in name=number it has a name. Without a number, the throughput's bytes or elements are the `size`.
Other texts stay part of the kernel's name. The samples in a folder are rounds of one process. Several folders
come from several processes.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import SEPARATOR
from ingest.formats.campaign.notes import bounded_notes
from ingest.formats.collecting.entries import Entry, as_number, campaign_of
from ingest.formats.collecting.merging import merge_all
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.json_text import check_numbers, load, members
from ingest.formats.files.source import Source
from ingest.formats.files.text import decoded
from ingest.formats.limits import Limits
from ingest.formats.runs.run_names import is_hidden
from ingest.formats.runs.run_points import Runs, runs_placed

NAME = "criterion"
TITLE = "Criterion.rs"
PACKED = CONTAINED = True
LATEST, BEFORE = "new", "base"
FILE = re.compile(
    rf"(?P<folder>(?:.*/)?)(?P<measured>{LATEST}|{BEFORE})/(?P<file>benchmark|sample|estimates)\.json"
)
SINGLE = (
    frozenset({"sampling_mode", "iters", "times"}),
    frozenset({"mean", "median", "median_abs_dev", "std_dev"}),
    frozenset({"group_id", "function_id", "value_str", "full_id"}),
)
EXPECTED = "the whole folder target/criterion, as a zip, tar or tar.gz"
ASSIGNED = re.compile(r"\s*([^\W\d][\w .-]*?)\s*=\s*([0-9][0-9.eE+-]*)\s*")
LONGEST_ID = 500
SIZE = "size"


@dataclass(frozen=True)
class Benchmark:
    """The files of one benchmark; `root` is the folder that holds all benchmarks of one process."""

    entry: Entry
    root: str


def recognises(source: Source) -> bool:
    """Recognise an archive of such folders, or a single file, which `read` refuses with advice."""
    if source.packed:
        return any(FILE.fullmatch(name) and name.endswith("benchmark.json") for name in source.names)
    return any(source.keys >= keys for keys in SINGLE)


def read(source: Source) -> Campaign:
    """Read one benchmark after the other. Unreadable ones are left out, unless all are unreadable."""
    if not source.packed:
        raise FormatError("a single file of Criterion.rs, which does not name its benchmark", EXPECTED)
    found, errors = list[Benchmark](), list[FormatError]()
    for folder, files in _folders(source).items():
        try:
            found.append(_benchmark(folder, files, source.limits))
        except FormatError as error:
            errors.append(error.inside(f"{folder}{LATEST}/benchmark.json"))
    if not found:
        raise errors[0]
    roots = dict.fromkeys(each.root for each in found)
    runs = runs_placed([f"{root}/" for root in roots], source.place)
    campaigns = [
        _process([each for each in found if each.root == root], root, runs, source) for root in roots
    ]
    merged = merge_all([campaign for campaign in campaigns if campaign], source.limits)
    left = [f"left out: {error}" for error in errors]
    notes = (*bounded_notes(left), *runs.notes, *merged.notes)
    return replace(merged, units={"time": "ns"}, metadata=runs.metadata, notes=notes)


def _process(found: Sequence[Benchmark], root: str, runs: Runs, source: Source) -> Campaign | None:
    """Return the campaign of one process, or None if its point is unknown."""
    path = f"{root}/"
    if path not in runs.points:
        return None
    point = runs.coordinates(path)
    entries = (replace(each.entry, parameters={**each.entry.parameters, **point}) for each in found)
    return campaign_of(entries, source.limits, NAME, rounds=True)


def _folders(source: Source) -> dict[str, dict[str, bytes]]:
    """Return the files of every benchmark by its folder. Older measurements count only if none is newer."""
    found: dict[str, dict[str, dict[str, bytes]]] = {LATEST: {}, BEFORE: {}}
    for name, data in source.files(lambda name: not is_hidden(name) and FILE.fullmatch(name) is not None):
        if match := FILE.fullmatch(name):
            found[match["measured"]].setdefault(match["folder"], {})[match["file"]] = data
    return {
        folder: files for folder, files in {**found[BEFORE], **found[LATEST]}.items() if "benchmark" in files
    }


def _benchmark(folder: str, files: Mapping[str, bytes], limits: Limits) -> Benchmark:
    about = _object(files["benchmark"], limits)
    group, function, value = (about.get(key) for key in ("group_id", "function_id", "value_str"))
    texts = [text for text in (group, function, value) if text is not None]
    if not isinstance(group, str) or not all(isinstance(text, str) for text in texts):
        raise FormatError(f"the benchmark {quoted(texts)}", "group_id, function_id and value_str as texts")
    kernel, parameters = named(group, texts[1:])
    if SIZE not in parameters and (size := _processed(about.get("throughput"))):
        parameters[SIZE] = size
    own = about.get("directory_name")
    root = folder.rstrip("/")
    if isinstance(own, str) and own:
        root = root.removesuffix(own).rstrip("/")
    return Benchmark(Entry(kernel, parameters, {"time": _times(files, limits)}), root)


def named(group: str, levels: Sequence[str]) -> tuple[str, dict[str, float]]:
    """Return the kernel and the parameters that the levels of a benchmark's id name."""
    parameters, names = dict[str, float](), [group]
    for text in levels:
        pair = _parameter(text)
        if pair and pair[0] not in parameters:
            parameters[pair[0]] = pair[1]
        elif text.strip():
            names.append(text)
    return "/".join(names).replace(SEPARATOR, "→"), parameters


def _parameter(text: str) -> tuple[str, float] | None:
    """Return name and value of a parameter; None if the text is not a parameter."""
    if len(text) > LONGEST_ID:
        return None
    assigned = ASSIGNED.fullmatch(text)
    name, number = (assigned[1], as_number(assigned[2])) if assigned else (SIZE, as_number(text))
    return None if number is None else (name, number)


def _processed(throughput: Any) -> float | None:
    """Return the bytes or elements that an iteration processes, if the file names them."""
    amounts = [value for _, value in throughput] if isinstance(throughput, tuple) else []
    number = amounts[0] if len(amounts) == 1 else None
    return number if isinstance(number, float) and number > 0 else None


def _times(files: Mapping[str, bytes], limits: Limits) -> list[float]:
    """Return the nanoseconds of an iteration for each sample, or their mean if samples are missing."""
    if "sample" not in files:
        mean = members(_object(files.get("estimates", b"{}"), limits).get("mean", ()), "a mean")
        check_numbers([mean.get("point_estimate")], "the mean")
        return [mean["point_estimate"]]
    sample = load(decoded(files["sample"].strip(), 1) or "{}", limits.depth)
    if isinstance(sample, list) and len(sample) == 2:  # versions before 0.3
        iterations, times = sample
    else:
        fields = members(sample, "an object of iters and times")
        iterations, times = fields.get("iters"), fields.get("times")
    return of_iteration(iterations, times, limits)


def of_iteration(iterations: Any, times: Any, limits: Limits) -> list[float]:
    """Return the time of an iteration for each sample, from the iterations and the time of the sample.

    Raises:
        FormatError: these are no lists of numbers of the same length.
    """
    for values, what in ((iterations, "iters"), (times, "times")):
        check_numbers(values if isinstance(values, list) else [values], what)
    if not isinstance(times, list) or len(times) != len(iterations) or min(iterations) <= 0:
        raise FormatError("a sample without a time or iterations", "a time and iterations for each sample")
    least, most = min(times), max(times)
    if least < 0 or most > limits.value[1]:
        raise FormatError(f"a time of {least if least < 0 else most:g} ns", f"0 to {limits.value[1]:g} ns")
    return [time / count for time, count in zip(times, iterations, strict=True)]


def _object(data: bytes, limits: Limits) -> dict[str, Any]:
    text = decoded(data, 1)
    return members(load(text.strip() or "null", limits.depth), "a JSON object")
