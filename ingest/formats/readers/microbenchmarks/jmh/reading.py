"""Reads JMH's JSON (`-rf json`), a list of benchmarks with modes, parameters and scores.

A fork is a process and therefore a repetition, with the median of its iterations as its value. The iterations
are rounds. The mode gives the metric's name; the file gives the unit. Secondary metrics, such as
`gc.alloc.rate.norm`, are metrics as well.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median

import numpy as np

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.units import SECONDS
from ingest.formats.collecting.entries import Entry, as_number, campaign_of, entry, level_of, within_limits
from ingest.formats.collecting.metadata import agreed
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.document import LIST, Document
from ingest.formats.files.documents.json_text import members
from ingest.formats.files.source import Source
from ingest.formats.files.text import mended
from ingest.formats.readers.microbenchmarks.jmh.benchmark import MODES, Benchmark, Score, secondary
from ingest.formats.readers.microbenchmarks.jmh.separated import is_separated, rows
from ingest.formats.readers.microbenchmarks.jmh.table import benchmarks, has_table

NAME = "jmh"
TITLE = "JMH JSON, CSV or table"
PER_OPERATION, OPERATIONS = "/op", "ops/"
ABOUT = (
    "jmhVersion", "jvm", "jdkVersion", "vmName", "vmVersion", "threads", "forks", "warmupIterations",
    "warmupTime", "measurementIterations", "measurementTime", "measurementBatchSize",
)  # fmt: skip
FORKS, ITERATIONS = 1_000, 1_000_000
"""Limits on the forks of a benchmark and on the iterations in a file."""
ROUNDS = (
    "the median of a fork's iterations counts as one repetition, because they share whatever varies between "
    "processes; -f sets the number of forks"
)
MEANS = "each score counts as one repetition, because the file has only means; -rf json writes the iterations"


def recognises(source: Source) -> bool:
    """Recognise a JSON list of benchmarks with a primary metric, or the header of a table or of CSV."""
    if not _is_list(source):
        return has_table(source.head) or is_separated(source)
    return '"primaryMetric"' in source.head and '"benchmark"' in source.head


def _is_list(source: Source) -> bool:
    """Return whether a file is JSON. Printed lines may begin with a bracket, too."""
    return re.match(r"\[\s*[{\]]", source.head) is not None


def read(source: Source) -> Campaign:
    """Read the benchmarks one by one."""
    found = _of_list(source) if _is_list(source) else _of_table(source)
    converted = _converted(found)
    medians = campaign_of(_entries(found, converted, rounds=False), source.limits, NAME)
    rounds = campaign_of(_entries(found, converted, rounds=True), source.limits, NAME).series
    within = {key: values for key, values in rounds.items() if values.shape[1] > medians.series[key].shape[1]}
    about_repetitions = [ROUNDS] if within else [] if _is_list(source) else [MEANS]
    notes = (*about_repetitions, *medians.notes)
    metadata = agreed([each.about for each in found])
    metrics = {metric for _, metric in medians.series}
    units = {metric: unit for metric, _, unit in converted.values() if metric in metrics}
    return replace(medians, units=units, rounds=within, metadata=metadata, notes=notes)


def _of_list(source: Source) -> list[Benchmark]:
    document = Document(mended(source.whole), source.limits)
    document.constants = True
    try:
        return list(within_limits(_benchmarks(document), source.limits, _cells))
    except FormatError as error:
        raise error.at(document.line) from None


def _of_table(source: Source) -> list[Benchmark]:
    found = rows(source) if is_separated(source) else benchmarks(source)
    return list(within_limits(found, source.limits, _cells))


def _benchmarks(document: Document) -> Iterator[Benchmark]:
    document.enter(LIST)
    count = 0
    for element in document.results():
        fields = members(element, "an object for each benchmark")
        name, mode = fields.get("benchmark"), fields.get("mode")
        if not isinstance(name, str) or not isinstance(mode, str):
            raise FormatError(
                f"the benchmark {quoted(name)} in the mode {quoted(mode)}", "a text for each of them"
            )
        scores = {MODES.get(mode, mode): _score(fields.get("primaryMetric"))}
        for metric, score in members(fields.get("secondaryMetrics") or (), "metrics by name").items():
            scores.setdefault(secondary(metric), _score(score))
        count += sum(len(fork) for score in scores.values() for fork in score.forks)
        if count > ITERATIONS:
            raise FormatError(
                f"more than {ITERATIONS} iterations", f"at most {ITERATIONS} iterations in one file"
            )
        about = {key: fields[key] for key in ABOUT if key in fields}
        parameters = members(fields.get("params") or (), "params by name")
        yield Benchmark(level_of(name), parameters, scores, about, document.line)


def _cells(found: Benchmark) -> int:
    """Return the number of cells that a benchmark takes."""
    return sum(len(score.forks) for score in found.scores.values()) + len(found.parameters)


def _score(value: object) -> Score:
    """Return the iterations of each fork, or the score if the file has no iterations."""
    fields = members(value, "an object for each metric")
    unit, data = fields.get("scoreUnit"), fields.get("rawData") or fields.get("rawDataHistogram") or []
    histograms = not fields.get("rawData")
    if not isinstance(data, list) or len(data) > FORKS or not all(isinstance(fork, list) for fork in data):
        raise FormatError(
            f"the raw data {quoted(data)}", f"a list of at most {FORKS} forks, each a list of iterations"
        )
    forks = [[_middle(one) if histograms else _number(one) for one in fork] for fork in data]
    return Score(unit if isinstance(unit, str) else "", forks or [[_number(fields.get("score"))]])


def _number(value: object) -> float:
    number = as_number(value)
    return math.nan if number is None else number


def _middle(histogram: object) -> float:
    """Return the median of an iteration, which is written as a list of values and their counts."""
    try:
        values, counts = np.array(histogram, float).reshape(-1, 2).T
    except (ValueError, TypeError):
        raise FormatError(f"the histogram {quoted(histogram)}", "a list of values and counts") from None
    order = np.argsort(values)
    below = np.cumsum(counts[order])
    if not below.size or not 0 < below[-1] < math.inf:
        return math.nan
    return float(values[order][np.searchsorted(below, below[-1] / 2)])


def _converted(found: Sequence[Benchmark]) -> dict[tuple[str, str], tuple[str, float, str]]:
    """Return (metric, unit in the file) → (metric, factor, unit) to be stored.

    Several units of time, or of rates, of a metric are converted to seconds. Other units split the metric.
    """
    known = dict[str, dict[str, None]]()
    for each in found:
        for metric, score in each.scores.items():
            known.setdefault(metric, {})[score.unit] = None
    converted = dict[tuple[str, str], tuple[str, float, str]]()
    for metric, units in known.items():
        alike = len({_in_seconds(unit)[1] for unit in units}) == 1
        for unit in units:
            factor, seconds = _in_seconds(unit) if alike and len(units) > 1 else (1.0, unit)
            name = metric if alike else f"{metric} ({unit})"
            converted[metric, unit] = name, factor, seconds.removesuffix(PER_OPERATION)
    return converted


def _in_seconds(unit: str) -> tuple[float, str]:
    """Return the factor that converts a unit to the unit with seconds, and this unit."""
    if unit.endswith(PER_OPERATION) and unit.removesuffix(PER_OPERATION) in SECONDS:
        return SECONDS[unit.removesuffix(PER_OPERATION)], f"s{PER_OPERATION}"
    if unit.startswith(OPERATIONS) and unit.removeprefix(OPERATIONS) in SECONDS:
        return 1 / SECONDS[unit.removeprefix(OPERATIONS)], f"{OPERATIONS}s"
    return 1.0, unit


def _entries(
    found: Sequence[Benchmark], converted: Mapping[tuple[str, str], tuple[str, float, str]], *, rounds: bool
) -> Iterator[Entry]:
    """Return entries with one value for each fork or, with `rounds`, for each iteration."""
    threads = len({each.about.get("threads") for each in found}) > 1
    for each in found:
        values = dict[str, list[float]]()
        for metric, score in each.scores.items():
            name, factor, _ = converted[metric, score.unit]
            numbers = [value for fork in score.forks for value in (fork if rounds else [_median(fork)])]
            values[name] = [value * factor for value in numbers]
        own = {"threads": each.about.get("threads")} if threads else {}
        yield entry(each.name, {**each.parameters, **own}, values, each.line)


def _median(values: Sequence[float]) -> float:
    kept = list(filter(math.isfinite, values))
    return median(kept) if kept else math.nan
