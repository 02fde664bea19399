"""A running portal for the tests that kill its servers or cut its connections."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.client import Client
from tests.launcher.portals import Portal, made_token


class Running(NamedTuple):
    """A running portal, its data folder, and a REST client whose token may read and upload."""

    portal: Portal
    data: Path
    client: Client


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Start one portal for all tests of the session.

    One portal is enough, because the launcher restarts servers that a test has killed. Starting a portal
    takes longer than most of the tests.
    """
    data = tmp_path_factory.mktemp("portal") / "data"
    with pytest.MonkeyPatch.context() as patch:
        # The webhook receivers of the tests run on this machine.
        patch.setenv("PERFWEB_WEBHOOKS_PRIVATE", "true")
        with Portal(data) as portal:
            yield Running(portal, data, Client(portal.address(), made_token(data)))
