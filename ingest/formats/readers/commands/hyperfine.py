"""Reads hyperfine's JSON and CSV (`--export-json`, `--export-csv`): commands, parameters, and times.

JSON has the time of each run, which is a process and therefore a repetition. CSV has only statistics, of
which the median is read. Failed runs are left out, unless all of a command's runs failed. Then, a
nonzero exit code is normal, as for `diff`. If no command has parameters, the numbers in which all commands
differ are parameters: `./sort -n 1000` and `./sort -n 2000`.
"""

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ingest.formats.campaign.campaign import Campaign
from ingest.formats.collecting.entries import Entry, as_number, campaign_of, entry, level_of, within_limits
from ingest.formats.errors import FormatError, quoted
from ingest.formats.files.documents.document import Document
from ingest.formats.files.documents.json_text import members
from ingest.formats.files.source import Source
from ingest.formats.limits import Limits
from ingest.formats.readers.commands.command_arguments import differences
from ingest.formats.table.row_reader import FORMULA_APOSTROPHE

NAME = "hyperfine"
TITLE = "hyperfine JSON or CSV"
UNITS = {"time": "s", "user": "s", "system": "s", "memory": "B"}
RUNS = {"times": "time", "memory_usage_byte": "memory"}
"""Keys of lists with one value per run → the metric."""
MEANS = ("user", "system")
"""Metrics of which hyperfine exports only the mean."""
STATISTICS = ("median", "mean")
"""Statistics that replace times, the best one first."""
HEADER = "command,mean,"
PARAMETER = "parameter_"
"""Prefix of the names of parameter columns in CSV."""


@dataclass(frozen=True)
class Command:
    """The measurements of a command with one set of parameter values."""

    text: str
    parameters: Mapping[str, Any]
    values: Mapping[str, Sequence[float]]
    line: int


@dataclass
class Notes:
    """Notes for the file's owner."""

    without_runs: dict[str, int] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)

    def sentences(self) -> Iterator[str]:
        """Return the notes as a limited number of sentences."""
        for statistic, count in self.without_runs.items():
            yield (
                f"the {statistic} counts as one repetition of {count} commands, because the file has no "
                "times of single runs; --export-json writes them"
            )
        yield from self.failed[:5]
        if len(self.failed) > 5:
            yield f"{len(self.failed) - 5} more commands had runs that failed"


def recognises(source: Source) -> bool:
    """Recognise a JSON document of results with commands, or CSV with hyperfine's columns."""
    if source.first_line.startswith(HEADER):
        return True
    return "results" in source.keys and '"command"' in source.head


def read(source: Source) -> Campaign:
    """Read the file command by command."""
    notes = Notes()
    if source.head.startswith("{"):
        document = source.document
        document.constants = True
        try:
            commands = list(_results(document, source.limits, notes))
        except FormatError as error:
            raise error.at(document.line) from None
    else:
        commands = list(within_limits(_rows(source, notes), source.limits))
    commands, told = _with_differences(commands)
    campaign = campaign_of(_entries(commands), source.limits, NAME)
    metrics = {metric for _, metric in campaign.series}
    units = {metric: unit for metric, unit in UNITS.items() if metric in metrics}
    return replace(campaign, units=units, notes=(*told, *notes.sentences(), *campaign.notes))


def _with_differences(commands: list[Command]) -> tuple[list[Command], list[str]]:
    """Return commands without parameters with the numbers in which all of them differ, and a note."""
    if any(each.parameters for each in commands):
        return commands, []
    arguments = differences([each.text for each in commands])
    numbers = [{name: value for name, value in each.items() if as_number(value)} for each in arguments]
    names = [name for name in (numbers or [{}])[0] if all(name in each for each in numbers)]
    if not names:
        return commands, []
    told = f"the numbers in which the commands differ were read as the parameters {', '.join(names)}"
    found = [
        replace(command, parameters={name: each[name] for name in names})
        for command, each in zip(commands, numbers, strict=True)
    ]
    return found, [f"{told}; --parameter-list gives them names"]


