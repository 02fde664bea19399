"""How the tests of tables read one."""

from tests.ingest.formats.table.conftest import read

__all__ = ["read"]
