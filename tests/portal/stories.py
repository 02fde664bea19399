"""A small application whose third version breaks the scaling of one kernel, for tests of pages."""

import re

from modeling.models import Change
from perfweb.accounts.models import Role
from tests.factories import (
    Law,
    make_application,
    make_campaign,
    make_change,
    make_comparison,
    make_member,
    make_project,
    make_run,
)

GOOD_HALO: Law = (0.03, [(0.012, (1 / 3, 0, 0, 0))])
BAD_HALO: Law = (0.021, [(2.2e-3, (2 / 3, 1, 0, 0))])


def laws(halo: Law = GOOD_HALO, more: int = 0) -> dict[str, Law]:
    """Return the laws of one version. `more` is the number of additional kernels that grow with n."""
    return {
        "main->sweep": (1.9, [(1e-3, (0, 0, 1, 0))]),
        "main->halo": halo,
        "main->setup": (0.02, []),
        **{f"main->step_{number:04d}": (0.01, [(1e-6, (0, 0, 1, 0))]) for number in range(more)},
    }


def make_story(role: Role = Role.VIEWER, versions: int = 3, more: int = 0, project: str = "storm"):
    """Make a project with a member and the application hydro with versions 1.0, 1.1, …

    In the last version the kernel halo has another law.
    """
    made = make_project(project)
    member = make_member(made, role)
    application = make_application(made)
    campaigns = []
    for number in range(versions):
        last = number == versions - 1
        campaign = make_campaign(application, f"1.{number}")
        make_run(campaign, laws(BAD_HALO if last else GOOD_HALO, more))
        if campaigns:
            comparison = make_comparison(campaigns[-1], campaign)
            if last:
                make_change(comparison, "main->halo", Change.Kind.LAW, 115.0)
        campaigns.append(campaign)
    return member, application, campaigns


def text(answer):
    """Return the visible text of a page, without tags and repeated spaces."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode())).replace(" ,", ",")
