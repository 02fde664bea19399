"""Draws the sources of noise, such as jobs, nodes and days, as bars."""

from collections.abc import Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from modeling.engine import NoiseSource
from perfweb.portal.text.topics.plans import noise_sentence

LEFT, WIDTH, RIGHT, HEIGHT, ROW = 92, 180, 50, 14, 24
"""Sizes of the bars with their labels; together they fit on a phone."""


def noise_bars(sources: Sequence[NoiseSource]) -> SafeString:
    """Return a bar for each part of the noise, as long as its standard deviation; empty without parts."""
    if not sources:
        return SafeString("")
    longest = max(*(source.deviation for source in sources), 1e-9)
    rows = format_html_join(
        "",
        '<text class="plan-value" x="{}" y="{}" text-anchor="end">{}</text>'
        '<rect class="plan-then" x="{}" y="{}" width="{}" height="{}" rx="3"/>'
        '<text class="plan-value" x="{}" y="{}">{}</text>',
        (
            (
                LEFT - 8, ROW * number + HEIGHT - 3, f"{source.kind}s",
                LEFT, ROW * number, length := round(max(WIDTH * source.deviation / longest, 1.0), 1), HEIGHT,
                LEFT + length + 6, ROW * number + HEIGHT - 3, f"{100 * source.deviation:.2g} %",
            )
            for number, source in enumerate(sources)
        ),
    )  # fmt: skip
    return format_html(
        '<svg class="plan-bars" role="img" aria-label="{0}" viewBox="0 -2 {1} {2}" width="{1}" height="{2}">'
        "<title>{0}</title>{3}</svg>",
        noise_sentence(sources), LEFT + WIDTH + RIGHT, ROW * len(sources) + 2, rows,
    )  # fmt: skip
