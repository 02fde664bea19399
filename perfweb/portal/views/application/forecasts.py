"""Answers the question: how accurate were earlier forecasts?"""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from modeling.engine import FEWEST_SCORES
from modeling.selectors.ledger.calibration import ledger_load
from perfweb.portal.asked.focus import focus_read
from perfweb.portal.charts.calibration import calibration_figure, widening_words

SHOWN = 50
"""Limit on the scored predictions that are listed, the latest first."""


@login_required
@require_safe
def forecasts(request: HttpRequest, project: str, application: str) -> HttpResponse:
    """Show the ledger in one metric on one machine: all forecasts, their groups by distance, and each one."""
    focus = focus_read(request, project, application)
    context: dict[str, object] = {"focus": focus, "needed": FEWEST_SCORES}
    if focus.metric and focus.machine:
        found = ledger_load(focus.metric, focus.machine)
        context |= {
            "ledger": found,
            "scored": found.scored[:SHOWN],
            "widening": widening_words(found.all),
            "figure": calibration_figure(found.groups) if found.groups else None,
        }
    return render(request, "forecasts/forecasts.html", context)
