"""The run of a campaign, which each file stores with laws of its own."""

import pytest

from modeling.models import ModelRun
from modeling.tasks import run_execute


@pytest.fixture
def run(campaign):
    """The campaign's run after its first step: done if it is small, else planned into portions."""
    run = ModelRun.objects.get(campaign=campaign)
    run_execute(run.pk)
    run.refresh_from_db()
    return run
