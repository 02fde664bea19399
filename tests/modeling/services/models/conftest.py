"""A fixture with the run of a campaign. Each test file stores the campaign with laws of its own."""

import pytest

from tests.modeling.stored import model


@pytest.fixture
def run(campaign):
    """Return the campaign's run after its first step.

    A small run is then done, and a large one is planned into portions.
    """
    return model(campaign)
