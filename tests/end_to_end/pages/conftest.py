"""Fixtures that several test files of this folder use."""

from collections.abc import Callable, Mapping, Sequence

import pytest
from django.test import Client
from playwright.sync_api import Page

from ingest.models import Campaign
from tests.end_to_end.signing_in import sign_in
from tests.factories import Law, make_member
from tests.measured import make_slower

Slower = Callable[[Sequence[str], Sequence[str], Callable[[int], Mapping[str, Law]]], Campaign]


@pytest.fixture
def slower(page: Page, client: Client, live_server: object) -> Slower:
    """Return a function that signs in a viewer and makes two versions, the second with slower kernels."""

    def make(
        parameters: Sequence[str], versions: Sequence[str], laws: Callable[[int], Mapping[str, Law]]
    ) -> Campaign:
        found = make_slower(parameters, versions, laws)
        sign_in(page, client, live_server, make_member(found.version.application.project))
        return found

    return make
