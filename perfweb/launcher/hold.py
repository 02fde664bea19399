"""Locks a data folder, so that only one portal uses it, even if an earlier one crashed.

There are two locks. The system frees a lock when the last process that inherited it has ended. The file
`lock` belongs to the launcher and its guard. Every process that they start locks the folder of the sockets,
so nobody can start a second set of workers while one process of the first set lives.
"""

import os
import shutil
import time
from typing import IO

from perfweb.launcher import sockets
from perfweb.launcher.folder import DataFolder, FolderInUse
from perfweb.launcher.sockets import locked

PATIENCE = 10.0
"""Seconds within which the processes of a killed launcher end by themselves."""


class Hold:
    """A locked data folder; leaving its context unlocks it and removes the folder of the sockets.

    The guard inherits the descriptor `lock`; all started programs inherit the descriptor `sockets`.
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
    """Lock the folder. Processes of an earlier portal have `seconds` to end, and are then killed.

    Raises:
        FolderInUse: another launcher uses the folder, or a process of an earlier launcher does not end.
        FolderError: another user made the folder of the sockets.
    """
    file = _take_lock(folder, seconds)
    try:
        return Hold(folder, file, sockets.take(folder.sockets, seconds))
    except BaseException:
        file.close()
        raise


def _take_lock(folder: DataFolder, seconds: float) -> IO[str]:
    """Lock the file `lock`, and write this process's id into it, for the messages of other launchers."""
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
    """Return whether this process exists; a launcher that has not written its id yet counts as existing."""
    try:
        os.kill(int(process or os.getpid()), 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # the process exists, and belongs to another user
        pass
    return True
