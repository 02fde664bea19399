"""JSON that is a table: a list of records, or one in each line."""

import json

import numpy as np
import pytest

from ingest.formats import FormatError, parse

RECORDS = [
    {"ranks": 2, "solver": {"kind": "cg", "tolerance": 0.5}, "time_s": [1.5, 1.75], "host": "a"},
    {"ranks": 4, "solver": {"kind": "cg", "tolerance": 0.5}, "time_s": [1, 0.75], "host": "b"},
]


@pytest.fixture
def read(tmp_path):
    def read(text):
        path = tmp_path / "results.json"
        path.write_text(text)
        return parse(path)

    return read


def test_a_list_of_records_is_a_table(read):
    campaign = read(json.dumps(RECORDS, indent=2))
    assert campaign.format == "json-records"
    assert campaign.parameters == ("ranks", "solver.tolerance")
    assert campaign.points.tolist() == [[2, 0.5], [4, 0.5]]
    assert campaign.series["main", "time_s"].tolist() == [[1.5, 1.75], [1, 0.75]]
    assert campaign.metadata == {"solver.kind": "cg"}


def test_records_may_be_a_list_in_an_object(read):
    rows = '[{"n": 64, "kernel": "fft", "time_s": 1.5}, {"n": 128, "kernel": "fft", "time_s": 3.5}]'
    beside = '"machine": "a", "threads": 8, "timestamp": 1.7e9, "env": [{"name": "PATH"}]'
    campaign = read(f'{{{beside}, "results": {rows}}}')
    assert (campaign.format, campaign.parameters) == ("json-records", ("threads", "n"))
    assert campaign.points.tolist() == [[8, 64], [8, 128]]
    assert campaign.series["fft", "time_s"].tolist() == [[1.5], [3.5]]


def test_an_object_of_names_and_values_is_one_run(read):
    campaign = read('{"threads": 4, "n": 100, "solver": "cg", "time": 1.5}')
    assert (campaign.parameters, campaign.points.tolist()) == (("threads", "n"), [[4, 100]])
    assert campaign.series["main", "time"].tolist() == [[1.5]]
    assert campaign.metadata == {"solver": "cg"}


@pytest.mark.parametrize(
    "text",
    [
        '{"items": [{"metadata": {"name": "x"}, "kind": "Node"}], "kind": "List"}',
        '{"intervals": [{"streams": [{"bytes": 1}], "seconds": 1.5}]}',
        '{"threads": 4, "timeout": 30, "verbose": true}',
        '{"threads": 4, "time": 3.5, "env": {"A": "b"}}',
        '{"a": [{"n": 1, "time": 2}], "b": [{"n": 1, "time": 3}]}',
    ],
)
def test_other_objects_with_lists_are_not_taken_for_tables(read, text):
    with pytest.raises(FormatError, match="found JSON that was not recognised"):
        read(text)


def test_a_record_in_each_line_is_a_table(read):
    campaign = read('{"p": 2, "phase": "io", "seconds": 1.5}\n\n{"p": 4, "phase": "io", "seconds": null}\n')
    assert campaign.format == "json-record-lines"
    np.testing.assert_array_equal(campaign.series["io", "seconds"], [[1.5], [np.nan]])


def test_records_may_lack_keys(read):
    campaign = read('[{"p": 2, "time": 1.5}, {"p": 4, "time": NaN}, {"p": 8, "time": 1, "ok": true}]')
    np.testing.assert_array_equal(campaign.series["main", "time"], [[1.5], [np.nan], [1]])


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ('[{"p": 1, "time": 2},\n {"p": 2, "time": "1..5"}]', 2, "“1..5” in the column time"),
        ('[{"p": 1, "time": 2},\n 17]', 2, "“17.0”"),
        ('{"p": 1, "time": 2}\n{"p": 2, "time": 3}\n{"p": 3, "ti', 3, "no JSON"),
        ('[{"p": 1, "time": 2},\n {"p": 2, "ti', 2, "a text without its closing quote"),
        ('[{"p": 1, "time": 2},\n {"p": 2, "p": 3}]', 2, "the key “p” twice"),
    ],
)
def test_errors_name_the_line(read, text, line, found):
    with pytest.raises(FormatError) as raised:
        read(text)
    assert raised.value.line == line
    assert found in raised.value.found


