"""JSON Lines; each test reads one oddity."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.formats import FormatError, Limits, parse

LINE = '{"params": {"p": 8, "n": 10}, "callpath": "main->solve", "metric": "time", "value": [1.5, 1.25]}'


@pytest.fixture
def read(tmp_path):
    def read(text, **limits):
        path = tmp_path / "campaign.jsonl"
        path.write_text(text)
        return parse(path, limits=Limits(**limits))

    return read


def test_it_works(read):
    campaign = read(LINE + "\n" + LINE.replace('"p": 8', '"p": 16').replace("[1.5, 1.25]", "3"))
    assert campaign.format == "jsonl"
    assert campaign.parameters == ("p", "n")
    assert campaign.points.tolist() == [[8.0, 10.0], [16.0, 10.0]]
    np.testing.assert_array_equal(campaign.series["main->solve", "time"], [[1.5, 1.25], [3.0, np.nan]])


def test_callpath_and_metric_may_be_left_out(read):
    assert list(read('{"params": {"p": 8}, "value": 1}').series) == [("main", "time")]


def test_lines_of_one_point_add_repetitions_in_order(read):
    campaign = read("\n".join([LINE, LINE.replace("[1.5, 1.25]", "7")]))
    assert campaign.series["main->solve", "time"].tolist() == [[1.5, 1.25, 7.0]]


def test_the_first_line_gives_the_order_of_parameters(read):
    other = LINE.replace('"p": 8, "n": 10', '"n": 20, "p": 8')
    assert read(LINE + "\n" + other).points.tolist() == [[8.0, 10.0], [8.0, 20.0]]


def test_a_kernel_that_lacks_a_point_is_kept(read):
    text = "\n".join([LINE, LINE.replace('"p": 8', '"p": 16'), LINE.replace("solve", "io")])
    campaign = read(text)
    np.testing.assert_array_equal(campaign.series["main->io", "time"], [[1.5, 1.25], [np.nan, np.nan]])
    assert campaign.notes == ("main->io (time) lacks 1 of 2 points",)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("{", "no JSON"),
        ("[1]", "“[1.0]”"),
        ('{"params": {"p": 8}}', "a line without 'value'"),
        ('{"params": 8, "value": 1}', "“8.0”"),
        ('{"params": {"p": 8}, "value": 1, "extra": 2}', "the key “extra”"),
        (LINE.replace('"n"', '"m"'), "the parameters “p, m”"),
        (LINE.replace('"n": 10', '"n": 10, "m": 1'), "the parameters “p, n, m”"),
        (LINE.replace('"n": 10', '"n": 10, "n": 11'), "the key “n” twice"),
        (LINE.replace("1.25", "NaN"), "NaN"),
        (LINE.replace("1.25", "Infinity"), "Infinity"),
        (LINE.replace("1.25", "1e999"), "the value “inf”"),
        (LINE.replace("1.25", "9" * 5000), "the value “inf”"),
        (LINE.replace("1.25", "-1"), "the value “-1.0”"),
        (LINE.replace("1.25", '"fast"'), 'the values “[1.5, "fast"]”'),
        (LINE.replace("1.25", "null"), "the values “[1.5, null]”"),
        (LINE.replace("1.25", "[2]"), "the values"),
        (LINE.replace("[1.5, 1.25]", "[]"), "the values"),
        (LINE.replace("[1.5, 1.25]", "true"), "the value"),
        (LINE.replace('"p": 8', '"p": "8"'), 'the coordinates of p, n: “["8", 10.0]”'),
        (LINE.replace('"p": 8', '"p": [8]'), "the coordinates"),
        (LINE.replace('"p": 8', '"p": 0'), "p = “0.0”"),
        (LINE.replace('"main->solve"', "7"), "“7.0” as the name of a kernel"),
        (LINE.replace('"main->solve"', '""'), "an empty name"),
        (LINE.replace('"main->solve"', '"a\\u0000b"'), "a control character"),
        (LINE.replace("[1.5, 1.25]", "[" * 100 + "]" * 100), "nested deeper"),
        ("[" * 100_000, "nested deeper"),
    ],
)
def test_errors_name_the_line_and_what_was_found(read, line, found):
    with pytest.raises(FormatError) as raised:
        read(LINE + "\n\n" + line)
    assert raised.value.line == 3
    assert found in raised.value.found
    assert raised.value.expected


def test_brackets_in_a_name_are_allowed(read):
    name = "operator" + "[" * 40 + "{" * 40
    assert list(read(LINE.replace("main->solve", name)).series) == [(name, "time")]


@pytest.mark.parametrize(
    ("limits", "found"),
    [
        ({"bytes": 50}, "a file of"),
        ({"line_bytes": 50}, "a line of over 50 bytes"),
        ({"values": 3}, "4 values with the missing ones"),
        ({"points": 1}, "more than 1 points"),
        ({"series": 1}, "more than 1 kernels"),
        ({"parameters": 1}, "2 parameters"),
    ],
)
def test_files_beyond_the_limits_are_refused(read, limits, found):
    text = "\n".join([LINE, LINE.replace('"p": 8', '"p": 16').replace("solve", "io")])
    with pytest.raises(FormatError, match=found):
        read(text, **limits)


POSITIVE = st.floats(1e-9, 1e12)


@settings(max_examples=50, deadline=None)
@given(
    st.dictionaries(
        st.tuples(
            st.integers(1, 4), st.sampled_from(["main", "main->a", "é"]), st.sampled_from(["time", "B"])
        ),
        st.lists(POSITIVE, min_size=1, max_size=4),
        min_size=1,
    )
)
def test_a_written_campaign_is_read_again_unchanged(tmp_path_factory, measured):
    path = tmp_path_factory.mktemp("jsonl") / "campaign.jsonl"
    rows = [
        {"params": {"p": p}, "callpath": kernel, "metric": metric, "value": values}
        for (p, kernel, metric), values in measured.items()
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    campaign = parse(path)
    points = campaign.points[:, 0].tolist()
    found = {
        (int(points[row]), kernel, metric): [value for value in values if not np.isnan(value)]
        for (kernel, metric), table in campaign.series.items()
        for row, values in enumerate(table.tolist())
        if not np.isnan(values).all()
    }
    assert found == measured
