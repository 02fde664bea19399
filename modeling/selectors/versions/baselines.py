"""Find the baseline of each version: the newest earlier version of its branch or, if there is none, of the
main branch.
"""

from collections.abc import Sequence

from ingest.models import Application, Campaign
from modeling.models import ReleaseRules

MAIN_NAMES = ("main", "master", "trunk")
"""Names that a main branch usually has in git and Subversion, for applications whose maintainers gave no
name.
"""


def baseline_places(branches: Sequence[str], main: str = "") -> list[int | None]:
    """Return, for each version in a line (oldest first), the index of the version it is compared with.

    Versions that name no branch belong to the main branch. If neither the version's own branch nor the main
    branch has an earlier version, the result is the newest earlier version of any branch. It is None if there
    is no earlier version.

    Args:
        branches: the branch of each version.
        main: the name of the main branch; empty: the first of `MAIN_NAMES` that exists.
    """
    known = set(branches)
    main = main or next((name for name in MAIN_NAMES if name in known), "")
    latest: dict[str, int] = {}
    found: list[int | None] = []
    for place, name in enumerate(branches):
        branch = "" if name == main else name
        newest = place - 1 if place else None
        found.append(latest.get(branch, latest.get("", newest)))
        latest[branch] = place
    return found


def baselines(application: Application, line: Sequence[Campaign]) -> dict[int, Campaign]:
    """Return the baseline of each campaign of a machine's line, by the later campaign's id.

    `line` is that of `ingest.selectors.campaigns_current`. The first campaign has none.
    """
    rules = ReleaseRules.objects.filter(application=application).values_list("main_branch", flat=True)
    places = baseline_places([campaign.version.branch for campaign in line], rules.first() or "")
    pairs = zip(line, places, strict=True)
    return {campaign.pk: line[place] for campaign, place in pairs if place is not None}


def ancestors(application: Application, line: Sequence[Campaign]) -> dict[int, set[int]]:
    """Return, for each version of a machine's line, the versions that lead to it, by ids. The version itself
    is not included.
    """
    known = baselines(application, line)
    found: dict[int, set[int]] = {}
    for campaign in line:
        before = known.get(campaign.pk)
        version = campaign.version_id
        found[version] = found[before.version_id] | {before.version_id} if before else set()
    return found
