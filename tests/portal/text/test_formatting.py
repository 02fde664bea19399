import math
import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ingest.formats.campaign.units import bytes_text
from modeling.selectors.run.metrics import Kind
from perfweb.portal.text import formatting as f
from perfweb.portal.text.units import YEAR, base_units


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (24.13, "24.1"),
        (5912, "5,910"),
        (0.0213, "0.0213"),
        (0.00088, "8.8·10⁻⁴"),
        (1.25e7, "1.25·10⁷"),
        (1e7, "10⁷"),
        (999.96, "1,000"),
        (4, "4"),
        (3.998, "4.00"),
        (0.1 + 0.2, "0.3"),
        (8.002e-7, "8.00·10⁻⁷"),
        (0, "0"),
        (-0.5, "−0.5"),
        (None, "–"),
        (math.nan, "–"),
        (-math.inf, "−∞"),
    ],
)
def test_a_number_keeps_its_significant_digits(value, text):
    assert f.number(value) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.00123, "s", "1.23 ms"),
        (2.5e-7, "s", "250 ns"),
        (24.1, "seconds", "24.1 s"),
        (12345, "s", "3.43 h"),
        (3240, "s", "54 min"),
        (599.4, "s", "599 s"),
        (599.7, "s", "10.0 min"),
        (400000, "s", "4.63 d"),
        (3.4e9, "bytes", "3.4 GB"),
        (12, "B", "12 B"),
        (0.0039996, "s", "4.00 ms"),
        (0.0009999, "s", "1.00 ms"),
        (1250, "visits", "1,250 visits"),
        (999_999, "visits", "1.00 M visits"),
        (2.5e10, "", "25 G"),
        (2.5e10, "points", "2.5·10¹⁰ points"),
        (7, "", "7"),
        (None, "s", "–"),
        (0, "s", "0 s"),
    ],
)
def test_a_quantity_has_the_most_readable_unit(value, unit, text):
    assert f.quantity(value, unit) == text


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        ((0.9, 1.4, "s", 1.1), "0.9 – 1.4 s"),
        ((3.374e-3, 4.7951e-3, "s", 4e-3), "3.37 – 4.80 ms"),
        ((0.9, 1.1, "s", 0.99), "0.9 – 1.1 s"),
        ((2740.0, 10680.0, "s", 5400.0), "0.761 – 2.97 h"),
        ((746.0, 14200.0, "s", 3260.0), "12.4 min – 3.95 h"),
        ((300.0, 700.0, "s", 500.0), "300 – 700 s"),
        ((300.0, 900.0, "s", 650.0), "5 – 15 min"),
        ((30800.0, 9.31e6, "s", 67320.0), "8.55 h – 108 d"),
        ((0.039, 5.92, "s", 0.4), "39 ms – 5.92 s"),
        ((0.00392, 49.0, "s", 0.00406), "3.92 ms – 49 s"),
        ((3600.0, 4e8, "s"), "1 h – 12.7 years"),
        ((0.0, 0.02, "s", 0.5), "0 – 20 ms"),
        ((0.0, 5.0, "visits"), "0 – 5 visits"),
        ((2.0, 51234.0, "visits"), "2 – 51,300 visits"),
        ((2.0, 5.1e7, "visits"), "2 visits – 51 M visits"),
        ((2.0, 5.1e7, ""), "2 – 5.1·10⁷"),
        ((9e6, 5.1e7, ""), "9 – 51 M"),
        ((0.5, math.inf, "s"), "500 ms – ∞ s"),
        ((None, 1.1, "s"), "–"),
        ((math.nan, 1.1, "s"), "–"),
    ],
)
def test_each_end_of_an_interval_has_a_readable_unit(ends, text):
    assert f.interval(*ends) == text


@pytest.mark.parametrize("unit", ["", "s"])
@given(value=st.floats(1e-9, 1e9), below=st.floats(1e-6, 1), above=st.floats(1, 1e6))
def test_an_interval_is_rounded_outwards(unit, value, below, above):
    lower, upper = value * below, value * above
    assume(upper > lower * (1 + f.NARROW))
    ends = [_read(end) for end in f.interval(lower, upper, unit, value).split(" – ")]
    (first, one), (second, other) = ends
    assert first * SECONDS[one or other] <= lower * (1 + 1e-11)
    assert second * SECONDS[other] >= upper * (1 - 1e-11)


def test_an_interval_of_rounding_errors_is_one_number():
    assert f.interval(23.99999982, 24.00000038, "", 24.00000007) == "24.0"
    assert f.interval(24.0, 24.0) == "24"
    assert f.interval(0.0, 0.0, "s") == "0 s"
    assert f.interval(24.0, 24.01, "s") == "24 – 24.1 s"


SECONDS = {
    "": 1.0, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15,
    "ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "years": YEAR,
}  # fmt: skip
POWER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")


def _read(text: str) -> tuple[float, str]:
    """Return the number, without its power of ten and separators, and its unit."""
    written, _, unit = text.partition(" ")
    written = re.sub("^10(?=[⁻⁰¹²³⁴⁵⁶⁷⁸⁹])", "1·10", written.replace(",", ""))
    mantissa, _, power = written.partition("·10")
    return float(mantissa.translate(POWER)) * 10.0 ** int(power.translate(POWER) or 0), unit


