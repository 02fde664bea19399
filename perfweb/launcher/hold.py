"""That one portal at a time uses a data folder, whatever became of the one before.

Two locks hold a folder. The system frees each when the last process that inherited it has ended, however that
was: the file `lock` is the launcher's and its guard's, the folder of the sockets is locked by every process
that they start. So nobody can start a second set of workers while one process of the first set lives.
"""

import os
import shutil
import time
from typing import IO

from perfweb.launcher import sockets
from perfweb.launcher.folder import DataFolder, FolderInUse
from perfweb.launcher.sockets import locked

PATIENCE = 10.0
"""Seconds in which the processes of a killed launcher end by themselves."""


class Hold:
    """A data folder that is ours: a context that lets it go, and removes the folder of the sockets.

    `lock` is the descriptor that the guard inherits, `sockets` the one of all that is started.
    """

    def __init__(self, folder: DataFolder, lock: IO[str], sockets: int) -> None:
        self._folder, self._file = folder, lock
        self.lock, self.sockets = lock.fileno(), sockets

    def __enter__(self) -> "Hold":
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder.sockets, ignore_errors=True)
        os.close(self.sockets)
        self._file.close()


def take(folder: DataFolder, seconds: float = PATIENCE) -> Hold:
    """Take the folder; what an earlier portal left behind is waited for, and ended after so many seconds.

    Raises:
        FolderInUse: another launcher has it, or a process of an earlier one does not end.
        FolderError: somebody else made the folder of the sockets.
    """
    file = _take_lock(folder, seconds)
    try:
        return Hold(folder, file, sockets.take(folder.sockets, seconds))
    except BaseException:
        file.close()
        raise


def _take_lock(folder: DataFolder, seconds: float) -> IO[str]:
    """The file `lock`, with our number in it for whoever comes next."""
    file = (folder.path / "lock").open("a+")
    end = time.monotonic() + seconds
    while not locked(file.fileno()):
        file.seek(0)
        holder = file.read()
        if _alive(holder) or time.monotonic() > end:
            file.close()
            raise FolderInUse(
                f"Another portal (process {holder}) is running on {folder.path}. "
                "Stop it first, or give another folder with --data DIR."
            )
        time.sleep(0.05)
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def _alive(process: str) -> bool:
    """Whether this process exists; one that has not yet written its number is just starting."""
    try:
        os.kill(int(process or os.getpid()), 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it exists, and is another user's
        pass
    return True
