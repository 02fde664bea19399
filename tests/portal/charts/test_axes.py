"""Ticks of axes at round numbers."""

import pytest

from perfweb.portal.charts.axes import (
    amount_axis,
    coordinate_axis,
    fitting_ticks,
    on_a_phone,
    percent_axis,
    quantity_axis,
)


@pytest.mark.parametrize(
    ("ends", "unit", "log", "texts"),
    [
        ((1e-3, 10.0), "s", True, ["1 ms", "10 ms", "100 ms", "1 s", "10 s"]),
        ((2.0, 4e6), "s", True, ["1 s", "10 s", "100 s", "10 min", "1 h", "10 h", "10 d", "100 d"]),
        ((1.2, 6.0), "s", True, ["1.5 s", "2 s", "3 s", "4 s", "5 s"]),
        ((0.04, 3.0), "s", True, ["50 ms", "100 ms", "200 ms", "500 ms", "1 s", "2 s"]),
        ((3e-6, 2e-3), "s", True, ["10 µs", "100 µs", "1 ms"]),
        ((2.6e-3, 2.9e-3), "s", True, ["2.6 ms", "2.7 ms", "2.8 ms", "2.9 ms"]),
        ((0.0, 500_000.0), "s", False, ["0 d", "2 d", "4 d", "6 d"]),
        ((0.0, 0.05), "s", False, ["0 ms", "20 ms", "40 ms"]),
        ((1e9, 3e10), "B", True, ["1 GB", "2 GB", "5 GB", "10 GB", "20 GB"]),
        ((0.0, 4e-15), "", False, ["0", "10⁻¹⁵", "2·10⁻¹⁵", "3·10⁻¹⁵", "4·10⁻¹⁵"]),
    ],
)
def test_ticks_are_round_quantities_in_common_units(ends, unit, log, texts):
    axis = quantity_axis(ends, unit, log=log)
    assert axis["ticktext"] == texts
    assert axis["range"][0] < axis["range"][1]


def test_an_extremely_wide_interval_does_not_flatten_the_values():
    assert amount_axis([2.0, 3.0, None], [1.0, 1e9, None], "s")["range"] == pytest.approx([0, 9.54])


def test_an_axis_without_values_has_a_height():
    assert amount_axis([None], [], "s")["range"][1] > 0
    assert amount_axis([0.0], [0.0], "s")["range"][1] > 0


def test_rounding_errors_do_not_fill_an_axis_of_deviations():
    assert percent_axis([-1e-14])["ticktext"] == ["−0.4 %", "−0.2 %", "0 %", "0.2 %", "0.4 %"]
    assert percent_axis([])["range"] == [-0.5, 0.5]
    assert percent_axis([-20.0, 40.0])["ticktext"] == ["−20 %", "0 %", "20 %", "40 %"]


def test_a_wide_gap_between_measured_values_and_target_has_a_tick() -> None:
    axis = coordinate_axis("p", [4, 8, 16, 32, 64], [1024], (4, 1024), log=True)
    assert axis["ticktext"] == ["4", "8", "16", "32", "64", "256", "1,024"]
    near = coordinate_axis("p", [4, 16, 64], [256], (4, 256), log=True)
    assert near["ticktext"] == ["4", "16", "64", "256"]


def test_all_ticks_are_kept_if_they_fit() -> None:
    axis = coordinate_axis("p", [2, 8, 32], [], (2, 32), log=True)
    assert on_a_phone(axis) == {"tickvals": [2, 8, 32], "ticktext": ["2", "8", "32"], "tickangle": 0}


def test_labels_that_would_touch_are_left_out_except_the_ends() -> None:
    axis = coordinate_axis("p", [4, 8, 16, 32, 64], [65536], (4, 65536), log=True)
    assert on_a_phone(axis)["ticktext"] == ["4", "16", "64", "2,048", "65,536"]


def test_many_measured_values_do_not_overlap_on_a_wide_screen() -> None:
    values = [1, 2, 3, 5, 7, 8, 10, 11, 13, 17, 1_000, 10_000_000, 40_000_000]
    texts = [f"{value:,}" for value in values]
    axis = {"type": "log", "range": [0.0, 7.6], "tickvals": values, "ticktext": texts}
    assert fitting_ticks(axis, 480.0)["ticktext"] == ["1", "3", "8", "17", "1,000", "40,000,000"]


def test_long_labels_need_more_room_than_short_ones() -> None:
    short = coordinate_axis("n", [10, 20, 30, 40], [], (10, 40), log=False)
    long = coordinate_axis("n", [10_000_010, 10_000_020, 10_000_030, 10_000_040], [],
                           (10_000_010, 10_000_040), log=False)  # fmt: skip
    assert len(on_a_phone(short)["tickvals"]) == 4
    assert len(on_a_phone(long)["tickvals"]) == 2
