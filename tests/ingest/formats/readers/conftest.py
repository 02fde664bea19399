"""How the tests of printed outputs read one."""

import pytest

from ingest.formats import parse


@pytest.fixture
def read(tmp_path):
    def read(text, **options):
        path = tmp_path / "job.out"
        path.write_text(text)
        return parse(path, options=options)

    return read
