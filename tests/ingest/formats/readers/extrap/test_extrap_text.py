"""Extra-P's text format; each test reads one oddity."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.formats import FormatError, parse
from tests.ingest.formats.reading import VALUES, as_written

SIMPLE = """PARAMETER p
POINTS (8) (16)
METRIC time
REGION main->solve
DATA 1.5 1.25
DATA 3 2.5
"""


@pytest.fixture
def read(tmp_path):
    def read(text):
        path = tmp_path / "campaign.txt"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return parse(path)

    return read


def test_it_works(read):
    campaign = read(SIMPLE)
    assert campaign.format == "extrap-text"
    assert campaign.parameters == ("p",)
    assert campaign.points.tolist() == [[8.0], [16.0]]
    assert campaign.series["main->solve", "time"].tolist() == [[1.5, 1.25], [3.0, 2.5]]


@pytest.mark.parametrize("points", ["8 16", "(8)(16)", "( 8 ) ( 16 )", "((8)(16))", "(8 16)"])
def test_one_parameter_needs_no_parentheses(read, points):
    assert read(SIMPLE.replace("(8) (16)", points)).points.tolist() == [[8.0], [16.0]]


@pytest.mark.parametrize("points", ["(8 1) (16 2)", "((8 1)(16 2))", "(8 1)\nPOINTS (16 2)"])
def test_several_parameters_and_lines_of_points_are_read(read, points):
    text = SIMPLE.replace("PARAMETER p", "PARAMETER p n").replace("(8) (16)", points)
    assert read(text).points.tolist() == [[8.0, 1.0], [16.0, 2.0]]


def test_parameters_may_be_on_separate_lines(read):
    text = SIMPLE.replace("PARAMETER p", "PARAMETER p\nPARAMETER n").replace("(8) (16)", "(8 1) (16 2)")
    assert read(text).parameters == ("p", "n")


def test_metric_and_region_may_be_left_out(read):
    campaign = read("PARAMETER p\nPOINTS 8\nDATA 2")
    assert list(campaign.series) == [("main", "time")]


def test_comments_blank_lines_tabs_and_a_byte_order_mark_are_skipped(read):
    assert read("\ufeff# made by hand\n\n" + SIMPLE.replace("DATA ", "DATA\t")).points.shape == (2, 1)


def test_a_region_begins_again_at_the_first_point(read):
    campaign = read(SIMPLE + "REGION main->io\nDATA 7\nDATA 8\n")
    assert campaign.series["main->io", "time"].tolist() == [[7.0], [8.0]]


def test_a_metric_begins_again_at_the_first_point_too(read):
    campaign = read(SIMPLE + "METRIC bytes\nDATA 70\nDATA 80\n")
    assert campaign.series["main->solve", "bytes"].tolist() == [[70.0], [80.0]]


def test_different_numbers_of_repetitions_leave_gaps(read):
    campaign = read(SIMPLE.replace("DATA 3 2.5", "DATA 3"))
    np.testing.assert_array_equal(campaign.series["main->solve", "time"], [[1.5, 1.25], [3.0, np.nan]])


def test_missing_last_points_are_reported_in_a_note(read):
    campaign = read(SIMPLE.replace("DATA 3 2.5\n", ""))
    np.testing.assert_array_equal(campaign.series["main->solve", "time"], [[1.5, 1.25], [np.nan, np.nan]])
    assert campaign.notes == ("main->solve (time) lacks 1 of 2 points",)


@pytest.mark.parametrize(
    ("change", "line", "found"),
    [
        (("DATA 3 2.5", "DATA 3 x"), 6, "“x”"),
        (("DATA 3 2.5", "DATA 3 nan"), 6, "“nan”"),
        (("DATA 3 2.5", "DATA 3 inf"), 6, "“inf”"),
        (("DATA 3 2.5", "DATA 3 -1"), 6, "“-1.0”"),
        (("DATA 3 2.5", "DATA"), 6, "DATA without"),
        (("DATA 3 2.5", "DATUM 3"), 6, "keyword “DATUM”"),
        (("DATA 3 2.5", "DATA 1\nDATA 2"), 7, "beyond the 2 points"),
        (("(8) (16)", "(8) (8)"), 2, "the point (8) twice"),
        (("(8) (16)", "(0) (8)"), 2, "p = “0.0”"),
        (("(8) (16)", "(-2) (8)"), 2, "p = “-2.0”"),
        (("PARAMETER p", "PARAMETER p p"), 1, "two parameters with the same name"),
        (("PARAMETER p", "PARAMETER p n"), 2, "a point of 1 coordinates"),
        (("PARAMETER p\nPOINTS", "POINTS"), 1, "POINTS before PARAMETER"),
        (("POINTS (8) (16)\n", ""), 4, "DATA before POINTS"),
        (("REGION main->solve", "REGION a\u202eb"), 4, "U+202E"),
        (("REGION main->solve", "REGION a->->b"), 4, "an empty level"),
    ],
)
def test_errors_name_the_line_and_what_was_found(read, change, line, found):
    with pytest.raises(FormatError) as raised:
        read(SIMPLE.replace(*change))
    assert raised.value.line == line
    assert found in raised.value.found
    assert raised.value.expected
    assert str(raised.value).startswith(f"campaign.txt, line {line}: found ")


def test_a_repeated_region_is_refused(read):
    with pytest.raises(FormatError, match="a second time"):
        read(SIMPLE + "REGION main->solve\nDATA 9\n")


def test_points_of_several_parameters_need_parentheses(read):
    with pytest.raises(FormatError, match="in parentheses"):
        read("PARAMETER p n\nPOINTS 8 1\n")


def test_bytes_that_are_not_utf_8_are_refused_with_their_line(read):
    with pytest.raises(FormatError, match="line 4: found the byte 0xff at position 11"):
        read(SIMPLE.encode().replace(b"main->solve", b"caf\xff"))


def test_a_file_without_data_is_refused(read):
    with pytest.raises(FormatError, match="no values"):
        read("PARAMETER p\nPOINTS 8 16\n")


def test_numbers_in_python_notation_are_refused(read):
    with pytest.raises(FormatError, match="line 2: found “1_000”"):
        read("PARAMETER p\nPOINTS 1_000\nDATA 1\n")


NAMES = st.text('abé#:,."[]{}()', min_size=1, max_size=8)


@settings(max_examples=50, deadline=None)
@given(
    st.dictionaries(
        st.tuples(NAMES, NAMES),
        st.lists(st.lists(VALUES, min_size=1, max_size=4), min_size=1, max_size=3),
        min_size=1,
    )
)
def test_a_written_campaign_is_read_again_unchanged(tmp_path_factory, measured):
    text = ["PARAMETER p", "POINTS 4 8 16"]
    for (kernel, metric), rows in measured.items():
        text += [f"REGION {kernel}", f"METRIC {metric}"]
        text += ["DATA " + " ".join(map(repr, row)) for row in rows]
    path = tmp_path_factory.mktemp("text") / "campaign.txt"
    path.write_text("\n".join(text))
    assert as_written(parse(path)) == {
        key: dict(zip((4.0, 8.0, 16.0), rows, strict=False)) for key, rows in measured.items()
    }
