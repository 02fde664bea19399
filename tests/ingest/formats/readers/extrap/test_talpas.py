"""Talpas files; each test reads one oddity."""

import numpy as np
import pytest

from ingest.formats import FormatError, parse

LINE = '{"parameters":{"p":8;"n":10};"metric":"time";"callpath":"main->solve";"value":1.5}'


@pytest.fixture
def read(tmp_path):
    def read(text):
        path = tmp_path / "campaign.txt"
        path.write_text(text)
        return parse(path)

    return read


def test_it_works(read):
    campaign = read("\n".join([LINE, LINE.replace("1.5", "1.25"), "", LINE.replace("8", "16")]))
    assert campaign.format == "talpas"
    assert campaign.parameters == ("p", "n")
    assert campaign.points.tolist() == [[8.0, 10.0], [16.0, 10.0]]
    np.testing.assert_array_equal(campaign.series["main->solve", "time"], [[1.5, 1.25], [1.5, np.nan]])


def test_commas_separate_fields_too(read):
    assert read(LINE.replace(";", ", ")).series["main->solve", "time"].tolist() == [[1.5]]


@pytest.mark.parametrize("name", ["for (i = 0; i < n; i++)", 'a\\";b', "a;b"])
def test_a_semicolon_in_a_name_is_kept(read, name):
    campaign = read(LINE.replace("main->solve", name))
    assert list(campaign.series) == [(name.replace("\\", ""), "time")]


def test_fields_may_come_in_any_order(read):
    campaign = read('{"value":2;"callpath":"io";"metric":"B";"parameters":{"p":8}}')
    assert campaign.format == "talpas"
    assert campaign.series["io", "B"].tolist() == [[2.0]]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (LINE.replace('"value"', '"values"'), "the key “values”"),
        (LINE.replace(';"value":1.5', ""), "a line without 'value'"),
        ('{"metric":"time";"value":1}', "a line without 'parameters'"),
        (LINE.replace("1.5", "-1"), "the value “-1.0”"),
        (LINE.replace("1.5", '"1;5"'), "the value"),
        (LINE.replace("1.5", "NaN"), "NaN"),
        (LINE.replace('"n":10', '"m":10'), "the parameters “p, m”"),
        (LINE.replace(";", ";;"), "no JSON"),
        (LINE[:-20], "no JSON"),
        (LINE.replace("1.5", "[" * 100_000), "nested deeper"),
        (LINE.replace("solve", '"' + ";" * 100_000), "no JSON"),
    ],
)
def test_errors_name_the_line_and_what_was_found(read, line, found):
    with pytest.raises(FormatError) as raised:
        read(LINE + "\n\n" + line)
    assert raised.value.line == 3
    assert found in raised.value.found
    assert raised.value.expected
