import pytest

from perfweb.portal.text.wording import listed, setting_name


@pytest.mark.parametrize(
    ("words", "text"), [(["p"], "p"), (["p", "n"], "p or n"), (["p", "n", "m"], "p, n or m")]
)
def test_words_are_listed_as_in_a_sentence(words, text):
    assert listed(words, "or") == text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("measured_at", "measured at"),
        ("measured points", "measured points"),
        ("OMP_NUM_THREADS", "OMP_NUM_THREADS"),
        ("MPI_version", "MPI_version"),
        ("_", "_"),
        ("2024_run", "2024 run"),
    ],
)
def test_settings_are_named_in_words(name, words):
    assert setting_name(name) == words
