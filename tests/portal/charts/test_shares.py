"""The chart of shares."""

import json
import re
from dataclasses import replace

import numpy as np

from modeling.selectors.run.shares import NAMED, Shares
from perfweb.portal.charts.shares import colours_of, shares_figure


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
        kernels=tuple(range(len(columns))),
    )


def figure(shares, target):
    return shares_figure(shares, target, "time", colours_of(shares))


def keys(*columns):
    """Return the legend's names, each with whether it is hidden where areas are labelled, and whether the
    whole legend is.
    """
    caption = str(figure(given(*columns), 4.0).caption)
    found = re.findall(r'class="key( labelled)?"><i class="swatch series-\d"></i>(k\d)', caption)
    return {name: bool(hidden) for hidden, name in found}, 'class="keys labelled"' in caption


def test_areas_that_vanish_at_the_target_are_named_below_the_chart():
    hidden, whole = keys([0.2, 0.6, 0.9995], [0.79, 0.395, 0.0005], [0.01, 0.005, 0.0])
    assert hidden == {"k0": True, "k1": False, "k2": True}
    assert not whole


def test_on_a_phone_the_last_label_fits_beside_the_axis():
    far = replace(given([1.0, 1.0, 1.0]), x=np.array([1.0, 2.0, 2_048_000.0]))
    layout = json.loads(figure(far, 2_048_000.0).json)["layout"]
    assert layout["meta"]["narrow"]["margin"]["r"] >= len("2,048,000") * 7 / 2


def test_the_legend_is_hidden_if_all_areas_are_labelled():
    assert keys([0.2, 0.4, 0.6], [0.8, 0.6, 0.4]) == ({"k0": True, "k1": True}, True)


def named(*kernels):
    """Return the shares of these kernels, of which each costs less than the one before in small problems."""
    shares = given(*[[0.2 - 0.02 * at, 0.1, 0.1] for at in range(len(kernels))])
    return replace(shares, kernels=kernels)


def test_a_kernel_keeps_its_colour_where_other_kernels_are_named():
    before = colours_of(named(8, 7, 10, 11, 12, 13))
    shares = replace(named(13, 7, 8, 12, 11, 10, 15), shares=np.eye(8, 3))
    shares.shares[:7, 0] = [0.7, 0.1, 0.4, 0.3, 0.2, 0.5, 0.35]
    after = colours_of(shares)  # 15 is new, has the colour of 8, and costs more than others
    assert list(after) == [13, 7, 8, 12, 11, 10, 15]
    assert len(set(after.values())) == NAMED
    assert {kernel: after[kernel] for kernel in before} == before
    assert colours_of(named(15, 9))[15] == before[8]


def test_a_renamed_kernel_keeps_its_colour():
    before = colours_of(named(12, 20), aliases={20: 35})
    assert before[20] == colours_of(named(12, 35))[35]


def test_areas_and_marks_have_the_colours_of_their_kernels():
    shares = named(12, 20)
    colours = colours_of(shares)
    areas = [area["fillcolor"] for area in shares_figure(shares, 4.0, "time", colours).data]
    assert areas[:2] == [f"--{colours[12]}", f"--{colours[20]}"]
