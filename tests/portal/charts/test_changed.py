"""The values of a changed kernel in both versions."""

from itertools import pairwise
from math import log10

from ingest.models import Metric
from modeling.selectors.alerts.explained import ComparedPoint
from perfweb.portal.charts.changed import TOUCHING, change_figure


def figure(*ratios):
    """Draw a kernel that took 1 s at p = 1, 2, 4, … and takes these multiples of it."""
    points = [ComparedPoint((2.0**at,), 1.0, ratio, (5, 5), ratio, 0.0) for at, ratio in enumerate(ratios)]
    return change_figure(points, ["p"], ("1.0", "1.1"), Metric(name="time", unit="s"))


def test_labels_of_ratios_do_not_touch():
    axis = figure(4, 8, 16, 32, 64).layout["yaxis2"]
    low, high = axis["range"]
    assert axis["type"] == "log"
    assert axis["ticktext"][0] == "1"
    assert len(axis["ticktext"]) == len(axis["tickvals"]) >= 3
    gaps = [log10(after) - log10(before) for before, after in pairwise(axis["tickvals"])]
    assert min(gaps) >= TOUCHING * (high - low)


def test_few_ticks_are_all_kept():
    axis = figure(1.5, 1.5, 1.5).layout["yaxis2"]
    assert axis["type"] == "linear"
    assert 2 <= len(axis["tickvals"]) <= 6
