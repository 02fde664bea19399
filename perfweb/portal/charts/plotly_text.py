"""Escapes texts for Plotly, which renders a subset of HTML, and templates such as `%{y}`.

The name `vector<b>` of a kernel would be shown in bold. All texts of a figure pass through `figure_json`, so
that no chart has to escape them.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from perfweb.portal.text.lettering import folded

HOVER_TEXT = "%{text}<extra></extra>"
"""Template of a hover box that shows only the point's `text`."""

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\n": "<br>"})
_TAG = re.compile("<(?=/?[a-z])")
_INVISIBLE = "\N{ZERO WIDTH SPACE}"

_TEMPLATES = {"hovertemplate"}
"""Keys whose texts are templates of this package; they contain no text of users."""
_FOLDED = {"text", "hovertext", "name"}
"""Keys of texts in hover boxes or next to marks; long texts are folded to fit into the picture."""


def figure_json(data: list[dict[str, Any]], layout: dict[str, Any]) -> str:
    """Return the figure for the chart script, with texts that Plotly shows unchanged."""
    return json.dumps(_written({"data": data, "layout": layout}, escaped), allow_nan=False)


def escaped(text: str) -> str:
    """Return a plain text as Plotly's markup."""
    return text.translate(_ENTITIES).replace("%{", "&#37;{")


def _on_canvas(text: str) -> str:
    """Return a text as markup for titles in three dimensions, where Plotly knows tags but no entities."""
    return _TAG.sub(f"<{_INVISIBLE}", text)


def _written(value: Any, write: Callable[[str], str], key: str = "") -> Any:
    """Return a part of a figure with its texts escaped; colours and templates stay unchanged."""
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
        # Most parts of a figure are long lists of numbers, which need no escaping.
        return [part if isinstance(part, float) else _written(part, write, key) for part in value]
    return value