def _results(document: Document, limits: Limits, notes: Notes) -> Iterator[Command]:
    document.enter("results")
    for element in document.results():
        fields = members(element, "an object for each command")
        parameters = members(fields.get("parameters") or (), "parameters by name")
        if len(parameters) > limits.parameters:
            raise FormatError(f"{len(parameters)} parameters", f"at most {limits.parameters} parameters")
        yield _command(fields, parameters, document.line, notes)


def _rows(source: Source, notes: Notes) -> Iterator[Command]:
    table = csv.reader((line for _, line in source.raw_lines()), strict=True)
    try:
        header = [name.strip() for name in next(table)]
        for row in table:
            if len(row) != len(header):
                raise FormatError(f"a row of {len(row)} cells", f"{len(header)} cells, as in the header")
            cells = dict(zip(header, (FORMULA_APOSTROPHE.sub("", cell) for cell in row), strict=True))
            numbers = {name: as_number(cells.get(name)) for name in (*STATISTICS, *MEANS)}
            parameters = {
                name.removeprefix(PARAMETER): cell
                for name, cell in cells.items()
                if name.startswith(PARAMETER) and cell
            }
            yield _command({"command": cells["command"], **numbers}, parameters, table.line_num, notes)
    except csv.Error as error:
        raise FormatError(
            f"no table: {error}", "each cell either without quotes or wholly inside of quotes", table.line_num
        ) from None
    except FormatError as error:
        raise error.at(table.line_num) from None


def _command(fields: Mapping[str, Any], parameters: Mapping[str, Any], line: int, notes: Notes) -> Command:
    text = fields.get("command")
    if not isinstance(text, str):
        raise FormatError(f"the command {quoted(text)}", "a text")
    values = {metric: _numbers(fields[name], name) for name, metric in RUNS.items() if fields.get(name)}
    values = _of_successes(values, fields.get("exit_codes"), text, notes)
    values |= {name: _numbers([fields[name]], name) for name in MEANS if fields.get(name) is not None}
    if "time" not in values:
        statistic = next((name for name in STATISTICS if fields.get(name) is not None), None)
        if statistic is None:
            raise FormatError("a command without times", "a list of times, a median or a mean")
        values["time"] = _numbers([fields[statistic]], statistic)
        notes.without_runs[statistic] = notes.without_runs.get(statistic, 0) + 1
    return Command(text, parameters, values, line)


def _numbers(values: object, what: str) -> list[float]:
    if not isinstance(values, list) or not all(isinstance(value, float) for value in values):
        raise FormatError(f"{what} {quoted(values)}", "numbers")
    return values


def _of_successes(
    values: Mapping[str, list[float]], codes: object, text: str, notes: Notes
) -> dict[str, list[float]]:
    """Return the values of the successful runs, or all values if every run failed."""
    if not isinstance(codes, list) or not any(code != 0 for code in codes):
        return dict(values)
    failed, named = sum(code != 0 for code in codes), quoted(level_of(text))
    if failed == len(codes):
        notes.failed.append(
            f"every run of {named} ended with an exit code that is not 0; their times were kept"
        )
        return dict(values)
    notes.failed.append(f"{failed} of {len(codes)} runs of {named} failed and were left out")
    return {
        metric: [value for value, code in zip(runs, codes, strict=True) if code == 0]
        if len(runs) == len(codes)
        else runs
        for metric, runs in values.items()
    }


def _entries(commands: Sequence[Command]) -> Iterator[Entry]:
    """Make entries whose kernels are the commands, with {n} in place of the value of the parameter n.

    The value can be replaced in two ways; the way with fewer kernels is used.
    """
    templates = min((_templates(commands, pattern) for pattern in (_word, re.escape)), key=_distinct)
    for each, kernel in zip(commands, templates, strict=True):
        yield entry(level_of(kernel), each.parameters, each.values, each.line)


def _distinct(templates: Sequence[str]) -> int:
    return len(set(templates))


def _templates(commands: Sequence[Command], pattern: Callable[[str], str]) -> list[str]:
    templates = []
    for each in commands:
        text = each.text
        for name, value in each.parameters.items():
            if as_number(value) is not None:
                number = value if isinstance(value, str) else f"{value:g}"
                text = f"{{{name}}}".join(re.split(pattern(number), text))
        templates.append(text)
    return templates


def _word(text: str) -> str:
    return rf"(?<![\w.]){re.escape(text)}(?![\w.])"
