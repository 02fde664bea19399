"""Shows the numbers known of a campaign's runs, and lets users choose parameters among these."""

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from ingest.models import Campaign
from ingest.services import campaign_numbers, parameters_choose
from perfweb.accounts.models import Role
from perfweb.accounts.permissions import role_require
from perfweb.accounts.reader import reader
from perfweb.portal.asked.campaign import campaign_or_404
from perfweb.portal.asked.navigation import role_in

SHOWN_VALUES = 6
"""Limit on the values of a number that are listed."""


@dataclass(frozen=True)
class RunNumber:
    """A number that is known of each run."""

    name: str
    values: list[float]
    chosen: bool

    @property
    def count(self) -> int:
        """Return the number of different values."""
        return len(self.values)

    @property
    def shown(self) -> list[float]:
        """Return the first values, those that the page lists."""
        return self.values[:SHOWN_VALUES]


@login_required
@require_http_methods(["GET", "POST"])
def run_parameters(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Show the known numbers of the runs; a POST chooses parameters, and files are read again."""
    found, _ = campaign_or_404(request, campaign_id)
    application = found.version.application
    error = ""
    if request.method == "POST":
        role_require(request.user, application.project, Role.CONTRIBUTOR)
        try:
            parameters_choose(
                campaign=found, parameters=request.POST.getlist("parameter"), user=reader(request)
            )
        except ValidationError as refused:
            error = " ".join(refused.messages)
        else:
            messages.success(request, "The files are being read again; the models follow by themselves.")
            return redirect("campaign", found.pk)
    numbers = _numbers(found)
    context = {
        "campaign": found,
        "application": application,
        "varying": [number for number in numbers if number.chosen or number.count > 1],
        "constant": [number for number in numbers if not number.chosen and number.count == 1],
        "may_choose": role_in(request, application.project_id) >= Role.CONTRIBUTOR,
        "error": error,
    }
    return render(request, "campaign/parameters.html", context, status=422 if error else 200)


def _numbers(campaign: Campaign) -> list[RunNumber]:
    """Return the parameters first, then the numbers that vary most."""
    known = campaign_numbers(campaign)
    numbers = [RunNumber(name, values, name in campaign.parameters) for name, values in known.items()]
    return sorted(numbers, key=lambda number: (not number.chosen, -number.count, number.name))
