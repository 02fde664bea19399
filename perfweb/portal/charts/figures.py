"""What a chart consists of: data for the script, a sentence and a table for everybody."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.html import conditional_escape, format_html_join, strip_tags
from django.utils.safestring import SafeString

from perfweb.portal.charts import plotly_text

Cell = str | SafeString


@dataclass(frozen=True)
class Drawing:
    """Another way to draw a figure's numbers, sent when the reader switches to it."""

    data: list[dict[str, Any]]
    layout: dict[str, Any]

    @property
    def json(self) -> str:
        """As of a figure."""
        return plotly_text.figure_json(self.data, self.layout)


@dataclass(frozen=True)
class Figure:
    """A Plotly figure as plain dicts (`data`, `layout`) with its caption and the same numbers as a table.

    All texts are plain: what Plotly would read as markup is escaped when the figure is written. A colour is
    the name of a custom property of tokens.css, e.g. "--series-1", in a key whose name has "color": the
    chart script resolves it for the theme that is on, and draws again when it is switched.
    `surface` is the address of a `Drawing` of the same numbers, empty: there is none.
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
        """The rows of the table; a figure may have hundreds, too many for a template."""
        cells = '<td class="number">{}</td>' * (len(self.columns) - 1)
        return format_html_join("\n", f'<tr><th scope="row">{{}}</th>{cells}</tr>', self.rows)

    @property
    def json(self) -> str:
        """What the chart script reads; numbers that are not finite must have become None."""
        return plotly_text.figure_json(self.data, self.layout)

    @property
    def label(self) -> SafeString:
        """The caption without its colours, for an attribute: names that look like markup stay whole."""
        return SafeString(strip_tags(conditional_escape(self.caption)))
