"""Fixtures for tests of the pages of one application."""

from copy import deepcopy

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


@pytest.fixture(scope="module")
def made_once(rows_of_module):
    """Make the story once for a file. Its other tests can make applications in other projects only."""
    return make_story()


@pytest.fixture
def story(client, made_once):
    """Return an application with three versions, and their campaigns; the client is a member."""
    member, application, campaigns = deepcopy(made_once)
    client.force_login(member)
    return application, campaigns
