"""Extra-P's two JSON formats, and how the format of a file is recognised."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.formats import FormatError, Limits, parse
from tests.ingest.formats.reading import VALUES, as_written

NEW = {
    "parameters": ["p", "n"],
    "measurements": {
        "main->solve": {
            "time": [{"point": [8, 10], "values": [1.5, 1.25]}, {"point": [16, 10], "values": [3, 2.5]}],
            "visits": [{"point": [8, 10], "values": [1]}],
        }
    },
}
LEGACY = {
    "callpaths": [{"id": 1, "name": "main->solve"}],
    "metrics": [{"id": 1, "name": "time"}, {"id": 2, "name": "visits"}],
    "parameters": [{"id": 1, "name": "p"}, {"id": 2, "name": "n"}],
    "coordinates": [
        {
            "id": index,
            "parameter_value_pairs": [
                {"parameter_id": 2, "parameter_value": 10},
                {"parameter_id": 1, "parameter_value": p},
            ],
        }
        for index, p in enumerate((8, 16), 1)
    ],
    "measurements": [
        {"id": 1, "callpath_id": 1, "metric_id": 1, "coordinate_id": 1, "value": 1.5},
        {"id": 2, "callpath_id": 1, "metric_id": 1, "coordinate_id": 2, "value": 3},
        {"id": 3, "callpath_id": 1, "metric_id": 1, "coordinate_id": 1, "value": 1.25},
        {"id": 4, "callpath_id": 1, "metric_id": 1, "coordinate_id": 2, "value": 2.5},
        {"id": 5, "callpath_id": 1, "metric_id": 2, "coordinate_id": 1, "value": 1},
    ],
}


def entry(point, values):
    return {"point": point, "values": values}


@pytest.fixture
def read(tmp_path):
    def read(content, **options):
        path = tmp_path / "campaign.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
        return parse(path, **options)

    return read


@pytest.mark.parametrize(("content", "name"), [(NEW, "extrap-json"), (LEGACY, "extrap-json-legacy")])
def test_it_works(read, content, name):
    campaign = read(content)
    assert campaign.format == name
    assert campaign.parameters == ("p", "n")
    assert campaign.points.tolist() == [[8.0, 10.0], [16.0, 10.0]]
    assert campaign.series["main->solve", "time"].tolist() == [[1.5, 1.25], [3.0, 2.5]]
    assert campaign.notes == ("main->solve (visits) lacks 1 of 2 points",)


@pytest.mark.parametrize(
    ("content", "line", "found"),
    [
        (NEW | {"parameters": "p"}, 2, "“"),
        (NEW | {"parameters": []}, 2, "0 parameters"),
        (NEW | {"parameters": ["p", 1]}, 4, "“1.0” as the name"),
        (NEW | {"measurements": []}, 6, "“[]"),
        (NEW | {"measurements": {"main": {"time": {}}}}, 8, "“{}"),
        (NEW | {"measurements": {"main": {"time": [7]}}}, 9, "“7.0”"),
        (NEW | {"measurements": {"main": {"time": [{"point": [8]}]}}}, 9, "an object with “point”"),
        (NEW | {"measurements": {"main": {"time": [entry([8], [1])]}}}, 9, "a point of 1 coordinates"),
        (NEW | {"measurements": {"main": {"time": [entry([8, "9"], [1])]}}}, 9, "the point"),
        (NEW | {"measurements": {"main": {"time": [entry([8, 0], [1])]}}}, 9, "n = “0.0”"),
        (NEW | {"measurements": {"main": {"time": [entry([8, 9], ["x"])]}}}, 9, "the values"),
        (NEW | {"measurements": {"main": {"time": [entry([8, 9], [])]}}}, 9, "the values"),
        (NEW | {"measurements": {"main": {"time": [entry([8, 9], [True])]}}}, 9, "the values"),
        (NEW | {"measurements": {"main": {"time": [entry([8, 9], [1, -1])]}}}, 9, "the value “-1.0”"),
        (NEW | {"measurements": {"main": {"time": [entry([8, 9], [float("nan")])]}}}, 9, "NaN"),
        (NEW | {"measurements": {"main": {"time": [entry([8, 9], [1])] * 2}}}, 18, "twice for “main”"),
        (NEW | {"measurements": {"a\u202eb": {"time": [entry([8, 9], [1])]}}}, 7, "U+202E"),
        (LEGACY | {"coordinates": LEGACY["coordinates"][:1]}, None, "coordinate_id “2.0”"),
        (LEGACY | {"coordinates": LEGACY["coordinates"] * 2}, None, "the id 1 twice"),
        (LEGACY | {"metrics": LEGACY["metrics"] * 2}, None, "the id 1 twice"),
        (LEGACY | {"callpaths": [{"id": 1}]}, 3, "an object with “id”"),
        (LEGACY | {"callpaths": [{"id": "1", "name": "a"}]}, 3, 'the id “["1"]”'),
        (LEGACY | {"measurements": [{"callpath_id": 1}]}, None, "an object with “callpath_id”"),
        (LEGACY | {"measurements": 7}, None, "“7"),
    ],
)
def test_errors_name_the_line_and_what_was_found(read, content, line, found):
    with pytest.raises(FormatError) as raised:
        read(content)
    assert found in raised.value.found
    assert raised.value.line == line or (line is None and raised.value.line > 4)
    assert raised.value.expected
    assert raised.value.file == "campaign.json"


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ('{"parameters": ["p"],\n "measurements":\n {"a"}}', 3, "“}}”"),
        ('{"parameters": ["p"],\n "measurements":\n {"a": {"t": [{"point": nine}]}}}', 3, "no JSON"),
        ('{"parameters": ["p"],\n "measurements": {"a":\n', 3, "the end of the file"),
        ('{"parameters": ["p"],\n "measurements": {"a', 2, "without its closing quote"),
        ('{"parameters": ["p"],\n "measurements": {}\n}\n{}', 4, "after the end of the JSON document"),
        ('{"parameters": ["p"],\n "parameters": ["q"]}', 2, "the key “parameters” twice"),
        ('{"parameters": ["p"],\n "measurements": {"a": {},\n "a": {}}}', 3, "the key “a” twice"),
        (
            '{"parameters": ["p"],\n "measurements": {"a": {"t": [{"point": [1],\n "point": [2]}]}}}',
            2,
            "twice",
        ),
        ('{"parameters": ["p"],\n "measurements": {"a": {"t": []}}}', None, "no points"),
        ('{"measurements": {}}', 1, "no key “parameters”"),
        ('{"coordinates": [], "measurements": []}', 1, "no key “parameters”"),
        ("{}", None, "an object with no keys"),
        ("<cube/>", None, "whose first element is “cube”"),
        ("  \n ", None, "an empty file"),
    ],
)
def test_broken_documents(read, text, line, found):
    with pytest.raises(FormatError) as raised:
        read(text)
    assert found in raised.value.found
    assert raised.value.line == line


def test_sections_may_come_in_any_order_and_others_are_left_alone(read):
    campaign = read({"comment": {"a": [[1]]}, "measurements": NEW["measurements"], "parameters": ["p", "n"]})
    assert campaign.parameters == ("p", "n")


def test_a_single_value_and_a_bare_coordinate_are_accepted(read):
    campaign = read({"parameters": ["p"], "measurements": {"main": {"time": [{"point": 8, "value": 2}]}}})
    assert campaign.series["main", "time"].tolist() == [[2.0]]


def test_a_kernel_may_have_the_name_of_a_key(read):
    measurements = {"coordinates": {"callpaths": NEW["measurements"]["main->solve"]["time"]}}
    assert read(NEW | {"measurements": measurements}).format == "extrap-json"


def test_long_entries_are_read(read):
    values = [index / 7 for index in range(1, 2000)]
    campaign = read({"parameters": ["p"], "measurements": {"main": {"time": [entry(8, values)]}}})
    assert campaign.series["main", "time"].tolist() == [values]


def test_an_entry_beyond_the_limit_is_refused_with_its_line(read):
    content = {"parameters": ["p"], "measurements": {"main": {"time": [entry(8, [1.0] * 500)]}}}
    with pytest.raises(FormatError, match="line 8: found an entry of over 200 bytes"):
        read(content, limits=Limits(line_bytes=200))


def test_the_id_of_an_only_kernel_may_be_missing(read):
    rows = [{"coordinate_id": 1, "metric_id": 1, "value": 2}]
    assert list(read(LEGACY | {"measurements": rows}).series) == [("main->solve", "time")]
    without = {key: LEGACY[key] for key in ("parameters", "coordinates")}
    rows = [{"coordinate_id": 1, "value": 2}]
    assert list(read(without | {"measurements": rows}).series) == [("main", "time")]


NAMES = st.text('abé#:,."[]{}()\\', min_size=1, max_size=8)


@settings(max_examples=50, deadline=None)
@given(
    st.dictionaries(
        st.tuples(NAMES, NAMES),
        st.dictionaries(st.integers(1, 5), st.lists(VALUES, min_size=1, max_size=4), min_size=1),
        min_size=1,
    )
)
def test_a_written_campaign_is_read_again_unchanged(tmp_path_factory, measured):
    measurements = {}
    for (kernel, metric), points in measured.items():
        entries = [entry(p, values) for p, values in points.items()]
        measurements.setdefault(kernel, {})[metric] = entries
    path = tmp_path_factory.mktemp("json") / "campaign.json"
    path.write_text(json.dumps({"parameters": ["p"], "measurements": measurements}))
    campaign = parse(path)
    assert as_written(campaign) == measured


def test_the_user_can_name_the_format(read):
    with pytest.raises(FormatError, match="line 1: found no JSON"):
        read(NEW, format="jsonl")
    with pytest.raises(FormatError, match=r"one of .*jsonl, .*extrap-json"):
        read(NEW, format="punch-card")
