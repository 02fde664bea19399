"""Limits how often a password may be guessed.

Attempts are counted in windows of fixed length: for each pair of name and address, and for each address
alone, because somebody may guess many names from one place. An attempt is counted before its password is
checked, so that simultaneous guesses count as well.
"""

import hashlib
import time
from collections.abc import Iterator

from django.core.cache import cache

WINDOW = 300
"""Seconds after which counting starts again."""

PER_NAME = 10
PER_ADDRESS = 100


def attempt_count(name: str, address: str) -> int:
    """Count an attempt. Return 0 if it is allowed, and otherwise the seconds until the next window."""
    used = [_increase(key) <= most for key, most in _keys(name, address)]
    return 0 if all(used) else WINDOW - int(time.time()) % WINDOW


def attempts_forget(name: str, address: str) -> None:
    """Reset the count of a name at an address, after a sign-in; the count of the address alone stays."""
    key, _ = next(_keys(name, address))
    cache.delete(key)


def _keys(name: str, address: str) -> Iterator[tuple[str, int]]:
    window = int(time.time()) // WINDOW
    who = hashlib.sha256(f"{name}\0{address}".encode()).hexdigest()  # names may be too long for keys
    yield f"sign-in-{window}-{who}", PER_NAME
    yield f"sign-in-{window}-{address}", PER_ADDRESS


def _increase(key: str) -> int:
    cache.add(key, 0, timeout=2 * WINDOW)
    return int(cache.incr(key))
