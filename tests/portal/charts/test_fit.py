"""What the caption of a kernel's main chart says of its band."""

from dataclasses import replace

import pytest

from modeling.selectors.kernel.curves import Curve, Estimate, PointValues
from perfweb.portal.charts.fit.figure import AT_THE_EDGE, BETWEEN, HOLLOW, fit_figure
from perfweb.portal.charts.fit.scene import Line, Scene


def scene(*factors: float | None) -> Scene:
    """Points at p = 4 and 16, and a band of these factors around 1 s from p = 4 to 64."""
    x = (4.0, 8.0, 16.0, 32.0, 64.0)
    law = Curve(x, tuple(Estimate(1.0, factor and 1 / factor, factor) for factor in factors))
    points = [PointValues((at,), (1.0,), 1.0, 1.0) for at in (4.0, 16.0)]
    return Scene("p", "p", "s", "time", "", 4.0, 16.0, points, 0, law)


@pytest.mark.parametrize(
    ("factors", "bulges"),
    [
        ((1.1, 1.3, 1.1, 1.1, 1.1), True),
        ((1.1, 1.12, 1.1, 1.1, 1.1), False),
        ((1.1, 1.1, 1.1, 2.0, 3.0), False),
        ((1.1, 1.2, 1.4, 2.0, 3.0), False),
        ((None, None, None, None, None), False),
    ],
)
def test_the_caption_explains_a_band_that_widens_between_points(
    factors: tuple[float | None, ...], bulges: bool
) -> None:
    assert (BETWEEN in str(fit_figure(scene(*factors)).caption)) is bulges


def measured(*values: float, left_out: frozenset[float] = frozenset()) -> Scene:
    """Return points with one repetition each at p = 1, 2, 4, …, whose law is 1 s everywhere."""
    x = [2.0**at for at in range(len(values))]
    points = [PointValues((at,), (value,), value, 1.0) for at, value in zip(x, values, strict=True)]
    law = Curve((x[0], x[-1]), (Estimate(1.0, 0.9, 1.1),) * 2)
    return Scene("p", "p", "s", "time", "", x[0], x[-1], points, 0, law, left_out=left_out)


def test_one_wild_value_does_not_hide_the_residuals_of_the_others() -> None:
    figure = fit_figure(measured(1.02, 0.99, 1.01, 9.0, 0.98, 1.0, left_out=frozenset({8.0})))
    low, high = figure.layout["yaxis2"]["range"]
    assert -5 < low < -2
    assert 2 < high < 5
    near, beyond = figure.data[-2:]
    assert len(near["x"]) == 5
    assert (beyond["x"], beyond["marker"]["symbol"]) == ([8.0], ["triangle-up"])
    assert beyond["text"] == ["800 % above the law at p = 8"]
    assert AT_THE_EDGE in str(figure.caption)


def test_a_point_that_the_law_leaves_out_is_hollow() -> None:
    figure = fit_figure(measured(1.02, 0.99, 1.01, 9.0, 0.98, 1.0, left_out=frozenset({8.0})))
    medians = next(trace for trace in figure.data if isinstance(trace.get("marker", {}).get("symbol"), list))
    assert medians["marker"]["symbol"] == ["square"] * 3 + ["square-open"] + ["square"] * 2
    assert medians["text"][3].endswith("left out by the law")
    assert HOLLOW in str(figure.caption)


def test_residuals_of_ordinary_noise_are_all_at_their_place() -> None:
    figure = fit_figure(measured(1.3, 0.8, 1.1, 0.7, 1.0, 1.2))
    low, high = figure.layout["yaxis2"]["range"]
    assert low < -30
    assert high > 30
    assert AT_THE_EDGE not in str(figure.caption)
    assert HOLLOW not in str(figure.caption)


@pytest.mark.parametrize(("factor", "anchors"), [(3.0, ("right", "bottom")), (0.3, ("left", "top"))])
def test_the_name_of_another_law_is_on_the_side_where_the_prediction_is_not(
    factor: float, anchors: tuple[str, str]
) -> None:
    found = scene(1.1, 1.1, 1.1, 1.1, 1.1)
    assert found.law
    other = Curve(found.law.x, tuple(Estimate(factor, None, None) for _ in found.law.x))
    figure = fit_figure(replace(found, others=[Line("law", other)]))
    name = next(note for note in figure.layout["annotations"] if note["text"] == "law")
    assert (name["xanchor"], name["yanchor"]) == anchors


