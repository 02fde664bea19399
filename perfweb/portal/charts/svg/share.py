"""Draws shares and probabilities as bars."""

from django.utils.html import format_html
from django.utils.safestring import SafeString

WIDTH = 36
LARGE = 0.25
"""Bars of at least this share have another colour."""


def share_bar(share: float | None, *, overlaps: bool = False) -> SafeString:
    """Return a bar as long as the share; screen readers ignore it, so the number must stand next to it.

    A share that `overlaps` other kernels' shares is an outline, so that bars do not seem to add up.
    """
    filled = min(max(share or 0.0, 0.0), 1.0)
    return format_html(
        '<svg class="share-bar" aria-hidden="true" width="{0}" height="8" viewBox="0 0 {0} 8">'
        '<rect class="share-track" width="{0}" height="8" rx="2"/>'
        '<rect class="share-fill{1}{3}" width="{2}" height="8" rx="2"/></svg>',
        WIDTH, " most" if filled >= LARGE else "", f"{filled * WIDTH:.1f}", " overlaps" if overlaps else "",
    )  # fmt: skip


def probability_bar(probability: float) -> SafeString:
    """Return a bar as wide as the element that contains it; the number must be written next to it."""
    filled = min(max(probability, 0.0), 1.0)
    return format_html(
        '<svg class="probability-bar" aria-hidden="true" width="100%" height="5" viewBox="0 0 100 5" '
        'preserveAspectRatio="none"><rect class="share-track" width="100" height="5"/>'
        '<rect class="probability-fill" width="{}" height="5"/></svg>',
        f"{100 * filled:.1f}",
    )
