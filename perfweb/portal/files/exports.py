"""What a page shows, as a file: CSV for spreadsheets, JSON for programs."""

import math
import re
import unicodedata
from collections.abc import Sequence
from typing import TypeVar

from django.http import HttpResponse, JsonResponse
from django.http.response import HttpResponseBase

Answer = TypeVar("Answer", bound=HttpResponseBase)
Value = str | float | int | None
_FORMULA = re.compile(r"""(^|[;\t\r\n])(?=[\s"']*[-=+@＝＋－＠]|^[\t\r])""")
"""Before what a spreadsheet would compute: at the beginning of a cell, or where a reader would part it that
takes semicolons or tabs for separators, also behind spaces and quotes, and in fullwidth signs.
"""
LONGEST_FILENAME = 120


class FileKind:
    """The ending of an address that is a file."""

    regex = "csv|json"

    def to_python(self, value: str) -> str:
        """As it is."""
        return value

    def to_url(self, value: str) -> str:
        """As it is."""
        return value


class ModelsKind(FileKind):
    """Of a file with models."""

    regex = "json|csv|tex|py"


class ValuesKind(FileKind):
    """Of a file with values."""

    regex = "jsonl|csv"


def csv_row(cells: Sequence[Value]) -> str:
    """A line: numbers with all digits, texts in quotes and with nothing that a spreadsheet would compute."""
    return ",".join(map(_cell, cells)) + "\n"


def _cell(value: Value) -> str:
    if isinstance(value, str):
        doubled = safe_text(value).replace('"', '""')
        return f'"{doubled}"'
    number = finite(value)
    return "" if number is None else repr(number)


def safe_text(text: str) -> str:
    """A text with an apostrophe before all that a spreadsheet would take for a formula."""
    return _FORMULA.sub(r"\1'", text)


def parameter_columns(parameters: Sequence[str], others: Sequence[str]) -> list[str]:
    """What heads the columns of the parameters beside others of fixed names."""
    found = list[str]()
    for name in parameters:
        column = name
        while column in (*others, *found):
            column = f"{column} (parameter)"
        found.append(column)
    return found


def as_csv(name: str, columns: Sequence[str], rows: Sequence[Sequence[Value]]) -> HttpResponse:
    """The rows as a file to download; numbers with all their digits."""
    text = "".join(map(csv_row, [columns, *rows]))
    answer = HttpResponse(text, content_type="text/csv; charset=utf-8")
    return attached(answer, f"{name}.csv")


def as_json(name: str, columns: Sequence[str], rows: Sequence[Sequence[Value]]) -> HttpResponse:
    """The rows as a list of objects; what is not known is null."""
    records = [{column: finite(value) for column, value in zip(columns, row, strict=True)} for row in rows]
    return attached(JsonResponse(records, safe=False), f"{name}.json")


def finite(value: Value) -> Value:
    """A number that JSON and spreadsheets have, or None."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def attached(answer: Answer, filename: str) -> Answer:
    """The answer as a download."""
    answer.headers["Content-Disposition"] = f'attachment; filename="{plain_name(filename)}"'
    return answer


def plain_name(filename: str) -> str:
    """A name that any file system takes, and none hides; its ending stays however long it is."""
    letters = (each for each in unicodedata.normalize("NFKD", filename) if not unicodedata.combining(each))
    plain = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in letters)
    name = plain.encode("ascii", "ignore").decode()
    name = f"file{name}" if name[:1] in ("", ".") else name
    stem, dot, ending = name.rpartition(".")
    return f"{stem[:LONGEST_FILENAME]}{dot}{ending[:10]}" if len(name) > LONGEST_FILENAME and stem else name
