"""A line break never separates a number from its unit."""

import pytest
from django.utils.safestring import SafeString

from perfweb.portal.text.markup import glued


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("95 %: 8 – 8.13 s", "95~%: 8 – 8.13~s"),
        ("at p = 8,192, n ≈ 2,400", "at p~=~8,192, n~≈~2,400"),
        ("3 seconds, 4 halos, 2 d", "3 seconds, 4 halos, 2~d"),
        ("12 – 17 % of 3.4 GB", "12 – 17~% of 3.4~GB"),
        ("from ± 19 % to ± 17 %", "from ±~19~% to ±~17~%"),
        ("a = b", "a = b"),
    ],
)
def test_no_line_breaks_between_a_number_and_its_unit(text, expected):
    assert glued(text) == expected.replace("~", "\N{NO-BREAK SPACE}")


def test_attributes_and_plain_text_stay_unchanged():
    html = SafeString('5 % <a title="x = 5 s" data-copy="p = 5">p = 5</a> is 5 s')
    assert glued(html) == ('5\xa0% <a title="x = 5 s" data-copy="p = 5">p\xa0=\xa05</a> is 5\xa0s')
    assert isinstance(glued(html), SafeString)
    assert not isinstance(glued("<b> 5 %"), SafeString)
