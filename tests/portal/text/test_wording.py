import pytest

from perfweb.portal.text.wording import listed


@pytest.mark.parametrize(
    ("words", "text"), [(["p"], "p"), (["p", "n"], "p or n"), (["p", "n", "m"], "p, n or m")]
)
def test_words_are_listed_as_in_a_sentence(words, text):
    assert listed(words, "or") == text
