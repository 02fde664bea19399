"""Folders that are named after the run whose results they hold: `lulesh.p64.size45.r1`.

A prefix, names of parameters each with its value, and perhaps the number of the repetition: what Extra-P
reads. Decimals may be points or commas.
"""

import re
from collections.abc import Iterable, Sequence

from ingest.formats.errors import FormatError, quoted

REPETITION = re.compile(r"\.r\d+$")
PARAMETER = re.compile(r"([^0-9.,]+)([0-9][0-9.,]*)")
EXPECTED = "a folder named after the run, such as app.p64.size45.r1"


def coordinates(path: str) -> dict[str, float]:
    """Parameters of the run in whose folder a file lies.

    Raises:
        FormatError: the folder's name tells none.
    """
    folder = path.rpartition("/")[0].rpartition("/")[2]
    body = REPETITION.sub("", folder)
    body = body[body.find(".") + 1 :]
    pairs = PARAMETER.findall(body)
    if not pairs or "".join(name + value for name, value in pairs) != body:
        raise FormatError(f"the folder {quoted(folder)}", EXPECTED).inside(path)
    found = {name: _number(value, path) for name, value in pairs}
    if len(found) < len(pairs):
        raise FormatError(f"a parameter twice in the folder {quoted(folder)}", EXPECTED).inside(path)
    return found


def _number(text: str, path: str) -> float:
    try:
        return float(text.rstrip(".,").replace(",", "."))
    except ValueError:
        raise FormatError(f"{quoted(text)} in the name of a folder", "a number").inside(path) from None


def varying(runs: Iterable[dict[str, float]]) -> tuple[Sequence[str], dict[str, float]]:
    """Names of the parameters that vary between runs, and the values of those that do not.

    All of them count as varying where all runs are at one point.

    Raises:
        FormatError: the runs have different parameters.
    """
    values: dict[str, set[float]] = {}
    for run in runs:
        if values and run.keys() != values.keys():
            found = f"runs of {quoted(', '.join(values))} and of {quoted(', '.join(run))}"
            raise FormatError(found, "the same parameters in the name of each folder")
        for name, value in run.items():
            values.setdefault(name, set()).add(value)
    names = [name for name, found in values.items() if len(found) > 1] or list(values)
    return names, {name: min(found) for name, found in values.items() if name not in names}
