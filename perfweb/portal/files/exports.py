"""Downloads of a page's content: CSV for spreadsheets, JSON for programs."""

import math
import re
import unicodedata
from collections.abc import Sequence
from typing import TypeVar

from django.http import HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.urls.converters import StringConverter

Answer = TypeVar("Answer", bound=HttpResponseBase)
Value = str | float | int | None
_FORMULA = re.compile(r"""(^|[;\t\r\n])(?=[\s"']*[-=+@＝＋－＠]|^[\t\r])""")
"""Positions before text that a spreadsheet would compute, even after spaces, quotes or a separator."""
LONGEST_FILENAME = 120


class FileKind(StringConverter):
    """Formats of a file, which are the endings of its address."""

    regex = "csv|json"


class TableKind(StringConverter):
    """Formats of a file with the kernels of a page."""

    regex = "csv|json|tex"


class ModelsKind(StringConverter):
    """Formats of a file with models."""

    regex = "json|csv|tex|py"


class ValuesKind(StringConverter):
    """Formats of a file with measured values."""

    regex = "jsonl|csv"


def csv_row(cells: Sequence[Value]) -> str:
    """Return a line: numbers with all digits, quoted texts, and nothing that a spreadsheet would compute."""
    return ",".join(map(_cell, cells)) + "\n"


def _cell(value: Value) -> str:
    if isinstance(value, str):
        doubled = safe_text(value).replace('"', '""')
        return f'"{doubled}"'
    number = finite(value)
    return "" if number is None else repr(number)


def safe_text(text: str) -> str:
    """Return a text with an apostrophe before everything that a spreadsheet would read as a formula."""
    return _FORMULA.sub(r"\1'", text)


def parameter_columns(parameters: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return the headings of the parameters' columns, distinct from the other headings."""
    found = list[str]()
    for name in parameters:
        column = name
        while column in (*others, *found):
            column = f"{column} (parameter)"
        found.append(column)
    return found


def as_csv(name: str, columns: Sequence[str], rows: Sequence[Sequence[Value]]) -> HttpResponse:
    """Return the rows as a file to download, with all digits of numbers."""
    text = "".join(map(csv_row, [columns, *rows]))
    answer = HttpResponse(text, content_type="text/csv; charset=utf-8")
    return attached(answer, f"{name}.csv")


def as_json(name: str, columns: Sequence[str], rows: Sequence[Sequence[Value]]) -> HttpResponse:
    """Return the rows as a list of objects; unknown values are null."""
    records = [{column: finite(value) for column, value in zip(columns, row, strict=True)} for row in rows]
    return attached(JsonResponse(records, safe=False), f"{name}.json")


def finite(value: Value) -> Value:
    """Return a finite number, or None."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def attached(answer: Answer, filename: str) -> Answer:
    """Return the answer as a download."""
    answer.headers["Content-Disposition"] = f'attachment; filename="{plain_name(filename)}"'
    return answer


def plain_name(filename: str) -> str:
    """Return a name of a file that every system accepts and shows; the ending stays."""
    letters = (each for each in unicodedata.normalize("NFKD", filename) if not unicodedata.combining(each))
    plain = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in letters)
    name = plain.encode("ascii", "ignore").decode()
    name = f"file{name}" if name[:1] in ("", ".") else name
    stem, dot, ending = name.rpartition(".")
    return f"{stem[:LONGEST_FILENAME]}{dot}{ending[:10]}" if len(name) > LONGEST_FILENAME and stem else name
