"""Fixtures of the portal's tests."""

import pytest
from django.test import Client

from ingest.models import Application
from tests.factories import make_application, make_member


@pytest.fixture
def application() -> Application:
    """Make an application without campaigns."""
    return make_application()


@pytest.fixture
def member(client: Client, application: Application) -> Client:
    """Sign in a member of the application's project."""
    client.force_login(make_member(application.project))
    return client
