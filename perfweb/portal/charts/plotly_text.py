"""Texts for Plotly: its titles, ticks, labels and hover boxes render a subset of HTML, and templates.

Of a kernel `vector<b>` or `<a href="…">` Plotly would make formatting and links, of `%{y}` a value, of `&lt;`
a sign. All texts of a figure pass through `figure_json`, so no chart has to think of it.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from perfweb.portal.text.lettering import folded

HOVER_TEXT = "%{text}<extra></extra>"
"""Template of a hover box that shows what `text` holds for the point, and nothing else."""

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\n": "<br>"})
_TAG = re.compile("<(?=/?[a-z])")
_INVISIBLE = "\N{ZERO WIDTH SPACE}"

_TEMPLATES = {"hovertemplate"}
"""Keys whose texts are templates of the charts' own, without names."""
_FOLDED = {"text", "hovertext", "name"}
"""Keys whose texts stand in a hover box or beside a mark, where long ones would leave the picture."""


def figure_json(data: list[dict[str, Any]], layout: dict[str, Any]) -> str:
    """The figure as the chart script reads it, its texts as Plotly shows them unchanged; line feeds break."""
    return json.dumps(_written({"data": data, "layout": layout}, escaped), allow_nan=False)


def escaped(text: str) -> str:
    """A plain text as Plotly's markup."""
    return text.translate(_ENTITIES).replace("%{", "&#37;{")


def _on_canvas(text: str) -> str:
    """The same for titles of axes in space, where Plotly knows tags but no entities."""
    return _TAG.sub(f"<{_INVISIBLE}", text)


def _written(value: Any, write: Callable[[str], str], key: str = "") -> Any:
    """A part of a figure with its texts escaped; colours and templates stay as they are."""
    if isinstance(value, str):
        if "color" in key or key in _TEMPLATES:
            return value
        return write(folded(value) if key in _FOLDED else value)
    if isinstance(value, dict):
        return {
            name: _written(part, _on_canvas if name == "scene" else write, name)
            for name, part in value.items()
        }
    if isinstance(value, (list, tuple)):
        # Most parts of a figure are long lists of numbers.
        return [part if isinstance(part, float) else _written(part, write, key) for part in value]
    return value
