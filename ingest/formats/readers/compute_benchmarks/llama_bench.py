"""Reads the JSON of llama-bench (`-o json` or `jsonl`): the tokens per second of a language model.

A test that reads n_prompt tokens is the kernel prompt, one that writes n_gen tokens is the kernel generation.
Settings that vary are parameters if they are numbers, and otherwise part of the kernel's name. All samples
are made in one process, and are therefore rounds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.collecting.entries import Entry, as_number, campaign_of, entry, within_limits
from ingest.formats.collecting.metadata import agreed
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.document import LIST
from ingest.formats.files.documents.json_text import load, members
from ingest.formats.files.source import Source

NAME = "llama-bench"
TITLE = "llama-bench JSON"
RATE, UNIT = "rate", "tokens/s"
PROMPT, GENERATION = "n_prompt", "n_gen"
RESULTS = ("samples_", "avg_", "stddev_")
OTHERS = {PROMPT, GENERATION, "test_time", "model_filename", "model_size", "model_n_params", "build_number"}
"""Keys that are not settings of their own: the size of a model, for example, follows from its type."""

Test = tuple[dict[str, Any], int]


def recognises(source: Source) -> bool:
    """Recognise a list or lines of tests with samples of tokens per second."""
    return source.head.startswith(("[", "{")) and all(
        f'"{key}"' in source.head for key in (PROMPT, GENERATION, "samples_ts")
    )


def read(source: Source) -> Campaign:
    """Read the file test by test."""
    tests = list(within_limits(_tests(source), source.limits, lambda test: len(test[0])))
    campaign = campaign_of(_entries(tests), source.limits, NAME, rounds=True)
    about = [{key: value for key, value in test.items() if not key.startswith(RESULTS)} for test, _ in tests]
    return replace(campaign, units={RATE: UNIT}, metadata=agreed(about))


def _tests(source: Source) -> Iterator[Test]:
    expected = "an object for each test"
    if source.head.startswith("{"):
        for line, text in source.lines():
            try:
                yield members(load(text, source.limits.depth), expected), line
            except FormatError as error:
                raise error.at(line) from None
        return
    document = source.document
    document.constants = True
    try:
        document.enter(LIST)
        for element in document.results():
            yield members(element, expected), document.line
    except FormatError as error:
        raise error.at(document.line) from None


def _entries(tests: Sequence[Test]) -> Iterator[Entry]:
    settings = [
        key
        for key in dict.fromkeys(key for test, _ in tests for key in test)
        if key not in OTHERS
        and not key.startswith(RESULTS)
        and len({repr(test.get(key)) for test, _ in tests}) > 1
    ]
    for test, line in tests:
        yield _entry(test, {key: test[key] for key in settings if test.get(key) is not None}, line)


def _entry(test: Mapping[str, Any], settings: Mapping[str, object], line: int) -> Entry:
    samples, counts = test.get("samples_ts"), [as_number(test.get(key)) for key in (PROMPT, GENERATION)]
    if not isinstance(samples, list) or not all(isinstance(each, float) for each in samples):
        raise FormatError(f"the samples {quoted(samples)}", "a list of tokens per second", line)
    if None in counts:
        raise FormatError(f"a test of {quoted(counts)} tokens", f"numbers as {PROMPT} and {GENERATION}", line)
    prompt, generated = (count or 0.0 for count in counts)
    kernel = " and ".join(name for name, count in (("prompt", prompt), ("generation", generated)) if count)
    return entry(kernel or "main", {"tokens": prompt + generated, **settings}, {RATE: samples}, line)
