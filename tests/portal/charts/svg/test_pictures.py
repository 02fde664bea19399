import re
from xml.etree import ElementTree

import pytest

from perfweb.portal.charts.svg.pictures import histogram, sparkline


def parts(svg, tag):
    return [part for part in ElementTree.fromstring(str(svg)).iter() if part.tag == tag]


def heights(svg):
    points = " ".join(part.get("points") for part in parts(svg, "polyline"))
    return [float(pair.split(",")[1]) for pair in points.split()]


def test_a_line_rises_with_its_values():
    first, *_, last = heights(sparkline([1.0, 2.0, 10.0], "rising"))
    assert first > last  # In SVG, y is measured from the top.


def test_a_gap_divides_the_line():
    svg = sparkline([1.0, 2.0, None, 3.0, 4.0], "gap")
    assert len(parts(svg, "polyline")) == 2


def test_noise_looks_flat():
    noisy = heights(sparkline([100.0, 101.0, 99.5, 100.2], "noise"))
    assert max(noisy) - min(noisy) < 2.0


def test_a_change_is_marked_by_a_dot_of_its_kind():
    svg = sparkline([1.0, 5.0, 1.0], "marks", marks=[(1, "worse")])
    assert [dot.get("class") for dot in parts(svg, "circle")] == ["spark-last", "spark-worse"]


def test_a_band_lies_around_the_line():
    svg = sparkline([1.0, 2.0], "band", lower=[0.5, None], upper=[1.5, 2.5])
    assert parts(svg, "polygon") == []
    svg = sparkline([1.0, 2.0], "band", lower=[0.5, 1.5], upper=[1.5, 2.5])
    assert len(parts(svg, "polygon")) == 1


def test_a_histogram_counts_and_names_its_ends():
    svg = histogram([0.01, 0.011, 0.0105, 0.09, None], "noise", bins=4, mark=0.011)
    tall, low = parts(svg, "rect")
    assert float(tall.get("height")) == pytest.approx(3 * float(low.get("height")), rel=0.01)
    assert [line.get("class") for line in parts(svg, "line")] == ["histogram-mark", "histogram-axis"]
    assert [end.text for end in parts(svg, "text")] == ["1 %", "9 %"]
    assert [end.text for end in parts(histogram([0.02, 0.02], "noise"), "text")] == ["2 %"]


def test_without_values_there_is_no_picture():
    assert sparkline([None, float("nan")], "x") == ""
    assert histogram([], "x") == ""


def test_no_style_attribute_and_an_escaped_label():
    svg = sparkline([1.0, 2.0], '<"x">')
    assert not re.search(r"\bstyle=", svg)
    assert parts(svg, "title")[0].text == '<"x">'


def test_an_extremely_wide_band_does_not_flatten_the_line():
    found = heights(sparkline([96.0, 4.0, 28.0], "x", lower=[90.0, 3.9, 20.0], upper=[99.0, 1e12, 120.0]))
    assert max(found) - min(found) > 5


def test_one_large_value_does_not_flatten_the_others():
    """After a first value of 4,000 the values 1, 2 and 4 are still drawn as equal, visible steps."""
    first, second, third, fourth = heights(
        sparkline(
            [4000.0, 1.0, 2.0, 4.0], "steep", lower=[3900.0, 0.0, 1.0, 3.0], upper=[4100.0, 2.0, 3.0, 5.0]
        )
    )
    assert second - third == pytest.approx(third - fourth, abs=0.2)
    assert second - third > 1
    assert first < fourth
