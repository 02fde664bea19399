import math
from datetime import UTC, datetime, timedelta

import pytest

from modeling.selectors.run.metrics import Kind
from perfweb.portal.text import formatting as f


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (24.13, "24.1"),
        (5912, "5,910"),
        (0.0213, "0.0213"),
        (0.00088, "8.8·10⁻⁴"),
        (1.25e7, "1.25·10⁷"),
        (999.96, "1,000"),
        (0, "0"),
        (-0.5, "−0.5"),
        (None, "–"),
        (math.nan, "–"),
        (-math.inf, "−∞"),
    ],
)
def test_number_keeps_the_digits_that_mean_something(value, text):
    assert f.number(value) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.00123, "s", "1.23 ms"),
        (2.5e-7, "s", "250 ns"),
        (24.1, "seconds", "24.1 s"),
        (12345, "s", "3.43 h"),
        (400000, "s", "4.63 d"),
        (3.4e9, "bytes", "3.4 GB"),
        (12, "B", "12 B"),
        (1250, "visits", "1,250 visits"),
        (7, "", "7"),
        (None, "s", "–"),
        (0, "s", "0 s"),
    ],
)
def test_quantity_takes_the_unit_that_reads_best(value, unit, text):
    assert f.quantity(value, unit) == text


def test_interval_has_one_unit_and_it_is_that_of_the_prediction():
    assert f.interval(0.9, 1.4, "s", 1.1) == "0.9 – 1.4 s"
    assert f.interval(0.9, 1.1, "s", 0.99) == "900 – 1,100 ms"
    assert f.interval(None, 1.1, "s") == "–"


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
        (0.94, "6 % shorter than"),
        (0.25, "4× shorter than"),
        (1.001, "as long as"),
        (None, ""),
    ],
)
def test_a_ratio_in_a_sentence(value, sentence):
    assert f.compared(value) == sentence


def test_a_ratio_of_bytes_or_of_a_rate_does_not_last():
    assert f.compared(1.12, Kind.AMOUNT) == "12 % more than"
    assert f.compared(0.88, Kind.LEVEL) == "12 % lower than"
    assert f.compared(2.3, Kind.LEVEL) == "2.3× as high as"


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
    ],
)
def test_times_and_rates_are_in_the_multiple_that_reads_best(value, unit, text):
    assert f.quantity(value, unit) == text


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
    [((0.12, 0.17), "12 – 17 %"), ((0.2, None), ""), ((0.5, 0.5), ""), ((0.0002, 1.0), "< 0.1 – 100 %")],
)
def test_an_interval_of_fractions_is_percent(ends, text):
    assert f.percents(*ends) == text
