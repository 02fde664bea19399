"""How often somebody may guess a password.

Attempts are counted per name and address and, against many names from one place, per address, in windows of
fixed length. They count before the password is looked at, so that guesses sent at once count too.
"""

import hashlib
import time
from collections.abc import Iterator

from django.core.cache import cache

WINDOW = 300
"""Seconds after which counting begins anew."""

PER_NAME = 10
PER_ADDRESS = 100


def attempt_count(name: str, address: str) -> int:
    """Count an attempt; return how many seconds to wait before it may be made, 0 for at once."""
    used = [_increase(key) <= most for key, most in _keys(name, address)]
    return 0 if all(used) else WINDOW - int(time.time()) % WINDOW


def attempts_forget(name: str, address: str) -> None:
    """Somebody who signed in begins anew; the address as a whole does not."""
    key, _ = next(_keys(name, address))
    cache.delete(key)


def _keys(name: str, address: str) -> Iterator[tuple[str, int]]:
    window = int(time.time()) // WINDOW
    who = hashlib.sha256(f"{name}\0{address}".encode()).hexdigest()  # a name may be too long for a key
    yield f"sign-in-{window}-{who}", PER_NAME
    yield f"sign-in-{window}-{address}", PER_ADDRESS


def _increase(key: str) -> int:
    cache.add(key, 0, timeout=2 * WINDOW)
    return int(cache.incr(key))
