"""Fixtures for tests of the pages of one application."""

import pytest

from perfweb.accounts.models import Role
from tests.factories import make_application, make_member, make_project
from tests.portal.stories import make_story


@pytest.fixture
def application(client):
    """Return an application without measurements, of which the client is a maintainer."""
    application = make_application(make_project("storm"))
    client.force_login(make_member(application.project, Role.MAINTAINER))
    return application


@pytest.fixture
def story(client):
    """Return an application with three versions, and their campaigns; the client is a member."""
    member, application, campaigns = make_story()
    client.force_login(member)
    return application, campaigns
