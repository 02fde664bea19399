from ingest.models import Metric
from modeling.selectors.versions.waterfall import Contribution, Waterfall
from perfweb.portal.charts.waterfall import BETTER, QUIET, WORSE, waterfall_figure

TIME = Metric(name="time", unit="s")


def test_bars_connect_the_two_totals():
    steps = Waterfall(10.0, 23.5, (Contribution("halo", 14.0, True), Contribution("dot", -1.0, True)), 3, 0.5)
    figure = waterfall_figure(steps, "1.0", "1.1", TIME)
    bars = figure.data[0]
    assert bars["y"] == ["1.0", "halo", "dot", "3 others", "1.1"]
    assert bars["x"][0] + sum(bars["x"][1:-1]) == bars["x"][-1]
    assert bars["base"] == [0.0, 10.0, 24.0, 23.0, 0.0]
    assert figure.rows[1:3] == [["halo", "+14 s"], ["dot", "−1 s"]]


def test_a_large_decrease_has_its_difference_inside_the_bar():
    falling = (
        Contribution("halo", -9.0, True),
        Contribution("dot", 8.8, True),
        Contribution("x", -0.3, True),
    )
    steps = Waterfall(10.0, 9.5, falling, 0, 0.0)
    places = waterfall_figure(steps, "1.0", "1.1", TIME).data[0]["textposition"]
    assert places == ["outside", "inside", "outside", "outside", "outside"]


def test_a_decrease_far_from_the_names_has_its_difference_next_to_the_bar():
    steps = Waterfall(5.7, 4.0, (Contribution("halo", -1.7, True),), 0, 0.0)
    assert waterfall_figure(steps, "1.3", "1.4", TIME).data[0]["textposition"] == ["outside"] * 3


def test_two_kernels_of_one_name_have_two_bars():
    steps = Waterfall(1.0, 3.0, (Contribution("solve", 1.5, True), Contribution("solve", 0.5, True)), 0, 0.0)
    names = waterfall_figure(steps, "1.0", "1.1", TIME).data[0]["y"]
    assert len(set(names)) == len(names) == 4


def test_colours_distinguish_worse_from_better():
    steps = Waterfall(20.0, 15.0, (Contribution("hpl", -5.0, True),), 0, 0.0)
    rate = Metric(name="GFLOPS", unit="GFLOP/s", lower_is_better=False)
    of_time, of_rate = (waterfall_figure(steps, "1.0", "1.1", metric).data[0] for metric in (TIME, rate))
    assert (of_time["marker"]["color"][1], of_rate["marker"]["color"][1]) == (BETTER, WORSE)


def test_unchanged_kernels_are_grey():
    steps = Waterfall(10.0, 12.0, (Contribution("halo", 1.5, True),), 0, 0.0, unchanged=3, noise=0.5)
    figure = waterfall_figure(steps, "1.0", "1.1", TIME)
    assert figure.data[0]["y"] == ["1.0", "halo", "3 unchanged", "1.1"]
    assert figure.data[0]["marker"]["color"] == [QUIET, WORSE, QUIET, QUIET]
    assert "Grey: differences that are not certain changes." in figure.caption


def test_differences_without_a_comparison_have_no_colour():
    steps = Waterfall(10.0, 12.0, (Contribution("halo", 1.5, False), Contribution("dot", 0.5, False)), 0, 0.0)
    assert set(waterfall_figure(steps, "1.0", "1.1", TIME).data[0]["marker"]["color"]) == {QUIET}


def test_small_steps_between_large_totals_are_visible():
    steps = Waterfall(
        100.0, 102.0, (Contribution("halo", 3.0, True), Contribution("dot", -1.0, True)), 0, 0.0
    )
    figure = waterfall_figure(steps, "1.0", "1.1", TIME)
    low, high = figure.layout["xaxis"]["range"]
    assert 95 < low < 100
    assert 103 < high < 105
    assert "The axis does not begin at 0" in figure.caption


def test_the_axis_begins_at_zero_if_the_steps_are_large():
    steps = Waterfall(10.0, 15.0, (Contribution("halo", 5.0, True),), 0, 0.0)
    figure = waterfall_figure(steps, "1.0", "1.1", TIME)
    assert figure.layout["xaxis"]["range"][0] == 0.0
    assert "The axis does not begin at 0" not in figure.caption
