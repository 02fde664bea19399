"""Experiments saved by Extra-P, with and without the values of each run."""

import io
import json
import zipfile

import numpy as np
import pytest

from ingest.formats import FormatError, parse


def statistics(coordinate, mean, values=None, std=0.5):
    return {"coordinate": coordinate, "mean": mean, "median": mean, "std": std, "values": values}


EXPERIMENT = {
    "Extra-P": "4.2.5",
    "scaling": "weak",
    "parameters": ["p", "n"],
    "measurements": {
        "main->solve": {
            "time": [statistics([8, 10], 2.0), statistics([16, 10], 5.0)],
            "visits": [statistics([8, 10], 1, std=0)],
        }
    },
    "modelers": [{"models": {}}],
}


def values_file(*arrays):
    file = io.BytesIO()
    file.write(b"Extra-P VALUES\0\0")
    for array in arrays:
        np.lib.format.write_array(file, np.asarray(array))
    return file.getvalue()


@pytest.fixture
def read(tmp_path):
    def read(experiment, **files):
        path = tmp_path / "saved.extra-p"
        text = experiment if isinstance(experiment, str) else json.dumps(experiment, indent=1)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in files.items():
                archive.writestr(f"values/{name.removeprefix('_')}.vals", data)
            archive.writestr("experiment.json", text)
        return parse(path)

    return read


def kept(values=(0, 1), mean=2.0):
    measured = {"main": {"time": [statistics([8, 10], mean, list(values))]}}
    return EXPERIMENT | {"measurements": measured}


def test_it_works(read):
    campaign = read(EXPERIMENT)
    assert campaign.format == "extra-p"
    assert campaign.parameters == ("p", "n")
    assert campaign.points.tolist() == [[8.0, 10.0], [16.0, 10.0]]
    assert campaign.series["main->solve", "time"].tolist() == [[2.0], [5.0]]
    assert campaign.metadata == {"relative standard deviation": 0.1}
    assert campaign.notes[0].startswith("only statistics were kept")
    assert campaign.notes[1] == "main->solve (visits) lacks 1 of 2 points"


def test_stored_values_are_repetitions(read):
    campaign = read(kept(), _0=values_file([1.0], [1.5, 2.5]))
    assert campaign.series["main", "time"].tolist() == [[1.5, 2.5]]
    assert campaign.metadata == {}
    assert campaign.notes == ()


def test_values_of_ranks_are_averaged(read):
    campaign = read(kept(mean=2.75), _0=values_file([1], [[1, 3], [2, 5]]))
    assert campaign.series["main", "time"].tolist() == [[2.0, 3.5]]


def test_ranks_without_work_count_if_the_mean_includes_them(read):
    campaign = read(kept(mean=2.0), _0=values_file([1], [[0, 2], [0, 6]]))
    assert campaign.series["main", "time"].tolist() == [[1.0, 3.0]]


def test_idle_threads_do_not_count_if_the_mean_excludes_them(read):
    threaded = kept(mean=4.0) | {"scaling": "weak_threaded"}
    campaign = read(threaded, _0=values_file([1], [[0, 2], [0, 6]]))
    assert campaign.series["main", "time"].tolist() == [[2.0, 6.0]]
    assert campaign.notes == ()


def test_a_repetition_in_which_no_thread_worked_is_zero(read):
    campaign = read(kept(mean=2.0), _0=values_file([1], [[0, 0], [0, 6]]))
    assert campaign.series["main", "time"].tolist() == [[0.0, 6.0]]


def test_padding_of_lists_of_different_lengths_is_ignored(read):
    campaign = read(kept(mean=3.0), _0=values_file([1], [[2, 4, 3], [3, 0, 0]]))
    assert campaign.series["main", "time"].tolist() == [[3.0, 3.0]]


def test_the_mean_is_read_if_call_paths_were_merged(read):
    campaign = read(kept(mean=5.0), _0=values_file([1], [1.5, 2.5]))
    assert campaign.series["main", "time"].tolist() == [[5.0]]
    assert campaign.notes[0].startswith("the kept values at 1 points")


def test_tags_are_not_part_of_a_name(read):
    entries = [statistics([8, 10], 2.0)]
    tagged = {'main->solve\x03{"gpu__kernel": true}': {'time\x03{"agg__category": "x"}': entries}}
    campaign = read(EXPERIMENT | {"measurements": tagged})
    assert list(campaign.series) == [("main->solve", "time")]


def test_a_mean_that_is_no_number_is_missing(read):
    entries = [statistics([8, 10], "nan"), statistics([16, 10], 3.0)]
    campaign = read(EXPERIMENT | {"measurements": {"main": {"time": entries}}})
    assert campaign.points.tolist() == [[16.0, 10.0]]


@pytest.mark.parametrize(
    ("experiment", "line", "found"),
    [
        (EXPERIMENT | {"parameters": "p"}, 4, "“"),
        (EXPERIMENT | {"measurements": []}, 8, "“[]"),
        ({"parameters": ["p"]}, 1, "no key “measurements”"),
        (kept((0, 9)), 14, "the reference “[0.0, 9.0]”"),
        (kept((7, 0)), 14, "the reference “[7.0, 0.0]”"),
        (kept((0, -1)), 14, "the reference “[0.0, -1.0]”"),
        (kept(("a",)), 14, "the reference “['a']”"),
        (EXPERIMENT | {"measurements": {"m": {"t": [{"point": [8], "mean": 1}]}}}, 11, "an object with"),
        (EXPERIMENT | {"measurements": {"m": {"t": [statistics([8], 1)]}}}, 11, "a point of 1 coordinates"),
        (EXPERIMENT | {"measurements": {"m": {"t": [statistics([8, 9], "1")]}}}, 11, "the mean"),
        (EXPERIMENT | {"measurements": {"m": {"t": [statistics([8, 9], -1)]}}}, 11, "the value “-1.0”"),
        ('{"parameters": ' + "[" * 100_000, 1, "nested deeper"),
        ("[1]", 1, "no key “parameters”"),
    ],
)
def test_errors_name_the_file_the_line_and_what_was_found(read, experiment, line, found):
    with pytest.raises(FormatError) as raised:
        read(experiment, _0=values_file([1.0], [1.5, 2.5]))
    assert raised.value.file == "saved.extra-p, experiment.json"
    assert found in raised.value.found
    assert raised.value.expected


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"Extra-P VALUES\0\0" + b"no array",
        values_file(np.ones(3))[:-1],
        values_file(np.ones(3)).replace(b"(3,)", b"(9,)"),
        values_file(np.ones(3)).replace(b"(3,), }        ", b"(9999999999,), }"),
        values_file(np.ones(3)).replace(b"<f8", b"|O8"),
        values_file(np.ones(3)).replace(b"<f8", b"<c8"),
        values_file(np.ones((1, 1, 3))),
        values_file(np.ones(0)),
        b"\x80\x04K\x01.",
    ],
)
def test_damaged_values_are_refused(read, data):
    with pytest.raises(FormatError, match=r"saved.extra-p, values/0.vals: found a damaged array"):
        read(kept((0, 0)), _0=data)
