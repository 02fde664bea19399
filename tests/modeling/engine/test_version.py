"""Stored models show which version of the engine made them, so results may only change with the version."""

import copy
import json

import pytest

from modeling.engine import ENGINE_VERSION
from tests.modeling.engine.version_results import COMMAND, STORED, complaint, differences, results, store


@pytest.fixture(scope="module")
def now():
    return results()


@pytest.fixture
def stored(monkeypatch, tmp_path):
    """Return a copy of the stored results, which a test may change."""
    path = tmp_path / STORED.name
    path.write_text(STORED.read_text())
    monkeypatch.setattr("tests.modeling.engine.version_results.STORED", path)
    return path


def test_results_change_only_with_the_version():
    assert complaint() == "", complaint()


def change(path, **changes):
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_results_of_another_version_are_to_be_stored_again(stored):
    change(stored, version="1.0")
    assert complaint() == f"version_results.json has the results of version 1.0. Run `{COMMAND}`."
    store()
    assert json.loads(stored.read_text())["version"] == ENGINE_VERSION
    assert complaint() == ""


def test_another_result_asks_for_another_version_and_cannot_be_stored_without_one(stored):
    results = json.loads(stored.read_text())["results"]
    results["one parameter, kernel 1"]["upper"][2] *= 1.001
    change(stored, results=results)
    before = stored.read_text()
    assert "raise ENGINE_VERSION" in complaint()
    assert "one parameter, kernel 1, upper:" in complaint()
    with pytest.raises(SystemExit, match="raise ENGINE_VERSION"):
        store()
    assert stored.read_text() == before


@pytest.mark.parametrize(
    ("field", "value", "differs"),
    [
        ("law", [1.0, [2.0, 0.5, 0.0]], True),
        ("status", "few values", True),
        ("holdout_error", [None], True),
        ("holdout_error", [0.005327656 * (1 + 1e-6)], False),
    ],
)
def test_only_rounding_is_no_difference(now, field, value, differs):
    other = copy.deepcopy(now)
    other["one parameter, kernel 0"][field] = value
    assert bool(differences(now, other)) is differs


def test_a_kernel_that_is_no_longer_modelled_is_a_difference(now):
    fewer = {name: result for name, result in now.items() if name != "three parameters, kernel 0"}
    assert differences(now, fewer) == ["three parameters, kernel 0: no longer found"]
