"""Finds columns of texts, such as names of input files, whose numbers only repeat a parameter.

Such texts become part of the kernels' names. With `mesh_256.h5` and `mesh_512.h5`, each kernel would have a
single size. If a parameter has another value for each text, the numbers are left out: `mesh_*.h5`. Texts that
name no file must also contain the parameter's value, or have numbers that rise with it. One value may
have several texts if rows differ in another text column. Long numbers in folders, such as job numbers, and in
output files are ignored.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

from ingest.formats.table.cells import EMPTY_CELLS, number
from ingest.formats.table.chunks import Chunks, Row
from ingest.formats.table.columns import Columns
from ingest.formats.table.headings import words

MARK = "*"
LEAST_RISING = 4
"""If the numbers in at least this many texts rise with a parameter, this is no coincidence."""
MOST_COMBINATIONS = 50_000
"""Limit on the different combinations of texts and parameters, which take about 20 MiB."""
NUMBER = re.compile(r"\d+(?:\.\d+)?")
LONG = re.compile(r"\d{5,}")
"""Matches numbers of jobs, dates and times."""
EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")
FOLDERS = re.compile(r".*[/\\]")
FILE = re.compile(r"[^\s/\\]*[/\\]\S*|\S+\.[A-Za-z][A-Za-z0-9]{0,4}")
"""Matches the name of a file, with or without its folders."""
WRITTEN = frozenset({"out", "output", "log", "logfile", "trace", "result", "results", "dir", "folder"})
"""Words in names of columns with files that a run wrote. Each run has its own files."""


class Combinations:
    """The different rows of a table, reduced to its labels and its varying parameters."""

    def __init__(self, labels: Sequence[int], parameters: Sequence[int], chunks: Chunks, width: int) -> None:
        self.labels, self.parameters = labels, parameters
        found = dict[tuple[str, ...], None]()
        for chunk in chunks:
            cells = chunk.columns(width)
            chosen = ([cell.strip() for cell in cells[place]] for place in (*labels, *parameters))
            found.update(dict.fromkeys(zip(*chosen, strict=True)))
            if len(found) > MOST_COMBINATIONS:
                found.clear()
                break
        self.rows: Sequence[Row] = list(found)


def shorten_labels(found: Columns, chunks: Chunks, decimal: str) -> None:
    """Leave out numbers of labels that repeat a parameter. A label with equal texts becomes metadata."""
    profiles = found.profiles
    named = [*found.labels, *([] if found.kernel is None else [found.kernel])]
    alike = [place for place in named if not profiles[place].many and _alike(profiles[place].texts)]
    varying = [place for place in found.parameters if len(profiles[place].numbers) > 1]
    if not alike or not varying:
        return
    both = Combinations(named, varying, chunks, len(found.headings))
    for label in alike:
        repeated = _repeated_parameter(found, label, both, decimal)
        if repeated is not None:
            texts = {row[both.labels.index(label)] for row in both.rows}
            _shorten(found, label, texts, found.headings[repeated].name)


def _alike(texts: Iterable[str]) -> bool:
    """Return whether some texts differ only in numbers."""
    known = list(texts)
    return len(set(map(_masked, known))) < len(known)


def _masked(text: str) -> str:
    """Return a text with marks in place of numbers, except in a file's extension."""
    extension = EXTENSION.search(text)
    end = extension.start() if extension else len(text)
    return NUMBER.sub(MARK, text[:end]) + text[end:]


def _repeated_parameter(found: Columns, label: int, both: Combinations, decimal: str) -> int | None:
    """Return a parameter that a label's numbers repeat, at best one with its value in the texts, or None."""
    at = both.labels.index(label)
    rows = [row for row in both.rows if row[at].lower() not in EMPTY_CELLS]
    files = all(FILE.fullmatch(text) for text in {row[at] for row in rows})
    written = files and bool(WRITTEN.intersection(words(found.headings[label].name)))
    candidates = list[int]()
    for place, parameter in enumerate(both.parameters, len(both.labels)):
        if rows and _one_to_one(rows, at, place, len(both.labels), written=written):
            if all(_repeats(text, value, decimal) for text, value in {(row[at], row[place]) for row in rows}):
                return parameter
            candidates.append(parameter)
            families = dict[str, set[tuple[str, str]]]()
            for row in rows:
                families.setdefault(_masked(row[at]), set()).add((row[at], row[place]))
            if not files and all(_rises(family, decimal) for family in families.values()):
                return parameter
    return candidates[0] if candidates and files else None


def _rises(pairs: Collection[tuple[str, str]], decimal: str) -> bool:
    """Return whether the only number of each text rises with a parameter: `mesh_N10` with 1000 cells."""
    found = list[tuple[float, float]]()
    for text, value in pairs:
        numbers = NUMBER.findall(text)
        try:
            parsed = number(value, decimal)
        except ValueError:
            return False
        if len(numbers) != 1 or parsed is None:
            return False
        found.append((float(numbers[0]), parsed[0]))
    found.sort()
    return len(found) >= LEAST_RISING and all(
        former[0] < latter[0] and former[1] < latter[1] for former, latter in pairwise(found)
    )


def _one_to_one(rows: Sequence[Row], label: int, parameter: int, labels: int, *, written: bool) -> bool:
    """Return whether texts of a label and values of a parameter belong together one to one."""
    of_text, of_value = dict[str, str](), dict[object, str]()
    for row in rows:
        text, value = row[label], row[parameter]
        others = (*row[:label], *row[label + 1 : labels])
        known = _known(text, written=written)
        if of_text.setdefault(text, value) != value:
            return False
        if of_value.setdefault((_masked(text), value, *others), known) != known:
            return False
    return True


def _known(text: str, *, written: bool) -> str:
    """Return a text without its long numbers, such as the ids of jobs."""
    if written:
        return LONG.sub(MARK, text)
    folders = FOLDERS.match(text)
    end = folders.end() if folders else 0
    return LONG.sub(MARK, text[:end]) + text[end:]


def _repeats(text: str, value: str, decimal: str) -> bool:
    """Return whether one of a text's numbers is this value."""
    try:
        found = number(value, decimal)
    except ValueError:
        return False
    return found is not None and found[0] in set(map(float, NUMBER.findall(text)))


def _shorten(found: Columns, label: int, texts: set[str], parameter: str) -> None:
    """Leave out the numbers of a label, and the folders that all of its texts have in common."""
    short = {text: _masked(text) for text in texts if text.lower() not in EMPTY_CELLS}
    while len({text.partition("/")[0] for text in short.values()}) == 1 and all(
        "/" in text for text in short.values()
    ):
        short = {text: rest.partition("/")[2] for text, rest in short.items()}
    name = found.headings[label].name
    if label in found.labels and len(set(short.values())) == 1 and len(short) == len(texts):
        found.labels.remove(label)
        found.metadata[name] = next(iter(short.values()))
    else:
        found.short[label] = short
    found.notes.append(f"{name}: numbers in its texts were left out, because {parameter} tells them apart")
