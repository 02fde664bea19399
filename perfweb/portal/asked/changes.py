"""The filters of the inbox, all of which are in the address."""

import re

from django.http import Http404, HttpRequest, QueryDict

from ingest.models import Application
from modeling.models import Alert
from modeling.selectors.alerts.inbox import ALL, BY_EFFECT, OPEN, Wanted
from perfweb.portal.asked.navigation import projects_of_reader

LONGEST = 200
"""Limit on the characters of a filter. Paths may be longer, but nobody types so many."""


def wanted_read(asked: QueryDict) -> Wanted:
    """Parse the filters of an address; an unknown state selects the open changes."""
    state = asked.get("state", "")
    return Wanted(
        state=state if state in (*Alert.State.values, ALL) else OPEN,
        improvements=asked.get("kind") == "improvements",
        silenced=asked.get("silenced") == "1",
        overdue=asked.get("overdue") == "1",
        sort=BY_EFFECT if asked.get("sort") == BY_EFFECT else "",
        **{
            name: asked.get(name, "")[:LONGEST]
            for name in ("machine", "metric", "version", "kernel", "assignee")
        },
    )


SEEN = re.compile(r"([0-9]{1,18}):([0-9]{1,18})", re.ASCII)


def seen_read(texts: list[str]) -> dict[int, int]:
    """Parse texts such as 12:345: an alert's id, and the id of its latest event that the page showed."""
    found = (SEEN.fullmatch(text) for text in texts)
    return {int(match[1]): int(match[2]) for match in found if match}


def application_of_reader(request: HttpRequest, project: str, application: str) -> Application:
    """Return the application at /a/<project>/<application>/; raise Http404 if the reader may see none."""
    rows = Application.objects.in_projects(projects_of_reader(request)).select_related("project")
    found = rows.filter(project__slug=project, slug=application).first()
    if found is None:
        raise Http404("No such application, or you are not a member of its project.")
    return found
