"""Find the campaigns that show how kernels differ without a change of code (drift)."""

from ingest.models import Campaign
from ingest.selectors import campaigns_current
from modeling.models import Comparison
from modeling.selectors.versions.baselines import baselines

VERSIONS = 6
"""Limit on the versions before the later one, because the load of a machine changes over the years."""

CAMPAIGNS = 8
"""Limit on the campaigns, the latest ones."""


def drift_campaigns(comparison: Comparison) -> list[Campaign]:
    """Return campaigns of the compared versions and of up to `VERSIONS` earlier ones, oldest first.

    They are on the same machine. The result is empty if there are only the two compared campaigns.
    """
    before, after = comparison.before, comparison.after
    if before.machine_id != after.machine_id:
        return []
    application = comparison.application
    line = campaigns_current(application, after.machine)
    known = baselines(application, line)
    place = next((each for each in line if each.version_id == after.version_id), None)
    versions = {before.version_id, after.version_id}
    for _ in range(VERSIONS):
        place = place and known.get(place.pk)
        if place:
            versions.add(place.version_id)
    rows = Campaign.objects.filter(version__in=versions, machine=after.machine, parameters=after.parameters)
    earlier = rows.exclude(pk__in=[before.pk, after.pk]).select_related("version")
    found = [*sorted([*earlier, before], key=lambda each: (each.version.position, each.pk)), after]
    return found[-CAMPAIGNS:] if len(found) > 2 else []


def drift_versions(comparison: Comparison) -> list[str]:
    """Return the labels of the versions from which a finished comparison learned drift, oldest first."""
    known = comparison.finished_at
    campaigns = [each for each in drift_campaigns(comparison) if known and each.created_at <= known]
    labels = dict.fromkeys(each.version.label for each in campaigns)
    return list(labels) if len(campaigns) > 2 else []
