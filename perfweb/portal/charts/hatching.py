"""The hatching by which charts show what is extrapolated."""

from collections.abc import Sequence
from typing import Any

HATCH: dict[str, Any] = {"shape": "/", "size": 8, "solidity": 0.15}


def hatched(x: Sequence[float], y: Sequence[float]) -> dict[str, Any]:
    """Return the trace of a hatched rectangle between two positions and two heights."""
    (left, right), (bottom, top) = x, y
    return {
        "x": [left, right, right, left],
        "y": [bottom, bottom, top, top],
        "mode": "lines",
        "line": {"width": 0},
        "fill": "toself",
        "fillpattern": HATCH | {"fgcolor": "--line", "bgcolor": "rgba(0,0,0,0)"},
        "hoverinfo": "skip",
    }
