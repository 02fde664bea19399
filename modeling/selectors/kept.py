"""Keep objects that take long to compute in the memory of a web process."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from math import inf
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Kept(Generic[Value]):
    """A cache of the `most` objects that were used last, by key. Callers must not change the objects.

    With `size`, the cache also keeps the sum of sizes below `room`, except for a single large object.
    """

    def __init__(self, most: int, room: float = inf, size: Callable[[Value], float] = lambda _: 0.0) -> None:
        self._most, self._room, self._size = most, room, size
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the object with this key, made by `make` if missing. Two threads may both make it."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        made = make()
        with self._lock:
            self._values[key] = made
            while len(self._values) > 1 and self._too_much():
                self._values.popitem(last=False)
        return made

    def clear(self) -> None:
        """Forget all objects."""
        with self._lock:
            self._values.clear()

    def __contains__(self, key: Hashable) -> bool:
        with self._lock:
            return key in self._values

    def _too_much(self) -> bool:
        return len(self._values) > self._most or sum(map(self._size, self._values.values())) > self._room
