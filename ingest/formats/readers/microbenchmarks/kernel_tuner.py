"""Cache files of Kernel Tuner, which hold the times of a GPU kernel in each configuration that was tried.

The parameters of the configurations that vary are parameters if they are numbers, and otherwise part of the
kernel's name. `times` are the runs of a configuration, in milliseconds. All of them are made in one process,
and are therefore rounds. Further metrics are what the user measured, such as `GFLOP/s` or `energy`; how long
the tuning itself took is left out, as are configurations that failed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.campaign.names import DEFAULT_KERNEL
from ingest.formats.collecting.entries import Entry, campaign_of, entry, level_of, within_limits
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.document import Document
from ingest.formats.files.documents.json_text import members
from ingest.formats.files.source import Source

NAME = "kernel-tuner"
TITLE = "Kernel Tuner cache"
CONFIGURATIONS, KEYS = "cache", "tune_params_keys"
DESCRIBED = ("kernel_name", "device_name", "problem_size")
TIME, TIMES = "time", "times"
TUNING = frozenset(
    ("compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time", "timestamp")
)
"""Keys that say how long the tuning took."""
STATES = frozenset(("temperature", "core_freq", "mem_freq"))
"""Keys of the GPU's state during the measurement."""
FAILED = 1e20
"""Time that old versions store for configurations that failed; newer ones store a text."""
Configuration = tuple[dict[str, Any], int]


def recognises(source: Source) -> bool:
    """Recognise the keys of a cache."""
    return {CONFIGURATIONS, KEYS} <= source.keys


def read(source: Source) -> Campaign:
    """Read the cache configuration by configuration."""
    document: Document = source.document
    document.constants = True
    try:
        about = {key: _value(document, key) for key in DESCRIBED if key in document.sections}
        keys = _value(document, KEYS)
        configurations = list(
            within_limits(_configurations(document), source.limits, lambda each: len(each[0]))
        )
    except FormatError as error:
        raise error.at(document.line) from None
    failed = sum(not _succeeded(each) for each, _ in configurations)
    measured = [each for each in configurations if _succeeded(each[0])]
    kernel = level_of(str(about.pop("kernel_name", ""))) or DEFAULT_KERNEL
    entries = _entries(kernel, keys if isinstance(keys, list) else [], measured)
    campaign = campaign_of(entries, source.limits, NAME, rounds=True)
    notes = [f"{failed} configurations that failed were left out"] if failed else []
    return replace(campaign, units={TIME: "ms"}, metadata=about, notes=(*notes, *campaign.notes))


def _value(document: Document, key: str) -> Any:
    document.enter(key)
    return document.value()


def _configurations(document: Document) -> Iterator[Configuration]:
    document.enter(CONFIGURATIONS)
    for _ in document.members():
        yield members(document.value(), "an object for each configuration"), document.line


def _succeeded(configuration: Mapping[str, Any]) -> bool:
    time = configuration.get(TIME)
    return isinstance(time, float) and time < FAILED


def _entries(kernel: str, keys: Sequence[str], configurations: Sequence[Configuration]) -> Iterator[Entry]:
    varying = [
        key for key in keys if len({repr(configuration.get(key)) for configuration, _ in configurations}) > 1
    ]
    for configuration, line in configurations:
        times = configuration.get(TIMES, [configuration[TIME]])
        if not isinstance(times, list) or not all(isinstance(each, float) for each in times):
            raise FormatError(f"the times {quoted(times)}", "a list of milliseconds", line)
        values = {TIME: times or [configuration[TIME]]}
        values |= {
            key: [value]
            for key, value in configuration.items()
            if isinstance(value, float) and key not in {*keys, TIME, *TUNING, *STATES}
        }
        parameters = {key: configuration[key] for key in varying if configuration.get(key) is not None}
        yield entry(kernel, parameters, values, line)
