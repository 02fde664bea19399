import errno
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from perfweb.launcher.folder import DataFolder, FolderError


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


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


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FolderError, match=r"cannot be written \(Not a directory\).*--data DIR"):
        DataFolder(tmp_path / "file" / "data").prepare()


def test_a_read_only_folder_is_refused(folder: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.prepare()

    def refuse(*_: object) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    # The error is simulated, because root may write to any folder.
    monkeypatch.setattr(Path, "write_bytes", refuse)
    with pytest.raises(FolderError, match="Read-only file system"):
        folder.prepare()


def test_a_full_disk(folder: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = SimpleNamespace(free=5 * 2**20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(FolderError, match="has 5 MiB left and needs 200 MiB"):
        folder.prepare()


@pytest.mark.parametrize("half", ["", "abc", "\0" * 64])
def test_an_incomplete_secret_is_replaced(folder: DataFolder, half: str) -> None:
    folder.path.mkdir()
    folder.secret.write_text(half)
    assert folder.secret_key() is None
    folder.prepare()
    secret = folder.secret_key()
    assert len(secret or "") > 50
    assert folder.secret.stat().st_mode & 0o077 == 0


def test_a_secret_is_written_completely_or_not_at_all(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FolderError, match="No space left on device"):
        folder.prepare()
    assert [path.name for path in folder.path.iterdir()] == ["logs"]
