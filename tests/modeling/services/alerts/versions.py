"""Stores versions whose kernels follow these laws, and does all work that follows, for tests of alerts."""

from ingest.models import Campaign, Version
from modeling.models import Comparison, State
from modeling.tasks import comparison_execute
from perfweb.accounts.models import Project
from tests.modeling.stored import Law, model, store

GOOD = {
    "main->halo": lambda p: 0.5,
    "main->sweep": lambda p: 2.0 + 0.01 * p,
    "main->io": lambda p: 1.0,
    "main->log": lambda p: 0.7,
}
WORSE_HALO = GOOD | {"main->halo": lambda p: 0.5 + 0.05 * p}
HALF_REPAIRED = GOOD | {"main->halo": lambda p: 0.5 + 0.02 * p}
FASTER_SWEEP = GOOD | {"main->sweep": lambda p: 1.0 + 0.005 * p}


def measured(project: Project, version: str, laws: dict[str, Law], branch: str = "") -> Campaign:
    """Store, model and compare a version, and do all further work that these steps request."""
    campaign = store(project, version, laws)
    Version.objects.filter(pk=campaign.version_id).update(branch=branch)
    model(campaign)
    compared()
    return campaign


def compared() -> None:
    """Do all comparisons that are waiting."""
    while waiting := Comparison.objects.filter(state=State.QUEUED).first():
        comparison_execute(waiting.pk)
