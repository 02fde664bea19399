"""How the numbers are made."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from modeling.verdicts import Verdict
from perfweb.portal.views.kernel_noise import KINDS

CHAPTERS = (
    ("laws", "Laws"),
    ("evidence", "How a law is found: evidence"),
    ("noise", "Noise"),
    ("intervals", "Intervals, and how far to trust them"),
    ("errors", "Errors"),
    ("stability", "Stability"),
    ("regression", "Other modelers: regression and refinement"),
    ("efficiency", "Totals, shares and efficiency"),
    ("verdicts", "Verdicts"),
    ("formats", "What can be uploaded"),
    ("upload", "Uploading from a job script"),
    ("roles", "Roles and tokens"),
    ("keys", "Keys"),
)
VERDICTS = (
    (Verdict.LAW_WORSE, "another law, which costs more at the target: the kernel scales worse than before"),
    (Verdict.SLOWER, "the same law with a larger constant: slower by about the same factor everywhere"),
    (Verdict.FASTER, "the same law with a smaller constant"),
    (Verdict.LAW_BETTER, "another law, which costs less at the target"),
    (Verdict.SAME, "no difference beyond noise and ordinary drift"),
    (Verdict.UNKNOWN, "too few common points, or too much noise, to tell"),
)


@require_safe
def help_pages(request: HttpRequest) -> HttpResponse:
    """One page with an anchor per subject; open to everybody, as a shared link may lead here first."""
    chapters = [(anchor, title, f"help/{anchor}.html") for anchor, title in CHAPTERS]
    host = request.build_absolute_uri("/").rstrip("/")
    context = {"chapters": chapters, "verdicts": VERDICTS, "noise_kinds": KINDS.values(), "host": host}
    return render(request, "help/help.html", context)
