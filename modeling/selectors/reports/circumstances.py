"""The parts of a report on its circumstances: alerts, noise and environment."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from django.db.models import Count, Q

from ingest.models import Campaign
from modeling.models import OPEN_ALERTS, Alert
from modeling.selectors.alerts.inbox import silenced
from modeling.selectors.reports import content
from modeling.selectors.reports.subject import Subject
from modeling.selectors.run.snapshot import Snapshot
from modeling.selectors.versions.comparison import described

SETTINGS = 60
"""Limit on the listed settings, changed ones first: about a page."""

LONGEST_SETTING = 200
"""Limit on the characters of a setting's value."""


def alerts_content(subject: Subject) -> content.Alerts:
    """Return the numbers of the version's alerts, and of earlier open ones, by state."""
    earlier = [standing.version_id for standing in subject.line[:-1]]
    here = Q(version=subject.version.version_id)
    rows = (
        Alert.objects.filter(here | Q(version__in=earlier, state__in=OPEN_ALERTS))
        .filter(silenced(yes=False), machine=subject.version.machine, improvement=False)
        .order_by()
        .values_list("version_id", "state")
        .annotate(count=Count("pk"))
    )
    found: content.Alerts = {"here": {}, "earlier": {}}
    for version, state, count in rows:
        part = found["here" if version == subject.version.version_id else "earlier"]
        part[state] = part.get(state, 0) + count
    return found


def noise_content(snapshot: Snapshot) -> content.NoiseContent:
    """Return the median of the kernels' noise levels, and the highest level with its kernel."""
    levels = np.array([np.nan if row.noise is None else row.noise for row in snapshot.rows])
    known = np.flatnonzero(np.isfinite(levels))
    if not known.size:
        return {"median": None, "highest": None, "noisiest": "", "repetitions": snapshot.campaign.repetitions}
    most = int(known[np.argmax(levels[known])])
    return {
        "median": float(np.median(levels[known])),
        "highest": float(levels[most]),
        "noisiest": snapshot.rows[most].name,
        "repetitions": snapshot.campaign.repetitions,
    }


def environment_content(campaign: Campaign, before: Campaign | None) -> list[content.Setting]:
    """Return the campaign's metadata. Entries that differ from the previous version come first."""
    now, then = described(campaign), described(before) if before else {}
    names = sorted(now.keys() | then.keys())
    settings = [_setting(name, now, then if before else now) for name in names]
    return sorted(settings, key=lambda setting: setting["value"] == setting["before"])[:SETTINGS]


def _setting(name: str, now: Mapping[str, Any], then: Mapping[str, Any]) -> content.Setting:
    return {"name": name, "value": _written(now.get(name)), "before": _written(then.get(name))}


def _written(value: object) -> str | None:
    return None if value is None else str(value)[:LONGEST_SETTING]
