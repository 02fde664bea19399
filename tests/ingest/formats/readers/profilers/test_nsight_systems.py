"""Nsight Systems' export to SQLite."""

import sqlite3

import pytest

from ingest.formats import FormatError, parse


@pytest.fixture
def read(tmp_path):
    def read(content, point=""):
        path = tmp_path / "counts"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return parse(path, point=point)

    return read


@pytest.fixture
def database(tmp_path):
    def made(*statements):
        path = tmp_path / "made.sqlite"
        with sqlite3.connect(path) as found:
            for statement in statements:
                found.execute(statement)
        found.close()
        return path.read_bytes()

    return made


NSYS = (
    "CREATE TABLE StringIds (id INTEGER, value TEXT)",
    "INSERT INTO StringIds VALUES (1, 'saxpy(int, float *)'), (2, 'cudaMemcpy'), (3, 'step->one')",
    'CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, "end" INTEGER, demangledName INTEGER)',
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 30, 1), (40, 50, 1)",
    'CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, "end" INTEGER, nameId INTEGER)',
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 5, 2)",
    'CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, "end" INTEGER, bytes INTEGER, copyKind INTEGER)',
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (0, 4, 1024, 1), (6, 8, 1024, 1)",
    'CREATE TABLE NVTX_EVENTS (start INTEGER, "end" INTEGER, text TEXT, textId INTEGER)',
    "INSERT INTO NVTX_EVENTS VALUES (0, 100, 'outer', NULL), (0, 50, NULL, 3), (7, NULL, 'mark', NULL)",
)


class TestNsightSystems:
    def test_it_works(self, read, database):
        campaign = read(database(*NSYS), "gpus=1")
        assert (campaign.format, campaign.parameters) == ("nsight-systems", ("gpus",))
        found = {key: values.tolist()[0][0] for key, values in campaign.series.items()}
        assert found["GPU kernels->saxpy(int, float *)", "time"] == 30
        assert found["GPU kernels->saxpy(int, float *)", "calls"] == 2
        assert found["CUDA API->cudaMemcpy", "time"] == 5
        assert found["memory copies->host to device", "bytes"] == 2048
        assert found["NVTX->outer", "time"] == 100
        assert found["NVTX->step→one", "time"] == 50
        assert campaign.units == {"time": "ns", "bytes": "B"}

    def test_another_database_is_refused(self, read, database):
        with pytest.raises(FormatError, match="without activities"):
            read(database("CREATE TABLE notes (text TEXT)"))

    def test_a_damaged_database_is_refused(self, read, database):
        good = database(*NSYS)
        for size in (100, 4096, len(good) - 4096):
            with pytest.raises(FormatError):
                read(good[:size])

    def test_a_view_instead_of_a_table_is_refused(self, read, database):
        endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
        columns = '1 AS start, x AS "end", x AS shortName'
        view = f"CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT {columns} FROM ({endless})"
        with pytest.raises(FormatError, match="without activities"):
            read(database(view))
