"""Caliper's JSON files in all forms in which Caliper writes them."""

import io
import json
import zipfile

import pytest

from ingest.formats import FormatError, parse


@pytest.fixture
def read(tmp_path):
    def read(content, format=None, name="run.json", **options):
        path = tmp_path / name
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text)
        return parse(path, format, options=options)

    return read


SPLIT = {
    "data": [[0, 2.0, 1], [1, 1.5, None], [None, 9, 1]],
    "columns": ["path", "time", "mpi.rank"],
    "column_metadata": [
        {"is_value": False},
        {"is_value": True, "attribute.unit": "sec"},
        {"is_value": True},
    ],
    "nodes": [{"label": "main", "column": "path"}, {"label": "solve", "column": "path", "parent": 0}],
    "jobsize": 8,
    "cluster": "x",
}
OBJECT = {
    "records": [{"path": "main", "time": 2.0}, {"path": "main/solve", "time": 1.5, "region": "solve"}],
    "globals": {"jobsize": "8", "cluster": "x"},
    "attributes": {},
}


@pytest.mark.parametrize("content", [SPLIT, OBJECT])
def test_json(read, content):
    campaign = read(content)
    assert campaign.format == "caliper"
    assert campaign.parameters == ("jobsize",)
    assert campaign.series["main", "time"].tolist() == [[2.0]]
    assert campaign.series["main->solve", "time"].tolist() == [[1.5]]
    assert campaign.metadata["cluster"] == "x"
    assert len(campaign.series) == 2


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (SPLIT | {"columns": ["path"]}, "3 entries of “column_metadata” for 1 columns"),
        (SPLIT | {"columns": ["path", 1, 2]}, "the columns"),
        (SPLIT | {"data": [[0, 1]]}, "“[0.0, 1.0]”"),
        (SPLIT | {"data": [[7, 1.0, 1]]}, "the node “7.0”"),
        (SPLIT | {"data": [["x", 1.0, 1]]}, "the node “x”"),
        (SPLIT | {"data": [[0, "fast", 1]]}, 'time “["fast"]”'),
        (SPLIT | {"data": {}}, "“{}"),
        (SPLIT | {"nodes": [{"label": "main", "parent": 0}]}, "the node “0.0”"),
        (SPLIT | {"nodes": [7]}, "“7.0”"),
        (SPLIT | {"column_metadata": [7]}, "“7.0”"),
        (SPLIT | {"data": [[0, -1.0, 1]]}, "the value “-1.0” of time in main"),
        ([[1], [2]], "“[1.0]”"),
        ([], "no points|no values"),
        (OBJECT | {"globals": []}, "“[]”"),
        (OBJECT | {"records": [7]}, "“7.0”"),
        (OBJECT | {"records": []}, "no points|no values"),
    ],
)
def test_invalid_json_is_refused(read, content, found):
    with pytest.raises(FormatError) as raised:
        read(content, "caliper")
    assert any(part in raised.value.found for part in found.split("|"))
    assert raised.value.file == "run.json"


LIST = [
    {"time": 0.5},
    {"path": "main", "time": 2.0},
    {"path": "main/solve", "time": 0.5, "mpi.rank": 0},
    {"path": "main/solve", "time": 1, "mpi.rank": 0},
    {"path": "main/solve", "time": 1.5, "mpi.rank": 1},
]
QUOTED = [{key: str(value) for key, value in record.items()} for record in LIST]
LEVELS = [record | {"path": record["path"].split("/")} for record in LIST if "path" in record]
SEPARATE = [{"loop" if key == "path" else key: value for key, value in record.items()} for record in LIST]
RECORDS = {
    "json": "[\n" + ",\n".join(map(json.dumps, LIST)) + "\n]\n",
    "json(pretty)": json.dumps(LIST, indent="\t"),
    "json(split)": ",\n".join(map(json.dumps, LIST)) + "\n",
    "json(quote-all)": json.dumps(QUOTED),
    "json(separate-nested)": json.dumps(SEPARATE),
    "json(object)": json.dumps({"records": LIST, "globals": {}}),
    "regions as lists": json.dumps(LEVELS),
    "with a byte order mark": "\ufeff" + json.dumps(LIST),
}


@pytest.mark.parametrize("form", RECORDS)
def test_lists_of_records_are_read(read, form):
    campaign = read(RECORDS[form])
    assert campaign.format == "caliper"
    assert campaign.parameters == ("configuration",)
    assert campaign.series["main", "time"].tolist() == [[2.0]]
    assert campaign.series["main->solve", "time"].tolist() == [[1.5]]
    assert read(RECORDS[form], scaling="strong").series["main->solve", "time"].tolist() == [[3.0]]
    assert len(campaign.series) == 2


def test_numbers_in_quotes_are_names_if_there_are_other_numbers(read):
    records = [{"path": "main", "time": 1.0, "level": "7"}, {"path": "main", "time": 2.0, "level": "8"}]
    assert {key: values.tolist() for key, values in read(records).series.items()} == {
        ("main", "time"): [[3.0]]
    }


def test_units_come_from_the_attributes(read):
    record = {"path": "main", "sum#time.duration": 2.0, "sum#time.duration.ns": 2e9, "count": 1}
    attributes = {"sum#time.duration": {"is_global": False, "attribute.unit": "sec"}}
    campaign = read({"records": [record], "globals": {"jobsize": "8"}, "attributes": attributes})
    assert campaign.units == {"sum#time.duration": "s", "sum#time.duration.ns": "ns", "count": ""}


def test_large_numbers_of_the_run_keep_all_their_digits(read):
    assert read(SPLIT | {"jobsize": 1048577, "size": 0.125}).points.tolist() == [[1048577, 0.125]]


def test_an_error_in_a_list_names_its_line(read):
    with pytest.raises(FormatError, match=r"“7\.0”") as raised:
        read('[\n{"path": "main", "time": 1},\n7\n]', "caliper")
    assert raised.value.line == 3


@pytest.mark.parametrize(
    "content",
    [
        [{"path": "src/a.py", "seconds": 7}],
        [{"name": "main", "time": 1.0}],
        [{"path": {"a": 1}, "time": 1.0}],
    ],
)
def test_other_lists_are_read_as_tables(read, content):
    assert read(content).format == "json-records"


@pytest.mark.parametrize("content", [[1, 2], {"path": "main", "time": 1.0}])
def test_other_json_is_not_recognised_as_caliper(read, content):
    with pytest.raises(FormatError, match="not recognised"):
        read(content)


def zipped(tmp_path, members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content if isinstance(content, str) else json.dumps(content))
    (tmp_path / "runs.zip").write_bytes(file.getvalue())
    return tmp_path / "runs.zip"


def test_an_archive_of_json_is_read(tmp_path):
    members = {f"{p}.json": SPLIT | {"jobsize": p} for p in (2, 4)}
    campaign = parse(zipped(tmp_path, members))
    assert campaign.format == "caliper"
    assert campaign.points.tolist() == [[2.0], [4.0]]


def test_other_json_in_an_archive_is_left_out_and_named(tmp_path):
    members = {"a.json-split": SPLIT, "b.json": RECORDS["json"], "about.json": {"user": "x"}}
    campaign = parse(zipped(tmp_path, members))
    assert campaign.parameters == ("configuration",)
    assert campaign.series["main", "time"].tolist() == [[2.0, 2.0]]
    assert campaign.notes[-1] == "files that Caliper did not write were left out: about.json"
