"""Numbers for people: with as many digits as are significant, and in readable units."""

import math
from collections.abc import Iterable
from datetime import datetime
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from functools import lru_cache

from django.utils import timezone

from ingest.formats.campaign.roles import Kind, kind
from ingest.models import Parameter
from modeling.selectors.run.metrics import Kind as MetricKind
from perfweb.portal.text.lettering import isolated
from perfweb.portal.text.units import Multiple, is_decimal, multiple

MISSING = "–"
MINUS = "−"

LARGEST_SHARE = 1.005
"""Largest share that is written as a number. Larger shares are written as "more than 100 %"."""

EXACT = 1e-9
"""Relative difference up to which a value counts as rounded; errors of binary fractions are smaller."""

NARROW = 1e-4
"""Relative difference of an interval's ends below which pages show one number."""

PLAIN = range(-3, 6)
"""Powers of ten of numbers that are written without one."""

_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def number(value: float | None, digits: int = 3) -> str:
    """Return a number with significant digits: 24.1, 5,910, 8.8·10⁻⁴; an en dash for None and NaN.

    Zeros at the end are kept if `value` was rounded to them: 3.998 is 4.00. An exact 4 stays 4.
    """
    return _number(value, digits, rounded_from=value)


@lru_cache(
    maxsize=8192
)  # cached, because a page writes most of its numbers several times: in a table, in a chart and on hover
def _number(value: float | None, digits: int, rounded_from: float | None) -> str:
    if value is None or math.isnan(value):
        return MISSING
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    mantissa, exponent = scientific(value, digits, rounded_from)
    if exponent is None:
        return mantissa
    factor = "" if mantissa == "1" else f"{mantissa}·"
    return f"{factor}10{str(exponent).translate(_SUPERSCRIPTS)}"


def decade(value: float, digits: int = 3) -> int:
    """Return the power of ten of a value other than 0, rounded to digits: 0 for 9.99, 1 for 9.999."""
    return math.floor(math.log10(abs(float(f"{value:.{digits - 1}e}"))))


def scientific(value: float, digits: int = 3, rounded_from: float | None = None) -> tuple[str, int | None]:
    """Return mantissa and power of ten, or the plain number and None if that is as easy to read.

    Zeros at the end are removed if `rounded_from`, by default `value`, is exactly the shorter number.
    """
    if value == 0:
        return "0", None
    exponent = decade(value, digits)
    plain = exponent in PLAIN
    scaled = value if plain else value / 10.0**exponent
    decimals = max(digits - 1 - exponent, 0) if plain else digits - 1
    text = f"{round(scaled, digits - 1 - exponent) if plain else scaled:,.{decimals}f}"
    shorter = text.rstrip("0").rstrip(".") if "." in text else text
    exact = value if rounded_from is None else rounded_from
    if math.isclose(float(f"{value:.{digits - 1}e}"), exact, rel_tol=EXACT):
        text = shorter
    return text.replace("-", MINUS), None if plain else exponent


def in_units(value: float | None, factor: float) -> str:
    """Return a value as a number of units, each `factor` times the metric's unit."""
    return number(None if value is None else value / factor, 4)


def quantity(value: float | None, unit: str = "", digits: int = 3) -> str:
    """Return a value with its unit: 1.2 ms, 3.4 GB, 5.2 h, 1,250 visits."""
    if value is None or math.isnan(value):
        return MISSING
    factor, name = multiple(float(f"{value:.{digits - 1}e}"), unit)  # 999.9 µs are 1.00 ms
    return f"{number(value / factor, digits)} {name}".rstrip()


def signed_quantity(value: float | None, unit: str = "") -> str:
    """Return a difference with its sign and unit: +2.6 s, −12 ms."""
    if value is None or math.isnan(value):
        return MISSING
    return ("+" if value > 0 else MINUS if value < 0 else "") + quantity(abs(value), unit)


