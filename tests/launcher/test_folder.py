import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from perfweb.launcher.folder import DataFolder, FolderError, FolderInUse


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[DataFolder]:
    folder = DataFolder(tmp_path / "data")
    yield folder
    if folder.sockets.is_dir() and not folder.sockets.is_symlink():
        shutil.rmtree(folder.sockets)


def test_it_works(folder: DataFolder) -> None:
    folder.prepare()
    secret = folder.secret_key()
    folder.prepare()
    assert folder.secret_key() == secret
    assert len(secret or "") > 50


def test_the_same_folder_by_another_name_has_the_same_sockets(folder: DataFolder, tmp_path: Path) -> None:
    folder.prepare()
    (tmp_path / "link").symlink_to(folder.path)
    assert DataFolder(tmp_path / "link").sockets == folder.sockets


def test_socket_paths_are_short(tmp_path: Path) -> None:
    deep = DataFolder(tmp_path.joinpath(*["x" * 100] * 10))
    assert len(os.fsencode(deep.sockets / ".s.PGSQL.5432.lock")) < 100


def test_a_place_that_cannot_be_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FolderError, match=r"cannot be written \(Not a directory\).*--data DIR"):
        DataFolder(tmp_path / "file" / "data").prepare()


def test_a_read_only_folder(folder: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.prepare()

    def refuse(*_: object) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Path, "write_bytes", refuse)  # root may write to any folder
    with pytest.raises(FolderError, match="Read-only file system"):
        folder.prepare()


def test_a_full_disk(folder: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = SimpleNamespace(free=5 * 2**20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(FolderError, match="has 5 MiB left and needs 200 MiB"):
        folder.prepare()


def test_a_foreign_folder_in_place_of_the_sockets(folder: DataFolder, tmp_path: Path) -> None:
    folder.sockets.symlink_to(tmp_path)
    try:
        with pytest.raises(FolderError, match="not a private folder"):
            folder.prepare()
    finally:
        folder.sockets.unlink()


def test_only_one_may_lock_it(folder: DataFolder) -> None:
    folder.prepare()
    with folder.lock(), pytest.raises(FolderInUse, match=f"process {os.getpid()}"):
        folder.lock()
    folder.lock().close()


def test_a_dead_holder_is_waited_for(folder: DataFolder) -> None:
    folder.prepare()
    with folder.lock() as held:
        held.truncate(0)
        held.write("999999999")  # no process has this number: what is held is about to be freed
        held.flush()
        with pytest.raises(FolderInUse):
            folder.lock(seconds=0.2)
