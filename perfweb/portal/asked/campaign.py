"""The campaign that a page is about."""

from django.http import Http404, HttpRequest

from ingest.models import Campaign
from modeling.models import ModelRun
from modeling.selectors.run.campaign import campaign_get
from perfweb.portal.asked.focus import Focus
from perfweb.portal.asked.navigation import projects_of_reader


def campaign_or_404(
    request: HttpRequest, campaign_id: int, *, with_origins: bool = False
) -> tuple[Campaign, ModelRun | None]:
    """Return the campaign with its run, if the reader may see it."""
    projects = projects_of_reader(request)
    found = campaign_get(projects, campaign_id, with_origins=with_origins)
    if found is None:
        raise Http404("No such campaign, or you are not a member of its project.")
    return found


def target_to_evaluate(focus: Focus, run: ModelRun | None) -> list[float] | None:
    """Return the target's coordinates; None if its predictions are stored, or if it lacks a parameter."""
    if run is None or focus.target is None or dict(focus.target.values) == run.target:
        return None
    return focus.target.point(run.campaign.parameters)
