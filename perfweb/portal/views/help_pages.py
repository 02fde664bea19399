"""How the numbers are made, and how good they are."""

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ingest.formats import FORMATS
from ingest.options import KNOWN
from modeling.verdicts import Verdict
from perfweb.portal.accuracy import accuracy_load
from perfweb.portal.charts.accuracy import WORDS, error_figure, near_figure
from perfweb.portal.charts.mathematics import families_figure, rivals_figure, shared_figure
from perfweb.portal.tables.accuracy import (
    FAMILY_MODELERS,
    coverage_body,
    coverage_sentence,
    families_body,
    means_body,
    published_body,
)
from perfweb.portal.text.noise_families import KINDS

Chapters = Sequence[tuple[str, str]]
"""Anchors, which are also names of templates, and titles."""

CHAPTERS: Chapters = (
    ("laws", "Laws"),
    ("evidence", "How a law is found: evidence"),
    ("segments", "When the behaviour changes inside the measured range"),
    ("deviations", "Formula and prediction: a law, and deviations around it"),
    ("dependencies", "What functions depend on"),
    ("noise", "Noise"),
    ("intervals", "Intervals"),
    ("trust", "How far to trust a prediction"),
    ("errors", "Errors"),
    ("stability", "Stability"),
    ("regression", "Other modelers: regression and refinement"),
    ("targets", "Targets"),
    ("efficiency", "Totals, shares and efficiency"),
    ("verdicts", "Verdicts"),
    ("metrics", "Metrics: unit, and what is better"),
    ("formats", "What can be uploaded"),
    ("points", "Files that do not say where they belong"),
    ("rounds", "Rounds are no repetitions"),
    ("upload", "Uploading from a job script"),
    ("files", "Downloading values and models"),
    ("roles", "Roles and tokens"),
    ("keys", "Keys"),
)
MATHEMATICS: Chapters = (
    ("laws", "Laws and hypotheses"),
    ("evidence", "Evidence"),
    ("many", "Many parameters"),
    ("noise", "Families of noise"),
    ("deviations", "Deviations around a law"),
    ("intervals", "What intervals mean"),
    ("segments", "Segments"),
    ("stability", "Leaving points out"),
    ("regression", "Regression"),
    ("refinement", "Refinement"),
)
ACCURACY: Chapters = (
    ("protocol", "What was measured"),
    ("errors", "Predictions beyond the data"),
    ("published", "Beside published figures"),
    ("exponents", "Lead exponents"),
    ("intervals", "Intervals"),
    ("families", "Other kinds of noise"),
)
VERDICTS = (
    (Verdict.LAW_WORSE, "another law, which is worse at the target: the kernel scales worse than before"),
    (Verdict.WORSE, "the same law, worse by about the same factor everywhere"),
    (Verdict.BETTER, "the same law, better by about the same factor everywhere"),
    (Verdict.LAW_BETTER, "another law, which is better at the target"),
    (Verdict.SAME, "no difference beyond noise and ordinary drift"),
    (Verdict.UNKNOWN, "too few common points, or too much noise, to tell; or comparing this metric failed"),
)


@require_safe
def help_pages(request: HttpRequest) -> HttpResponse:
    """One page with an anchor per subject; open to everybody, as a shared link may lead here first."""
    context = {
        "part": "help",
        "heading": "How the numbers are made",
        "chapters": _chapters("help", CHAPTERS),
        "verdicts": VERDICTS,
        "noise_kinds": KINDS.values(),
        "options": [(FORMATS[name].TITLE, known) for name, known in KNOWN.items()],
        "host": request.build_absolute_uri("/").rstrip("/"),
    }
    return render(request, "help/help.html", context)


@require_safe
def help_mathematics(request: HttpRequest) -> HttpResponse:
    """The formulas behind the numbers, with figures of what they do."""
    context = {
        "part": "mathematics",
        "heading": "The mathematics",
        "chapters": _chapters("help/mathematics", MATHEMATICS),
        "rivals": rivals_figure(),
        "families": families_figure(),
        "shared": shared_figure(),
    }
    return render(request, "help/mathematics.html", context)


@require_safe
def help_accuracy(request: HttpRequest) -> HttpResponse:
    """How near predictions come to known laws, ours beside others'."""
    found = accuracy_load()
    counts = [f"{count:,} functions of {WORDS[m]}" for m, count in found.functions.items()]
    context = {
        "part": "accuracy",
        "heading": "How accurate it is",
        "chapters": _chapters("help/accuracy", ACCURACY),
        "found": found,
        "counts": f"{', '.join(counts[:-1])} and {counts[-1]}",
        "errors": [error_figure(found, m) for m in found.functions],
        "near": [near_figure(found, m) for m in found.functions],
        "modelers": list(FAMILY_MODELERS.values()) * len(found.functions),
        "words": [WORDS[m] for m in found.functions],
        "means": means_body(found),
        "families": families_body(found),
        "coverage": coverage_body(found),
        "coverage_sentence": coverage_sentence(found),
        "published": published_body(found),
    }
    return render(request, "help/accuracy.html", context)


def _chapters(folder: str, chapters: Chapters) -> list[tuple[str, str, str]]:
    """Anchor, title and template."""
    return [(anchor, title, f"{folder}/{anchor}.html") for anchor, title in chapters]
