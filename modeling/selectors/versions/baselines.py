"""Find each version's baseline: the newest earlier version of its branch, or else of the main branch."""

from collections.abc import Sequence

from ingest.models import Application, Campaign
from modeling.models import ReleaseRules

MAIN_NAMES = ("main", "master", "trunk")
"""Usual names of the main branch."""


def baseline_places(branches: Sequence[str], main: str = "") -> list[int | None]:
    """Return the index of each version's baseline. The versions are ordered from the oldest.

    Versions without a branch belong to the main branch, which is `main` or the first of `MAIN_NAMES`. A
    version without an earlier one in either branch is compared with the version before.
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
    """Return the baselines of one machine's campaigns, by the id of the later campaign."""
    rules = ReleaseRules.objects.filter(application=application).values_list("main_branch", flat=True)
    places = baseline_places([campaign.version.branch for campaign in line], rules.first() or "")
    pairs = zip(line, places, strict=True)
    return {campaign.pk: line[place] for campaign, place in pairs if place is not None}


def ancestors(application: Application, line: Sequence[Campaign]) -> dict[int, set[int]]:
    """Return the ids of each version's ancestors: its baseline, the baseline's baseline, and so on."""
    known = baselines(application, line)
    found: dict[int, set[int]] = {}
    for campaign in line:
        before = known.get(campaign.pk)
        version = campaign.version_id
        found[version] = found[before.version_id] | {before.version_id} if before else set()
    return found
