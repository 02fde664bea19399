"""Patterns, and the kernels that they select."""

import fnmatch

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


@given(st.text("ab*?", min_size=1, max_size=8), st.text("ab", min_size=1, max_size=8))
def test_patterns_work_as_in_a_shell(pattern, name):
    assert matches(pattern, name) == fnmatch.fnmatchcase(name, pattern)


def test_empty_and_slow_patterns_are_refused():
    assert pattern_check("  a**b*** ") == "a*b*"
    with pytest.raises(ValueError, match="1 to 400 characters"):
        pattern_check("  ")
    with pytest.raises(ValueError, match="at most 20 stars; found 21"):
        pattern_check("*a" * 21)
