"""Ticks of charts."""

from perfweb.portal.charts.axes import coordinate_axis, on_a_phone


def test_all_ticks_stay_where_they_have_room() -> None:
    axis = coordinate_axis("p", [2, 8, 32], [], (2, 32), log=True)
    assert on_a_phone(axis) == {"tickvals": [2, 8, 32], "ticktext": ["2", "8", "32"], "tickangle": 0}


def test_labels_that_would_touch_are_left_out_and_the_ends_stay() -> None:
    axis = coordinate_axis("p", [4, 8, 16, 32, 64], [65536, 2048], (4, 65536), log=True)
    assert on_a_phone(axis)["ticktext"] == ["4", "16", "64", "2,048", "65,536"]


def test_long_labels_need_more_room_than_short_ones() -> None:
    short = coordinate_axis("n", [10, 20, 30, 40], [], (10, 40), log=False)
    long = coordinate_axis("n", [10_000_010, 10_000_020, 10_000_030, 10_000_040], [],
                           (10_000_010, 10_000_040), log=False)  # fmt: skip
    assert len(on_a_phone(short)["tickvals"]) == 4
    assert len(on_a_phone(long)["tickvals"]) == 2
