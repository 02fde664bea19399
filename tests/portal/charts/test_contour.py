"""Labels of the lines of equal value over two parameters."""

from collections.abc import Callable

import pytest

from modeling.selectors.kernel.curves import Grid
from perfweb.portal.charts.contour import contour_figure

X = (1.0, 2.0, 4.0, 8.0, 16.0)


def labels(law: Callable[[float, float], float]) -> list[tuple[str, str]]:
    """Return the text of each label, and whether it is above, beside or inside the picture."""
    values = tuple(tuple(law(x, y) for x in X) for y in X)
    figure = contour_figure(Grid(X, X, values), ("p", "n"), [], None, unit="s", metric="time", fixed="")
    side = {("center", "bottom"): "above", ("left", "middle"): "beside", ("left", "bottom"): "inside"}
    return [(note["text"], side[note["xanchor"], note["yanchor"]]) for note in figure.layout["annotations"]]


@pytest.mark.parametrize(
    ("law", "expected"),
    [
        (lambda p, n: p, [("2 s", "above"), ("5 s", "above"), ("10 s", "above")]),
        (lambda p, n: n, [("2 s", "beside"), ("5 s", "beside"), ("10 s", "beside")]),
        # Where p·n is 2, 5 and 10, the line ends at the left and the lower side only.
        (lambda p, n: p * n, [("2 s", "inside"), ("5 s", "inside"), ("10 s", "inside"),
                              ("20 s", "above"), ("50 s", "above"), ("100 s", "above"), ("200 s", "above")]),
    ],
)  # fmt: skip
def test_every_line_has_a_label(
    law: Callable[[float, float], float], expected: list[tuple[str, str]]
) -> None:
    assert labels(law) == expected
