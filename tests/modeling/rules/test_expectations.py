"""Expectations that users may write, and the messages about those that cannot be read."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeling.rules.expectations import Bound, Growth, expectation_parse
from modeling.rules.reading import RuleError

NAMES = ["p", "n", "problem size", "log", "at"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("O(1)", {}),
        ("O(n)", {"n": (1, 0)}),
        ("O(n log n)", {"n": (1, 1)}),
        ("O(n·log(n))", {"n": (1, 1)}),
        ("o(n * log2^2 n)", {"n": (1, 2)}),
        ("O(p^(1/3))", {"p": (1 / 3, 0)}),
        ("≤ p^(1/3)", {"p": (1 / 3, 0)}),
        ("<= p^0.5 n^2", {"p": (0.5, 0), "n": (2, 0)}),
        ("O(sqrt(p) n log n)", {"p": (0.5, 0), "n": (1, 1)}),
        ("O(n n)", {"n": (2, 0)}),
        ("O(`problem size`^2)", {"problem size": (2, 0)}),
        ("O(p^0)", {"p": (0, 0)}),
    ],
)
def test_growth(text, expected):
    found = expectation_parse(text, ["p", "n", "problem size"])
    assert isinstance(found, Growth)
    assert found.exponents == {name: pytest.approx(pair) for name, pair in expected.items()}
    assert found.constant == (not expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("≤ 2 s at p = 4096", Bound(2, "s", {"p": 4096})),
        ("<= 2 s at p=4096, n=1000", Bound(2, "s", {"p": 4096, "n": 1000})),
        ("≤2ms at p=1e3", Bound(2, "ms", {"p": 1000})),
        ("≤ 0.5 at p = 4", Bound(0.5, "", {"p": 4})),
        (">= 3 GB/s at p = 4", Bound(3, "GB/s", {"p": 4}, least=True)),
    ],
)
def test_bounds(text, expected):
    assert expectation_parse(text, ["p", "n"]) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Character 1: found the end, expected something like O(n log n)"),
        ("n log n", "Character 1: found “n”, expected something like"),
        ("O n", "Character 3: found “n”, expected “(”."),
        ("O(q)", "Character 3: found “q”, expected a parameter (p, n)."),
        ("O(n", "Character 4: found the end, expected “)”"),
        ("O(n) x", "Character 6: found “x”, expected the end."),
        ("O(p^1/3)", "Character 6: found “/”, expected a fraction in parentheses, as in ^(1/3)."),
        ("O(p^(1/0))", "Character 8: found “0”, expected a number above 0."),
        ("O(p^99)", "expected exponents up to 10."),
        ("O(2 n)", "Character 3: found “2”, expected a parameter (p, n)."),
        ("≤ 2 s", "Character 6: found the end, expected “at” and a configuration, as in at p = 4096."),
        ("≤ 2 s at", "Character 9: found the end, expected a parameter (p, n)."),
        ("≤ 2 s at p", "expected “=” and a value of p."),
        ("≤ 2 s at p = 0", "Character 14: found “0”, expected a value above 0."),
        ("≤ 2 s at p = 4, p = 5", "expected a parameter that was not set yet."),
        ("≤ 2 s at p = 4 n = 5", "Character 16: found “n”, expected “,” and another parameter, or the end."),
        ("≤ 1e999 s at p = 4", "expected a number that a computer can hold."),
        ("O(" + "n " * 300 + ")", "expected at most 500 characters."),
    ],
)
def test_invalid_expectations_are_refused(text, message):
    with pytest.raises(RuleError) as wrong:
        expectation_parse(text, ["p", "n"])
    assert message in str(wrong.value)


def test_names_of_parameters_come_before_words_of_the_language():
    assert expectation_parse("O(log)", ["log"]) == Growth({"log": (1, 0)})
    assert expectation_parse("≤ 2 at at = 4", ["at"]) == Bound(2, "", {"at": 4})


@given(st.text(max_size=80))
def test_any_text_is_parsed_or_refused_with_a_message(text):
    with contextlib.suppress(RuleError):
        expectation_parse(text, NAMES)


@given(st.text("On()^/·≤ 12slogpat=,", max_size=30))
def test_errors_name_the_position_in_the_text(text):
    wrong = refusal(text)
    assert wrong is None or (1 <= wrong.position <= len(text) + 1 and wrong.expected)


def refusal(text):
    try:
        expectation_parse(text, NAMES)
    except RuleError as wrong:
        return wrong
    return None