BY_NAME = """{
 "GET /pets": {"transaction": "GET /pets", "sampleCount": 500, "meanResTime": 12.5, "throughput": 40.5},
 "PUT /pets": {"transaction": "PUT /pets", "sampleCount": 490, "meanResTime": 22.5, "throughput": 20.5}
}"""


class TestObjectsByName:
    def test_their_names_are_kernels(self, read):
        campaign = read(BY_NAME)
        assert (campaign.format, campaign.parameters) == ("json-records", ("configuration",))
        assert campaign.series["GET /pets", "meanResTime"].tolist() == [[12.5]]
        assert campaign.series["PUT /pets", "throughput"].tolist() == [[20.5]]

    def test_parameters_are_read(self, read):
        campaign = read('{"a": {"p": 2, "time": 1.5}, "b": {"p": 4, "time": 3.5}}')
        assert campaign.parameters == ("p",)
        np.testing.assert_array_equal(campaign.series["b", "time"], [[np.nan], [3.5]])

    @pytest.mark.parametrize(
        "text",
        [
            '{"a": {"time": 1}, "b": {"seconds": 2}}',
            '{"a": {"time": 1}, "b": 7}',
            '{"a": {"time": 1}, "b": {"time": {"min": 2}}}',
            '{"a": {"width": 1}, "b": {"width": 2}}',
        ],
    )
    def test_other_objects_are_not_recognised(self, read, text):
        with pytest.raises(FormatError, match="not recognised"):
            read(text)


def test_repetitions_and_storage_of_nested_objects_are_no_parameters(read):
    parts = (
        '{"csr": {"time": 1.5, "repetitions": 12, "storage": 640}, "coo": {"time": 2.5, "repetitions": 8}}'
    )
    campaign = read(f'[{{"problem": {{"rows": 64}}, "spmv": {parts}}}]')
    assert campaign.parameters == ("problem.rows",)
    assert {metric for _, metric in campaign.series} == {"spmv.csr.time", "spmv.csr.storage", "spmv.coo.time"}


@pytest.mark.parametrize(
    "table",
    [
        {"ranks": [2, 4], "solver": ["cg", "cg"], "time_s": [1.5, 0.75]},
        {"ranks": {"0": 2, "1": 4}, "solver": {"0": "cg", "1": "cg"}, "time_s": {"0": 1.5, "1": 0.75}},
        {
            "columns": ["ranks", "solver", "time_s"],
            "index": [0, 1],
            "data": [[2, "cg", 1.5], [4, "cg", 0.75]],
        },
        {"0": {"ranks": 2, "solver": "cg", "time_s": 1.5}, "1": {"ranks": 4, "solver": "cg", "time_s": 0.75}},
    ],
)
def test_tables_of_columns_and_numbered_rows_are_read(read, table):
    campaign = read(json.dumps(table))
    assert (campaign.parameters, campaign.points.tolist()) == (("ranks",), [[2], [4]])
    assert {key: values.ravel().tolist() for key, values in campaign.series.items()} == {
        ("main", "time_s"): [1.5, 0.75]
    }


@pytest.mark.parametrize(
    "value",
    [
        {"ranks": [2, 4], "time_s": [1.5]},
        {"ranks": {"0": 2, "1": 4}, "time_s": {"a": 1.5, "b": 2}},
        {"ranks": [2, 4], "names": ["a", "b"]},
        {"columns": ["ranks", "time_s"], "data": {"a": 1}},
        {"ranks": [2, 4], "time_s": [[1.5], [2.5]]},
    ],
)
def test_other_objects_are_no_tables(read, value):
    with pytest.raises(FormatError, match="not recognised"):
        read(json.dumps(value))


def test_a_row_of_other_length_is_refused(read):
    with pytest.raises(FormatError, match=r"found the row .*; expected a list of 2 cells"):
        read(json.dumps({"columns": ["ranks", "time_s"], "data": [[2, 1.5], [4]]}))
