"""Helpers with which the tests read a table."""

import pytest

from ingest.formats import parse


@pytest.fixture
def read(tmp_path):
    def read(*lines):
        path = tmp_path / "runs.csv"
        path.write_text("\n".join(lines) + "\n")
        return parse(path)

    return read
