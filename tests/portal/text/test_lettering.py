"""Names in the portal's sentences and in its charts."""

import json

import pytest

from ingest.models import Metric
from modeling.selectors.versions.waterfall import Contribution, Waterfall
from perfweb.portal.charts.figures import Drawing, Figure
from perfweb.portal.charts.waterfall import waterfall_figure
from perfweb.portal.text import formatting
from perfweb.portal.text.lettering import (
    LINE_LETTERS,
    MOST_LINES,
    bare,
    folded,
    isolated,
    short,
    short_apart,
    short_tail,
)


@pytest.mark.parametrize(
    ("name", "shown"),
    [("dot", "dot"), ("n" * 12, "n" * 9 + "…"), ("計算ループ外側", "計算ルー…"), ("🚀" * 3, "🚀" * 3)],
)
def test_a_long_name_is_cut(name, shown):
    assert short(name, 10) == shown


def test_a_sentence_is_broken_at_spaces_and_a_long_name_anywhere():
    lines = folded("at p = 64 the law gives " + "n" * 100 + ", or so\nbeyond what was measured").split("\n")
    assert lines[:2] == ["at p = 64 the law gives", "n" * LINE_LETTERS]
    assert lines[-1] == "beyond what was measured"
    assert max(map(len, lines)) <= LINE_LETTERS
    assert folded("n" * 9999).count("\n") == MOST_LINES - 1
    assert folded("計" * LINE_LETTERS).split("\n")[0] == "計" * (LINE_LETTERS // 2)


def test_only_right_to_left_names_are_isolated():
    assert [isolated(name) for name in ("p", "π", "計")] == ["p", "π", "計"]
    text = formatting.configuration({"שלום": 64.0, "n": 2.0})
    assert text == "\u2068שלום\u2069 = 64, n = 2"
    assert bare(text) == "שלום = 64, n = 2"


def test_texts_of_a_figure_are_escaped_and_colours_are_not():
    data = [{"name": "--ink", "text": ["a&b", "%{y}\nx"], "marker": {"color": ["--ink"]}, "y": [1.0, None]}]
    layout = {"colorscale": [[0, "--ink"]], "xaxis": {"title": {"text": "<b>"}}}
    written = json.loads(Figure("", "", data, layout, [], []).json)
    assert written["data"][0] == {
        "name": "--ink", "text": ["a&amp;b", "&#37;{y}<br>x"],
        "marker": {"color": ["--ink"]}, "y": [1.0, None],
    }  # fmt: skip
    assert written["layout"] == {
        "colorscale": [[0, "--ink"]], "xaxis": {"title": {"text": "&lt;b&gt;"}},
    }  # fmt: skip


def test_axis_titles_in_three_dimensions_show_names_that_look_like_tags():
    layout = {"scene": {"xaxis": {"title": {"text": "a<2 & <sup>b</sup>"}}}}
    text = json.loads(Drawing([], layout).json)["layout"]["scene"]["xaxis"]["title"]["text"]
    assert text.replace("\u200b", "") == "a<2 & <sup>b</sup>"
    assert "<sup>" not in text
    assert "</sup>" not in text


def test_a_caption_in_an_attribute_keeps_names_that_look_like_markup():
    assert Figure("", "over vector<int> & n", [], {}, [], []).label == "over vector&lt;int&gt; &amp; n"


def test_a_kernel_called_like_a_version_has_a_bar_of_its_own():
    steps = Waterfall(1.0, 2.0, (Contribution("1.1", 1.0, True),), 0, 0.0)
    names = waterfall_figure(steps, "1.0", "1.1", Metric(name="time", unit="s")).data[0]["y"]
    assert len(set(names)) == 3


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("CalcForceForNodes › MPI_Waitall", "CalcForce… › MPI_Waitall"),
        ("a › … › halo", "a › … › halo"),
        ("main › CalcHourglassControlForElems", "main › CalcHourglassCon…"),
        ("CalcHourglassControlForElems", "CalcHourglassControlFor…"),
    ],
)
def test_callers_are_shortened_before_their_callee(name, text):
    assert short_tail(name, 24) == text


def test_names_that_would_look_equal_lose_their_middles():
    names = ["2019-05-22/anomaly/temporal/128MB/w1", "2019-05-22/anomaly/temporal/256MB/w1", "stencil"]
    found = short_apart(names, 24)
    assert len(set(found)) == 3
    assert all(len(each) <= 24 for each in found)
    assert found[2] == "stencil"


def test_names_that_differ_in_the_middle_keep_the_difference():
    sizes = ("Large", "Small", "Medium")
    found = short_apart([f"testPipelineLightWorkers{size}NumberOfStations" for size in sizes], 24)
    assert all(size in each and len(each) <= 24 for size, each in zip(sizes, found, strict=True))
    assert short_apart(["a_very_long_name_of_a_kernel_1", "a_very_long_name_of_a_kernel_2"], 22)[1].endswith(
        "2"
    )
    assert short_apart(["a" * 60, "a" * 60], 24)[0].startswith("a")
