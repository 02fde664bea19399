"""Patterns, and the kernels that they select."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeling.rules.patterns import matches, pattern_check


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*", "main->halo", True),
        ("halo", "main->halo", True),
        ("halo", "main->halo->pack", False),
        ("main->*", "main->halo->pack", True),
        ("main->*->pack", "main->halo->pack", True),
        ("main->halo", "main->halo->pack", False),
        ("ha?o", "main->halo", True),
        ("f(double*, int)", "main->f(double*, int)", True),
        ("a[0]", "main->a[0]", True),
        ("a[0]", "main->a0", False),
        ("line*", "main->line\nbreak", True),
    ],
)
def test_patterns(pattern, path, expected):
    assert matches(pattern, path) == expected


@given(st.text("ab[]!*?", min_size=1, max_size=8), st.text("ab[]!", min_size=1, max_size=8))
def test_patterns_are_regular_expressions_of_stars_and_question_marks(pattern, name):
    wild = {"*": ".*", "?": "."}
    expression = "".join(wild.get(letter, re.escape(letter)) for letter in pattern)
    assert matches(pattern, name) == bool(re.fullmatch(expression, name))


def test_many_stars_take_no_time():
    begun = time.process_time()
    assert not matches("*a" * 100 + "*b", "a" * 400)
    assert matches("*a" * 100 + "*b", "a" * 400 + "b")
    assert time.process_time() - begun < 1


def test_empty_and_long_patterns_are_refused():
    assert pattern_check("  a**b*** ") == "a*b*"
    for wrong in ("  ", "a" * 401):
        with pytest.raises(ValueError, match="1 to 400 characters"):
            pattern_check(wrong)
