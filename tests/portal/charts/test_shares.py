"""The chart of shares."""

import json
import re
from dataclasses import replace

import numpy as np

from modeling.selectors.run.shares import Shares
from perfweb.portal.charts.shares import shares_figure


def given(*columns):
    """Return these shares at three values of p, of which the last one is the target."""
    return Shares(
        parameter="p",
        held={},
        x=np.array([1.0, 2.0, 4.0]),
        names=tuple(f"k{at}" for at in range(len(columns))),
        others=0,
        shares=np.array([*columns, [0.0, 0.0, 0.0]]),
        total=np.ones(3),
        measured=(1.0, 2.0),
    )


def keys(*columns):
    """Return the legend's names, each with whether it is hidden where areas are labelled, and whether the
    whole legend is.
    """
    caption = str(shares_figure(given(*columns), 4.0, "time").caption)
    found = re.findall(r'class="key( labelled)?"><i class="swatch series-\d"></i>(k\d)', caption)
    return {name: bool(hidden) for hidden, name in found}, 'class="keys labelled"' in caption


def test_areas_that_vanish_at_the_target_are_named_below_the_chart():
    hidden, whole = keys([0.2, 0.6, 0.9995], [0.79, 0.395, 0.0005], [0.01, 0.005, 0.0])
    assert hidden == {"k0": True, "k1": False, "k2": True}
    assert not whole


def test_on_a_phone_the_last_label_fits_beside_the_axis():
    far = replace(given([1.0, 1.0, 1.0]), x=np.array([1.0, 2.0, 2_048_000.0]))
    layout = json.loads(shares_figure(far, 2_048_000.0, "time").json)["layout"]
    assert layout["meta"]["narrow"]["margin"]["r"] >= len("2,048,000") * 7 / 2


def test_the_legend_is_hidden_if_all_areas_are_labelled():
    assert keys([0.2, 0.4, 0.6], [0.8, 0.6, 0.4]) == ({"k0": True, "k1": True}, True)
