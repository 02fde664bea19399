"""Units of time with their lengths, spellings of units of data, and units of rates."""

import re

SECONDS = (
    dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0)
    | dict.fromkeys(("ms", "msec", "msecs", "msecond", "millisecond", "milliseconds"), 1e-3)
    | dict.fromkeys(("us", "µs", "μs", "usec", "usecs", "usecond", "microsecond", "microseconds"), 1e-6)
    | dict.fromkeys(("ns", "nsec", "nsecs", "nsecond", "nanosecond", "nanoseconds"), 1e-9)
    | dict.fromkeys(("min", "mins", "minute", "minutes"), 60.0)
    | dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600.0)
    | dict.fromkeys(("d", "day", "days"), 86400.0)
)
"""Unit of time, in lower case → its length in seconds."""

SHORT = {1.0: "s", 1e-3: "ms", 1e-6: "us", 1e-9: "ns", 60.0: "min", 3600.0: "h", 86400.0: "d"}
"""Length in seconds → the usual spelling of the unit."""

DATA = {"b": "B", "byte": "B", "bytes": "B"} | {
    f"{prefix.lower()}{letters}{word}": f"{prefix}{letters}B"
    for prefix in "kMGTP"
    for letters in ("", "i")
    for word in ("b", "byte", "bytes")
}
"""Unit of data, in lower case → its usual spelling."""

_PER = re.compile(r"\s*/\s*|\s+per\s+")
_INVERSE = re.compile(r"(.*?)[\s·*]*\bs\s*(?:\^|\*\*)?\s*(?:-|−|⁻)\s*(?:1|¹)")
_RATE = re.compile(r"[kmgtpe]?(flops|lups|teps|iops|ips|hz|bps)|[gm]ups|[kmgt]?ops|[qtrf]ps")
"""Matches units that are rates although they do not contain "per second"."""


PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
"""Factors with the prefixes of bytes in texts: powers of 1000."""


def bytes_in(unit: str) -> float | None:
    """Return the bytes of a unit of data, such as 1,048,576 for MiB; None for any other unit."""
    written = DATA.get(unit.strip().lower())
    if written is None:
        return None
    base = 1024.0 if "i" in written else 1000.0
    return float(base ** "BkMGTP".index(written[0]))


def bytes_text(count: float) -> str:
    """Return a number of bytes with three digits: 999 B, 1.02 kB, 537 MB."""
    factor, prefix = next((each for each in PREFIXES if count >= each[0]), (1.0, ""))
    scaled = count / factor
    whole = scaled >= 999.5 or scaled == round(scaled)
    text = f"{scaled:.0f}" if whole else f"{scaled:#.3g}".rstrip(".")
    return f"{text}\xa0{prefix}B"


def seconds_in(unit: str) -> float | None:
    """Return the length of a unit of time in seconds, or None for any other unit."""
    return SECONDS.get(unit.strip().lower())


def quotient(unit: str) -> tuple[str, str]:
    """Split a rate into its two units, in lower case; the second one is empty without a quotient.

    Examples are `GB/s`, `iterations per second` and `s^-1`; GFLOPS and Hz are rates per second as well. Of
    several units in the denominator, as in `1/s/core`, only the first one is used.
    """
    plain = unit[:80].strip().lower()
    if inverse := _INVERSE.fullmatch(plain):
        return inverse[1], "s"
    above, *below = _PER.split(plain)
    if not below and _RATE.fullmatch(plain):
        return plain, "s"
    return above, below[0] if below else ""


def factor(unit: str, into: str) -> float | None:
    """Return the factor that converts numbers of a unit into another one, or None if they are of different
    kinds. Units of time and of data are converted, and rates of them.
    """
    if unit == into:
        return 1.0
    (kind, size), (kind_into, size_into) = _scale(unit), _scale(into)
    return size / size_into if kind == kind_into else None


def _scale(unit: str) -> tuple[str, float]:
    """Return the kind of a unit, and its size in the base unit of this kind."""
    if (seconds := seconds_in(unit)) is not None:
        return "s", seconds
    if (size := bytes_in(unit)) is not None:
        return "B", size
    above, below = quotient(unit)
    size, seconds = bytes_in(above), SECONDS.get(below)
    if size is not None and seconds is not None:
        return "B/s", size / seconds
    return unit, 1.0


def is_per_time(unit: str) -> bool:
    """Return whether a unit is a rate, which is a quantity per time."""
    return quotient(unit)[1] in SECONDS
