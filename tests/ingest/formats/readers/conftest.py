"""How the tests of readers read a single file."""

import json

import pytest

from ingest.formats import parse


@pytest.fixture
def read(tmp_path):
    def read(content, **options):
        path = tmp_path / "results"
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
        return parse(path, options=options)

    return read