def test_an_interval_of_ratios_contains_the_shown_ratio():
    assert (f.ratio(251.4), f.ratios(250.7, 252.3)) == ("251×", "250 – 253×")
    assert (f.ratio(1.084), f.ratios(1.0795, 1.0901)) == ("1.08×", "1.07 – 1.10×")
    assert (f.ratio(1024.4), f.ratios(1021.1, 1028.0)) == ("1,020×", "1,020 – 1,030×")
    assert f.ratios(None, 2.0) == "–"


@pytest.mark.parametrize(
    ("fraction", "text"),
    [
        (0.041, "+4.1 %"), (-0.003, "−0.3 %"), (0.00036, "+0.04 %"), (2.5e-6, "0 %"), (-2.5e-6, "0 %"),
        (None, "–"), (0.0, "0 %"), (12.0, "+1,200 %"),
    ],
)  # fmt: skip
def test_a_deviation_has_a_sign_and_no_power_of_ten(fraction, text):
    assert f.signed_percent(fraction) == text


@pytest.mark.parametrize(
    ("fraction", "text"),
    [(0.614, "61 %"), (0.0412, "4.1 %"), (2e-5, "< 0.1 %"), (0, "0 %"), (0.998, "99.8 %"), (None, "–")],
)
def test_percent(fraction, text):
    assert f.percent(fraction) == text


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (2.31, "2.3× as long as"),
        (1.12, "12 % longer than"),
        (0.94, "6 % less time than"),
        (0.25, "1/4 as long as"),
        (1.001, "about as long as"),
        (None, ""),
    ],
)
def test_a_ratio_is_part_of_a_sentence(value, sentence):
    assert f.compared(value) == sentence


def test_ratios_of_bytes_and_rates_are_not_called_longer():
    assert f.compared(1.12, Kind.AMOUNT) == "12 % more than"
    assert f.compared(0.88, Kind.LEVEL) == "12 % less than"
    assert f.compared(2.3, Kind.LEVEL) == "2.3× as much as"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (2500.0, "ms", "2.5 s"),
        (0.5, "ms", "500 µs"),
        (3.2e9, "ns", "3.2 s"),
        (120.0, "min", "2 h"),
        (3.4e9, "B/s", "3.4 GB/s"),
        (2.5e12, "FLOP/s", "2.5 TFLOP/s"),
        (1250.0, "1/s", "1,250 1/s"),
        (24.0, "GFLOP/s", "24 GFLOP/s"),
        (24.0, "Mb", "24 Mb"),
    ],
)
def test_times_and_rates_have_the_most_readable_multiple(value, unit, text):
    assert f.quantity(value, unit) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1024.0, "B", "1.02 kB"),
        (2048.0, "KiB", "2.10 MB"),
        (300_000.0, "KB", "300 MB"),
        (0.5, "MiB/s", "524 kB/s"),
        (5e-7, "MB", "0.5 B"),
        (512.0, "MiB", "537 MB"),
    ],
)
def test_bytes_are_always_in_powers_of_1000(value, unit, text):
    assert f.quantity(value, unit) == text
    if value * base_units(unit) >= 1 and not unit.endswith("/s"):
        assert bytes_text(value * base_units(unit)) == text.replace(" ", "\N{NO-BREAK SPACE}")


@pytest.mark.parametrize(
    ("age", "text"),
    [
        (timedelta(seconds=3), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=5), "5 hours ago"),
        (timedelta(days=2), "2 days ago"),
        (timedelta(days=40), "2026-01-20"),
    ],
)
def test_ago(age, text):
    now = datetime(2026, 3, 1, tzinfo=UTC)
    assert f.ago(now - age, now) == text


def test_duration():
    assert [f.duration(s) for s in (0.81, 192, 7500)] == ["810 ms", "3 min 12 s", "2 h 5 min"]


def test_a_configuration_keeps_all_digits():
    assert f.configuration({"p": 65536.0, "x": 0.125}) == "p = 65,536, x = 0.125"


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        ((0.12, 0.17), "12 – 17 %"),
        ((0.2, None), ""),
        ((0.5, 0.5), ""),
        ((0.0002, 1.0), "< 0.1 – 100 %"),
        ((0.1231, 0.1239), "12 – 13 %"),
        ((0.9961, 0.9969), "99.6 – 99.7 %"),
    ],
)
def test_an_interval_of_fractions_is_in_percent(ends, text):
    assert f.percents(*ends) == text


def test_a_share_above_the_total_is_shown_as_more_than_100_percent():
    assert [f.share(value) for value in (None, 0.98, 1.003, 1.02, 2.56)] == [
        "–", "98 %", "100 %", "> 100 %", "> 100 %",
    ]  # fmt: skip
    assert f.share_interval(0.99, 0.95, 1.2) == "95 – 100 %"
    assert f.share_interval(2.56, 1.0, 2.57) == ""
    assert f.share_interval(None, None, None) == ""
