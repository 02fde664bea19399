"""A portal in processes of its own, for the tests that kill its servers or cut its connections."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.client import Client
from tests.launcher.portals import Portal, made_token


class Running(NamedTuple):
    """A portal, its data folder, and a program that may read and upload."""

    portal: Portal
    data: Path
    client: Client


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One portal for all tests, because starting it takes longer than most of them, and because servers that
    die are started again."""
    data = tmp_path_factory.mktemp("portal") / "data"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PERFWEB_WEBHOOKS_PRIVATE", "true")  # the tests' receivers are on this machine
        with Portal(data) as portal:
            yield Running(portal, data, Client(portal.address(), made_token(data)))
