"""A fixture with the run of a campaign. Each test file stores the campaign with laws of its own."""

import pytest

from modeling.models import ModelRun
from modeling.tasks import run_execute


@pytest.fixture
def run(campaign):
    """Return the campaign's run after its first step.

    A small run is then done, and a large one is planned into portions.
    """
    run = ModelRun.objects.get(campaign=campaign)
    run_execute(run.pk)
    run.refresh_from_db()
    return run