@pytest.mark.parametrize(("factor", "anchors"), [(3.0, ("left", "bottom")), (0.3, ("right", "top"))])
def test_the_name_of_a_falling_law_does_not_cover_it(factor: float, anchors: tuple[str, str]) -> None:
    found = scene(1.1, 1.1, 1.1, 1.1, 1.1)
    assert found.law
    falling = [Estimate(factor * (1.05 - 0.01 * at), None, None) for at in range(5)]
    other = Curve(found.law.x, tuple(falling))
    figure = fit_figure(replace(found, others=[Line("law", other)]))
    name = next(note for note in figure.layout["annotations"] if note["text"] == "law")
    assert (name["xanchor"], name["yanchor"]) == anchors


@pytest.mark.parametrize(("factor", "corner"), [(3.0, "bottom"), (0.3, "top")])
def test_the_word_extrapolated_is_in_another_corner_than_the_name_of_a_line(
    factor: float, corner: str
) -> None:
    found = scene(1.1, 1.1, 1.1, 1.1, 1.1)
    assert found.law
    falling = replace(found.law, estimates=(Estimate(1.01, None, None), *found.law.estimates[1:]))
    other = Curve(found.law.x, tuple(Estimate(factor, None, None) for _ in found.law.x))
    figure = fit_figure(replace(found, law=falling, others=[Line("law", other)]))
    word = next(note for note in figure.layout["annotations"] if note["text"] == "extrapolated")
    assert word["yanchor"] == corner


@pytest.mark.parametrize(("factors", "corner"), [((), "bottom"), ((0.3,), "top"), ((0.3, 3.0), "bottom")])
def test_the_name_of_a_line_below_a_rising_law_does_not_run_into_the_word_extrapolated(
    factors: tuple[float, ...], corner: str
) -> None:
    found = scene(1.1, 1.1, 1.1, 1.1, 1.1)
    assert found.law
    others = [
        Line("1.2 (before)", replace(found.law, estimates=(Estimate(at, None, None),) * 5)) for at in factors
    ]
    figure = fit_figure(replace(found, others=others))
    word = next(note for note in figure.layout["annotations"] if note["text"] == "extrapolated")
    assert word["yanchor"] == corner


def test_several_other_laws_have_colours_of_their_own_next_to_their_names() -> None:
    found = scene(1.1, 1.1, 1.1, 1.1, 1.1)
    assert found.law
    others = [
        Line(name, Curve(found.law.x, tuple(Estimate(at, None, None) for _ in found.law.x)), colour)
        for name, at, colour in [("adaptive", 3.0, "--series-3"), ("refinement", 0.3, "--series-6")]
    ]
    figure = fit_figure(replace(found, others=others))
    drawn = [trace["line"]["color"] for trace in figure.data if trace.get("line", {}).get("dash") == "dot"]
    assert drawn == ["--series-3", "--series-6"]
    squares = [note for note in figure.layout["annotations"] if note["text"] == "■"]
    names = [note for note in figure.layout["annotations"] if note["text"] in ("adaptive", "refinement")]
    assert [square["font"]["color"] for square in squares] == drawn
    assert [square["xanchor"] for square in squares] == ["right", "left"]
    assert names[0]["xshift"] < 0 < names[1]["xshift"]


@pytest.mark.parametrize(("name", "title"), [("law", "Residuals of the law"), ("1.2 (before)", "Residuals")])
def test_residuals_are_those_of_the_law_where_the_prediction_is_another_line(name: str, title: str) -> None:
    found = scene(1.1, 1.1, 1.1, 1.1, 1.1)
    assert found.law
    other = Curve(found.law.x, tuple(Estimate(3.0, None, None) for _ in found.law.x))
    figure = fit_figure(replace(found, others=[Line(name, other)]))
    assert title in [note["text"] for note in figure.layout["annotations"]]
