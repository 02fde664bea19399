"""A badge with two words, as projects show them in their READMEs."""

from django.utils.html import format_html
from django.utils.safestring import SafeString

LETTER = 6.6
"""Mean width of a character in pixels, of 11 px Verdana or DejaVu Sans."""

PADDING = 6
LONGEST = 32
"""Limit on the characters of a label on a badge."""

NAME = "performance"
COLOURS = {"passed": "#1f7a3a", "failed": "#b3261e", "undecided": "#5f6368"}
"""Colours with a contrast above 4.5 to white."""


def badge_svg(state: str, version: str = "") -> SafeString:
    """Return an SVG image with a verdict: only shapes and text, no script, no style and no link."""
    label = version if len(version) <= LONGEST else f"{version[: LONGEST - 1]}…"
    words = f"{label} {state}".strip()
    left, right = (round(len(text) * LETTER) + 2 * PADDING for text in (NAME, words))
    return format_html(
        '<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="20" role="img" aria-label="{5}: {6}">'
        '<title>{5}: {6}</title><rect width="{0}" height="20" rx="3" fill="#3c4043"/>'
        '<path d="M{1} 0h{2}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{2}z" fill="{4}"/>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        '<text x="{3}" y="14">{5}</text><text x="{7}" y="14">{6}</text></g></svg>',
        left + right, left, right - 3, left / 2, COLOURS.get(state, COLOURS["undecided"]), NAME, words,
        left + right / 2,
    )  # fmt: skip
