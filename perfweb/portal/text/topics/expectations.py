"""Signs and words for expectations that hold or are broken."""

from django.utils.html import format_html
from django.utils.safestring import SafeString

from modeling.models import BROKEN, DOUBTFUL
from modeling.selectors.run.expected import Held

SIGNS = {"broken": "▲", "doubtful": "△", "holds": "●", "unknown": "?"}
CLASSES = {
    "broken": "verdict-law_worse", "doubtful": "verdict-slower", "holds": "verdict-same",
    "unknown": "verdict-unknown",
}  # fmt: skip


def state_of(probability: float | None) -> str:
    """Return the word for a probability."""
    if probability is None:
        return "unknown"
    return "broken" if probability < BROKEN else "doubtful" if probability < DOUBTFUL else "holds"


def expectation_sign(probability: float | None) -> SafeString:
    """Return the sign of one kernel's result, read out as a word."""
    return _signed(state_of(probability), state_of(probability), hidden=True)


def expectation_state(held: Held) -> SafeString:
    """Return a sentence on how many kernels meet the expectation."""
    return _signed(held.state, expectation_words(held), hidden=False)


def expectation_words(held: Held) -> str:
    """Return numbers of kernels: “broken by 2, holds for 3”."""
    groups = (
        ("broken by", held.broken),
        ("doubtful for", held.doubtful),
        ("holds for", held.holding),
        ("unknown for", held.unknown),
    )
    parts = [f"{words} {count:,}" for words, count in groups if count]
    return ", ".join(parts) or ("not compared yet" if held.waiting else "no kernel has such a name")


def _signed(state: str, words: str, *, hidden: bool) -> SafeString:
    return format_html(
        '<span class="verdict {}"><span class="verdict-sign" aria-hidden="true">{}</span>'
        '<span class="{}">{}</span></span>',
        CLASSES[state], SIGNS[state], "visually-hidden" if hidden else "", words,
    )  # fmt: skip
