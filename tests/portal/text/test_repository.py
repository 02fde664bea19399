import pytest

from perfweb.portal.text.repository import commit_address, range_address


@pytest.mark.parametrize(
    ("repository", "commit", "between"),
    [
        (
            "https://github.com/t/s",
            "https://github.com/t/s/commit/b2",
            "https://github.com/t/s/compare/a1...b2",
        ),
        (
            "https://gitlab.com/t/s",
            "https://gitlab.com/t/s/-/commit/b2",
            "https://gitlab.com/t/s/-/compare/a1...b2",
        ),
        (
            "https://git.example.org/t/s/-",
            "https://git.example.org/t/s/-/commit/b2",
            "https://git.example.org/t/s/-/compare/a1...b2",
        ),
        (
            "https://codeberg.org/t/s",
            "https://codeberg.org/t/s/commit/b2",
            "https://codeberg.org/t/s/compare/a1...b2",
        ),
        ("", "", ""),
    ],
)
def test_it_works(repository, commit, between):
    assert commit_address(repository, "b2") == commit
    assert range_address(repository, "a1", "b2") == between


def test_an_unknown_commit_or_repository_has_no_address():
    assert commit_address("https://github.com/t/s", "") == ""
    assert (
        range_address("https://github.com/t/s", "a1", "a1")
        == range_address("https://github.com/t/s", "", "b")
        == ""
    )


def test_a_commit_with_special_characters_is_quoted_in_the_address():
    assert commit_address("https://github.com/t/s", "../x?y#z").endswith("/commit/..%2Fx%3Fy%23z")
