"""Secrets never appear in the access log."""

from types import SimpleNamespace

import pytest
from django.urls import reverse
from gunicorn.config import Config

from perfweb.logs.access_log import AccessLog

SECRET = "s3cret-" + "x" * 36
PAGE = "/a/demo/particles/"


@pytest.mark.parametrize("name", ["shared-report", "feed-by-token", "badge-public"])
def test_secrets_of_addresses_are_not_logged(name):
    address = reverse(name, args=[SECRET])
    environ = {
        "REQUEST_METHOD": "GET", "RAW_URI": address, "PATH_INFO": address, "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_REFERER": f"https://perf.example.org{address}",
    }  # fmt: skip
    answer = SimpleNamespace(status="200 OK", sent=1, headers=[], response_length=1)
    request = SimpleNamespace(headers=[])
    spent = SimpleNamespace(seconds=0, microseconds=5)
    log = AccessLog(Config())
    line = log.cfg.access_log_format % log.atoms_wrapper_class(log.atoms(answer, request, environ, spent))
    assert SECRET not in line
    assert address.partition(SECRET)[0] in line


def test_other_addresses_are_logged_unchanged():
    environ = {"REQUEST_METHOD": "GET", "RAW_URI": PAGE, "PATH_INFO": PAGE, "SERVER_PROTOCOL": "HTTP/1.1"}
    answer = SimpleNamespace(status="200 OK", sent=1, headers=[], response_length=1)
    log = AccessLog(Config())
    atoms = log.atoms(
        answer, SimpleNamespace(headers=[]), environ, SimpleNamespace(seconds=0, microseconds=5)
    )
    assert atoms["U"] == PAGE
