from collections.abc import Iterator
from pathlib import Path

import pytest

from perfweb.launcher import postgres as module
from perfweb.launcher.folder import DataFolder, FolderError
from perfweb.launcher.hold import take
from perfweb.launcher.postgres import Postgres
from perfweb.launcher.processes import Processes


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[DataFolder]:
    """Return a data folder inside a folder that only the current user can enter."""
    tmp_path.chmod(0o700)
    folder = DataFolder(tmp_path / "data")
    folder.prepare()
    with take(folder):
        yield folder


@pytest.mark.parametrize("namespaces", [True, False])
def test_data_are_kept_after_a_restart(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch, namespaces: bool
) -> None:
    if not namespaces:
        monkeypatch.setattr(module, "_namespace_allowed", lambda: False)
    statements = "CREATE TABLE IF NOT EXISTS t (i int); INSERT INTO t VALUES (1); SELECT count(*) FROM t"
    for count in ("1", "2"):
        postgres = Postgres(folder)
        program = postgres.program()
        processes = Processes()
        processes.start(program)
        postgres.wait(program)
        assert postgres._client("psql", "-Atq", "-d", "perfweb", "-c", statements).stdout.strip() == count
        assert postgres._client("psql", "-Atq", "-d", "perfweb", "-c", "SHOW fsync").stdout.strip() == "on"
        processes.stop()
        assert not postgres.answers()
        (folder.postgres / "postmaster.pid").touch()  # A full disk leaves such an empty file.


def test_other_files_in_place_of_the_database_are_kept_and_named(folder: DataFolder) -> None:
    folder.postgres.mkdir()
    (folder.postgres / "base").mkdir()
    processes = Processes()
    with pytest.raises(FolderError, match=r"postgres holds files, but no database .*Move it elsewhere"):
        processes.start(Postgres(folder).program())
    processes.stop()
    assert (folder.postgres / "base").is_dir()


def test_the_error_contains_the_output_of_the_server(folder: DataFolder) -> None:
    postgres = Postgres(folder, {"shared_buffers": "nonsense"})
    program = postgres.program()
    processes = Processes()
    try:
        processes.start(program)
        with pytest.raises(FolderError, match='invalid value for parameter "shared_buffers"'):
            postgres.wait(program)
    finally:
        processes.stop()


def test_a_failed_first_start_leaves_no_cluster(folder: DataFolder) -> None:
    (folder.path / "postgres.new").mkdir()
    (folder.path / "postgres.new" / "PG_VERSION").write_text("18")
    postgres = Postgres(folder)
    program = postgres.program()
    processes = Processes()
    processes.start(program)
    postgres.wait(program)
    processes.stop()
    assert not (folder.path / "postgres.new").exists()
