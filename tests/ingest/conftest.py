"""Fixtures for tests of uploads."""

import pytest
from celery import current_app


@pytest.fixture
def sent_tasks(monkeypatch):
    """Return the list of the messages that would have been sent to the broker."""
    messages = []
    monkeypatch.setattr(current_app, "send_task", lambda task, args, **_: messages.append((task, args)))
    return messages