@lru_cache(maxsize=8192)  # cached for the same reason as `_number`
def interval(lower: float | None, upper: float | None, unit: str = "", like: float | None = None) -> str:
    """Return both ends, rounded outwards: 17.2 – 36.4 s, 39 ms – 5.92 s; see `ends`.

    Ends that differ by less than `NARROW` are one number, because rounding them outwards would make an
    interval of rounding errors a hundred times as wide.
    """
    if lower is None or upper is None or math.isnan(lower) or math.isnan(upper):
        return MISSING
    if math.isclose(lower, upper, rel_tol=NARROW):
        return quantity((lower + upper) / 2, unit)
    (below, unit_below), (above, unit_above) = ends(lower, upper, unit, like)
    first = below if unit_below == unit_above else f"{below} {unit_below}"
    return f"{first} – {above} {unit_above}".rstrip()


def ends(
    lower: float, upper: float, unit: str = "", like: float | None = None
) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return both ends of an interval, rounded outwards, each with its unit: ("17.2", "s"), ("36.4", "s").

    Both ends have the unit that suits `like` or, without `like`, the unit that suits one of the ends. Each
    end has its own unit if an end would have leading zeros or thousands in the common unit, or if the units
    differ by no power of ten, as hours and seconds do. Counts without a unit have no prefix in that case.
    """
    units = [multiple(value, unit) for value in (like, upper, lower) if value]
    units = [one for one in units if is_decimal(one[0] / units[0][0])]
    shared = (one for one in units if _reads_in(one, lower, unit) and _reads_in(one, upper, unit))
    both = next(shared, None)
    below, above = (both, both) if both else (multiple(lower or upper, unit), multiple(upper, unit))
    if not below.name:  # in "2 – 51 M", both ends would seem to be millions
        below = above = Multiple(1.0, "")
    first, last = _outwards(lower / below[0], ROUND_FLOOR), _outwards(upper / above[0], ROUND_CEILING)
    return (first, below[1]), (last, above[1])


def _reads_in(one: tuple[float, str], value: float, unit: str) -> bool:
    """Return whether a value is easy to read in a unit: its usual one, or no leading zeros or thousands, nor
    hundreds of minutes or hours.
    """
    if value == 0 or math.isinf(value):
        return value == 0
    most = 1000 if is_decimal(one[0]) else 100
    return one == multiple(value, unit) or 0.1 <= abs(value) / one[0] < most


def _outwards(value: float, rounding: str, digits: int = 3) -> str:
    """Return a value rounded down or up to this number of digits, ignoring errors of binary fractions."""
    if not math.isfinite(value):
        return number(value)
    return _number(
        float(Context(digits, rounding).create_decimal(f"{value:.12g}")), digits, rounded_from=value
    )


def percent(fraction: float | None, digits: int = 2) -> str:
    """Return a fraction as percent: 61 %, 4.1 %, < 0.1 %."""
    if fraction is None or math.isnan(fraction):
        return MISSING
    if 0 < fraction < 0.001:
        return "< 0.1 %"
    return f"{number(100 * fraction, max(digits, 3) if abs(fraction) >= 0.995 else digits)} %"


def share(fraction: float | None) -> str:
    """Return a share of the total as percent, or "> 100 %" where separate laws contradict each other."""
    return "> 100 %" if fraction is not None and fraction > LARGEST_SHARE else percent(fraction)


def share_interval(share: float | None, lower: float | None, upper: float | None) -> str:
    """Return the interval of a share, cut at 100 %; empty if there is none."""
    if share is None or upper is None or share > LARGEST_SHARE:
        return ""
    return percents(lower, min(upper, 1.0))


def in_percent(value: float | None) -> str:
    """Return a number that is already in percent, however small: 0.042 %, 3.6 %, 99.7 %."""
    if value is None:
        return MISSING
    return f"{number(value, 3 if value >= 99.5 else 2)} %"


def percents(lower: float | None, upper: float | None) -> str:
    """Return an interval of fractions as percent, rounded outwards: 12 – 17 %; empty if there is none."""
    if lower is None or upper is None or math.isnan(lower) or math.isnan(upper) or lower == upper:
        return ""
    below, above = (
        "< 0.1" if 0 < end < 0.001 else _outwards(100 * end, rounding, 3 if abs(end) >= 0.995 else 2)
        for end, rounding in ((lower, ROUND_FLOOR), (upper, ROUND_CEILING))
    )
    return f"{below} – {above} %" if below != above else ""


def signed_percent(fraction: float | None) -> str:
    """Return a deviation as percent with its sign: +4.1 %, −0.3 %. It is rounded to 0.01 %."""
    if fraction is None or math.isnan(fraction):
        return MISSING
    percents = round(100 * fraction, 2)
    sign = "+" if percents > 0 else MINUS if percents < 0 else ""
    return f"{sign}{number(abs(percents), 2)} %"


def ratio(value: float | None) -> str:
    """Return a ratio: 2.3×, 1.12×, 205×. It has three digits near 1 and from 100 to 10,000, else two."""
    if value is None or math.isnan(value):
        return MISSING
    return f"{number(value, _ratio_digits(value))}×"


def ratios(lower: float | None, upper: float | None) -> str:
    """Return an interval of ratios, rounded outwards to the digits of a ratio: 250 – 253×."""
    if lower is None or upper is None or math.isnan(lower) or math.isnan(upper):
        return MISSING
    below = _outwards(lower, ROUND_FLOOR, _ratio_digits(lower))
    return f"{below} – {_outwards(upper, ROUND_CEILING, _ratio_digits(upper))}×"


def _ratio_digits(value: float) -> int:
    return 3 if 0.9 <= value < 2 or 100 <= value < 10_000 else 2


SAME_RATIO = 0.005
"""Ratios that differ less from 1 are written as “about as long as”; 0 % longer would say nothing."""


def differs(ratio: float | None) -> bool:
    """Return whether a ratio is written as different from 1. Sentences name a cause only in that case."""
    return ratio is not None and not math.isnan(ratio) and abs(ratio - 1) >= SAME_RATIO


def compared(value: float | None, kind: MetricKind = MetricKind.TIME) -> str:
    """Return a ratio in a sentence: it takes "2.3× as long as", "12 % longer than", "4 % less time than"."""
    if value is None or math.isnan(value):
        return ""
    much, more, less = (
        ("long", "longer", "less time") if kind is MetricKind.TIME else ("much", "more", "less")
    )
    if not differs(value):
        return f"about as {much} as"
    if value >= 2:
        return f"{ratio(value)} as {much} as"
    if 0 < value <= 0.5:
        return f"1/{number(1 / value, _ratio_digits(1 / value))} as {much} as"
    return f"{percent(abs(value - 1))} {more if value > 1 else less} than"


def duration(seconds: float | None) -> str:
    """Return a duration: 0.8 s, 3 min 12 s, 2 h 5 min."""
    if seconds is None:
        return MISSING
    if seconds < 60:
        return quantity(seconds, "s", 2)
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


_AGES = ((60, 1, "second"), (3600, 60, "minute"), (86400, 3600, "hour"), (2592000, 86400, "day"))


def ago(moment: datetime, now: datetime | None = None) -> str:
    """Return how long ago: just now, 5 minutes ago, 2 days ago; a date beyond thirty days."""
    seconds = ((now or timezone.now()) - moment).total_seconds()
    if seconds < 10:
        return "just now"
    for limit, size, name in _AGES:
        if seconds < limit:
            count = int(seconds // size)
            return f"{count} {name}{'' if count == 1 else 's'} ago"
    return timezone.localtime(moment).strftime("%Y-%m-%d")


def parameter(name: str, known: Iterable[Parameter]) -> str:
    """Return a parameter with its role: processes p, problem size n; threads and nodes without."""
    row = next((row for row in known if row.name == name and row.role != Parameter.Role.OTHER), None)
    role = row.get_role_display() if row else name
    plain = role == name or kind(name) in (Kind.DEVICES, Kind.NODES, Kind.THREADS)
    return isolated(name) if plain else f"{role} {isolated(name)}"


def configuration(values: dict[str, float]) -> str:
    """Return a point as people write it: p = 65,536, n = 8,000."""
    return ", ".join(f"{isolated(name)} = {coordinate(value)}" for name, value in values.items())


def span(lower: float, upper: float) -> str:
    """Return a range of numbers without a unit: 4.1 to 60."""
    return f"{number(lower)} to {number(upper)}"


def coordinate(value: float) -> str:
    """Return one parameter's value with all its digits, because it was chosen, not measured."""
    return f"{value:,.0f}" if value == round(value) and abs(value) < 1e15 else f"{value:,.6g}"


def plain(value: float) -> str:
    """Return a number for a form field or an address: 65536, 0.25."""
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e15 else repr(value)
