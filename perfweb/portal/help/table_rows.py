"""Rows of the tables of the accuracy page, and the files of figures that they are made of."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString


@cache
def figures_load(file: Path) -> Mapping[str, Any]:
    """Read a file of figures that is part of the portal."""
    found: Mapping[str, Any] = json.loads(file.read_text())
    return found


def rows_html(rows: Iterable[Sequence[str]]) -> SafeString:
    """Return rows whose first cell is a heading, and whose other cells are numbers."""
    return format_html_join("\n", "<tr>{}{}</tr>", ((_heading(row[0]), _numbers(row[1:])) for row in rows))


def _heading(text: str) -> SafeString:
    return format_html('<th scope="row">{}</th>', text)


def _numbers(texts: Sequence[str]) -> SafeString:
    return format_html_join("", '<td class="number">{}</td>', ([text] for text in texts))
