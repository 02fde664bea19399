"""Sliders next to number fields: their ranges, steps and positions."""

import json

from perfweb.portal.asked.sliders import Slider, round_stops, target_stops


def test_stops_are_round_and_reach_both_ends():
    assert round_stops(0.3, 40) == (0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
    assert round_stops(7, 7) == (5.0, 10.0)


def test_the_slider_of_a_target_has_a_stop_for_its_value():
    stops = target_stops([4, 8, 16], 100.5)
    assert 100.5 in stops
    assert Slider("p", 100.5, stops).stop == stops.index(100.5)


def test_an_empty_field_is_at_the_last_stop():
    slider = Slider("budget", None, (1.0, 2.5), optional=True)
    assert json.loads(slider.stops_json) == [1, 2.5, ""]
    assert (slider.stop, slider.last) == (2, 2)
    assert Slider("budget", 2.4, (1.0, 2.5), optional=True).stop == 1
