"""What a page shows, as a file: CSV for spreadsheets, JSON for programs."""

import csv
import io
import math
import unicodedata
from collections.abc import Sequence
from typing import TypeVar

from django.http import HttpResponse, JsonResponse
from django.http.response import HttpResponseBase

Answer = TypeVar("Answer", bound=HttpResponseBase)
Value = str | float | int | None
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


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


def safe_cell(value: Value) -> Value:
    """A text that a spreadsheet would take for a formula, made plain text by a leading apostrophe."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def as_csv(name: str, columns: Sequence[str], rows: Sequence[Sequence[Value]]) -> HttpResponse:
    """The rows as a file to download; numbers with all their digits."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([safe_cell(column) for column in columns])
    writer.writerows([[safe_cell(finite(value)) for value in row] for row in rows])
    answer = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
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
    """A name that any file system takes, and none hides."""
    letters = (each for each in unicodedata.normalize("NFKD", filename) if not unicodedata.combining(each))
    plain = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in letters)
    name = plain.encode("ascii", "ignore").decode()
    return f"file{name}" if name[:1] in ("", ".") else name
