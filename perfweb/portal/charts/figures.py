"""The parts of a chart: data for the script, and a sentence and a table that need no script."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.html import conditional_escape, format_html_join, strip_tags
from django.utils.safestring import SafeString

from perfweb.portal.charts import plotly_text

Cell = str | SafeString


@dataclass(frozen=True)
class Drawing:
    """An alternative drawing of a figure's numbers, loaded when the reader switches to it."""

    data: list[dict[str, Any]]
    layout: dict[str, Any]

    @property
    def json(self) -> str:
        """Return the JSON for the chart script."""
        return plotly_text.figure_json(self.data, self.layout)


@dataclass(frozen=True)
class Figure:
    """A Plotly figure as plain dicts (`data`, `layout`) with its caption and the same numbers as a table.

    All texts are plain: markup of Plotly is escaped when the figure is written. A colour is the name of a
    custom property of tokens.css, such as "--series-1"; keys of colours contain "color". `surface` is the
    address of a `Drawing` of the same numbers; empty if there is none.
    """

    name: str
    caption: str | SafeString
    data: list[dict[str, Any]]
    layout: dict[str, Any]
    columns: Sequence[Cell]
    rows: Sequence[Sequence[Cell]]
    height: int = field(default=360)
    surface: str = ""

    @property
    def body(self) -> SafeString:
        """Return the table's rows as HTML, made without a template, which is slow for hundreds."""
        cells = '<td class="number">{}</td>' * (len(self.columns) - 1)
        return format_html_join("\n", f'<tr><th scope="row">{{}}</th>{cells}</tr>', self.rows)

    @property
    def json(self) -> str:
        """Return the JSON for the chart script; numbers that are not finite must be None already."""
        return plotly_text.figure_json(self.data, self.layout)

    @property
    def label(self) -> SafeString:
        """Return the caption without its colours, for an attribute; names that look like markup are kept."""
        return SafeString(strip_tags(conditional_escape(self.caption)))
