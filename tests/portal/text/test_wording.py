import pytest

from perfweb.portal.text.wording import change_interval, listed, setting_name


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


@pytest.mark.parametrize(
    ("ratio", "ends", "text"),
    [
        (403.0, (268.0, 442.0), "268 – 442×"),
        (1 / 403, (1 / 442, 1 / 268), "268 – 442×"),
        (1.57, (1.52, 1.62), "52 – 62 %"),
        (0.8, (0.7, 0.85), "15 – 30 %"),
        (1.9, (1.5, 2.5), "50 – 150 %"),
        (1.1, (0.9, 1.3), "0.9 – 1.3×"),
        (0.1, (0.0, 0.2), "0 – 0.2×"),
        (None, (None, None), "–"),
    ],
)
def test_the_interval_of_a_change_has_the_form_of_its_words(ratio, ends, text):
    assert change_interval(ratio, *ends) == text
