import pytest

from perfweb.portal.asked.paging import Pages, pages_of


@pytest.mark.parametrize(
    ("text", "skip"), [("80", 80), ("95", 80), ("x", 0), ("-4", 0), (None, 0), ("9" * 9, 0)]
)
def test_only_whole_pages_are_skipped(text, skip):
    assert Pages.skip_from(text, 40) == skip


def test_the_last_page_has_no_next():
    page = pages_of(95, 80, 40)
    assert (page.first, page.last, page.previous, page.following) == (81, 95, 40, None)


def test_an_empty_table_has_no_neighbouring_pages():
    page = pages_of(0, 0, 40)
    assert (page.first, page.last, page.previous, page.following) == (0, 0, None, None)
