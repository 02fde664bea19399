"""Addresses of the help's chapters, and links between their texts."""

import re

from django.urls import reverse
from django.utils.safestring import SafeString

from perfweb.portal.text.glossary import WORD
from perfweb.portal.text.markup import glued

_LINK = re.compile(r'href="(?P<page>(?:/help/)?)#(?P<anchor>[\w-]+)"')
"""Matches a link to a chapter of the same page, or to an anchor of the first page of the help."""

_HEADING = re.compile(r"(?P<tag></?h)3(?=[ >])")
"""Matches the tags of headings within a chapter."""

_COPIED = re.compile(r"(<code.*?</code>|<pre.*?</pre>)", re.DOTALL)
"""Matches texts that readers copy, in which every space must stay as it is."""


def address_of(anchor: str) -> str:
    """Return the address of a chapter, or of a word in the glossary."""
    if anchor.startswith(WORD):
        return f"{reverse('help-chapter', args=['glossary'])}#{anchor}"
    return reverse("help-chapter", args=[anchor])


def chapter_text(html: str, alone: bool = False) -> SafeString:
    """Return the rendered text of a chapter, whose links to `/help/#anchor` lead to that chapter's page.

    If the chapter is `alone` on its page, headings are one level higher, and links to `#anchor` of other
    chapters lead to their pages. Numbers stay on one line with their units.
    """

    def address(link: re.Match[str]) -> str:
        here = f'id="{link["anchor"]}"' in html
        leads_away = link["page"] or (alone and not here)
        return f'href="{address_of(link["anchor"])}"' if leads_away else link[0]

    text = "".join(
        part if at % 2 else glued(part) for at, part in enumerate(_COPIED.split(_LINK.sub(address, html)))
    )
    return SafeString(_HEADING.sub(r"\g<tag>2", text) if alone else text)
