from modeling.engine import Calibration
from perfweb.portal.charts.calibration import ASKED, calibration_figure


def calibration(inside):
    return Calibration(count=7, inside=inside, error=0.2, widening=1.0)


def test_the_line_at_95_percent_crosses_a_chart_with_a_single_bar():
    """A trace through the middles of the bars was a point, which nobody saw."""
    [line] = calibration_figure([(8.0, calibration(1.0))]).layout["shapes"]
    assert (line["xref"], line["x0"], line["x1"]) == ("paper", 0, 1)
    assert line["y0"] == line["y1"] == ASKED


def test_a_bar_of_0_percent_has_its_label_beside_it():
    [bars] = calibration_figure([(8.0, calibration(0.0))]).data
    assert bars["text"] == ["0 % of 7"]
    assert bars["textposition"] == "auto"
