"""The help: how the numbers are made, and how accurate they are."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ingest.fields.options import KNOWN_OPTIONS
from ingest.formats import FORMATS
from perfweb.portal.asked.links import portal_address
from perfweb.portal.help.accuracy import ADAPTIVE_FILE, REAL_FILE, accuracy_load
from perfweb.portal.help.accuracy_figures import WORDS, error_figure, near_figure
from perfweb.portal.help.accuracy_tables import (
    FAMILY_MODELERS,
    coverage_body,
    coverage_sentence,
    families_body,
    means_body,
    published_body,
)
from perfweb.portal.help.chapters import ACCURACY, MATHEMATICS, Chapters, contents
from perfweb.portal.help.mathematics_figures import families_figure, rivals_figure, shared_figure
from perfweb.portal.help.modelers_table import (
    MODELERS,
    crossings_words,
    gains,
    leading,
    modelers_body,
    noise_off,
    seconds_body,
)
from perfweb.portal.help.operations import groups
from perfweb.portal.help.real_table import MODELERS as REAL_MODELERS
from perfweb.portal.help.real_table import network_sets, real_body
from perfweb.portal.help.short import short
from perfweb.portal.help.table_rows import figures_load
from perfweb.portal.text.glossary import GLOSSARY, WORD
from perfweb.portal.text.topics.noise_families import KINDS
from perfweb.portal.text.wording import VERDICTS, listed


@require_safe
def help_contents(request: HttpRequest) -> HttpResponse:
    """Show all chapters by group, to everybody; a script redirects old links with an anchor."""
    return render(request, "help/help.html", {"part": "help", "heading": "Help", "groups": contents()})


@require_safe
def help_chapter(request: HttpRequest, chapter: str) -> HttpResponse:
    """Show one chapter of the help with links to its neighbours."""
    groups = contents()
    chapters = [each for group in groups for each in group.chapters]
    at = next((place for place, each in enumerate(chapters) if each.anchor == chapter), None)
    if at is None:
        raise Http404("The help has no such chapter.")
    context = {
        **_chapter_context(request),
        "chapter": chapters[at],
        "groups": groups,
        "previous": chapters[at - 1] if at else None,
        "following": chapters[at + 1] if at + 1 < len(chapters) else None,
    }
    return render(request, "help/chapter.html", context)


@require_safe
def help_all(request: HttpRequest) -> HttpResponse:
    """Show all chapters on one page, to search in and to print."""
    chapters = [each for group in contents() for each in group.chapters]
    context = {
        **_chapter_context(request),
        "part": "help",
        "heading": "All of the help",
        "chapters": [(each.anchor, each.title, each.template) for each in chapters],
    }
    return render(request, "help/all.html", context)


def _chapter_context(request: HttpRequest) -> dict[str, object]:
    return {
        "verdicts": VERDICTS.items(),
        "noise_kinds": KINDS.values(),
        "options": [(FORMATS[name].TITLE, known) for name, known in KNOWN_OPTIONS.items()],
        "host": portal_address(request),
        "glossary": sorted(GLOSSARY.items(), key=lambda entry: entry[1].word.lower()),
    }


@require_safe
def help_short(request: HttpRequest) -> HttpResponse:
    """Answer with the short explanation of the anchor in ?of=, which pages show next to the term."""
    found = short(request.GET.get("of", ""))
    if found is None:
        raise Http404("The help explains this in its chapter only.")
    return render(request, "help/short.html", {"short": found, "word": found.anchor.startswith(WORD)})


@require_safe
def help_mathematics(request: HttpRequest) -> HttpResponse:
    """Show the formulas behind the numbers, with figures of their effects."""
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
    """Show how close the predictions of our and other tools come to known laws."""
    found = accuracy_load()
    side_by_side, measured = figures_load(ADAPTIVE_FILE), figures_load(REAL_FILE)
    counts = [f"{count:,} functions of {WORDS[m]}" for m, count in found.functions.items()]
    context = {
        "part": "accuracy",
        "heading": "How accurate it is",
        "chapters": _chapters("help/accuracy", ACCURACY),
        "found": found,
        "counts": listed(counts),
        "errors": [error_figure(found, m) for m in found.functions],
        "near": [near_figure(found, m) for m in found.functions],
        "modelers": list(FAMILY_MODELERS.values()) * len(found.functions),
        "words": [WORDS[m] for m in found.functions],
        "means": means_body(found),
        "families": families_body(found),
        "coverage": coverage_body(found),
        "coverage_sentence": coverage_sentence(found),
        "published": published_body(found),
        "side_modelers": MODELERS,
        "side_rows": modelers_body(side_by_side),
        "side_seconds": seconds_body(side_by_side),
        "side_noise": noise_off(side_by_side),
        "side_gains": gains(side_by_side),
        "side_crossings": crossings_words(side_by_side),
        "side_leading": leading(side_by_side, 2, "leading", 10),
        "side_leading_half": leading(side_by_side, 3, "leading_half", 100),
        "real_modelers": REAL_MODELERS,
        "real_rows": real_body(measured),
        "real_network": network_sets(measured),
    }
    return render(request, "help/accuracy.html", context)


@require_safe
def rest(request: HttpRequest) -> HttpResponse:
    """Show all operations with their inputs and answers, to everybody."""
    host = portal_address(request)
    return render(request, "help/rest.html", {"groups": groups(), "host": host})


def _chapters(folder: str, chapters: Chapters) -> list[tuple[str, str, str]]:
    return [(anchor, title, f"{folder}/{anchor}.html") for anchor, title in chapters]
