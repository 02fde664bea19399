"""Requests to addresses that users enter must not reach the portal's own network."""

import socket
from urllib.parse import urlsplit

import pytest

from perfweb.notices.addresses import RefusedError, address_of, is_public, post
from tests.notices.servers import receiver

PRIVATE = [
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
    "224.0.0.1", "240.0.0.1", "255.255.255.255", "::1", "::", "fe80::1%eth0", "fc00::1", "fec0::1", "ff02::1",
    "::ffff:127.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::1", "2002:7f00:1::", "2001:db8::1",
]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_recognised(address):
    assert not is_public(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "2606:4700:4700::1111", "64:ff9b::101:101"])
def test_public_addresses_are_recognised(address):
    assert is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/", "http://localhost:8000/", "http://[::1]/", "http://2130706433/", "http://0x7f.1/",
        "http://[::ffff:10.0.0.1]/", "ftp://example.org/", "http:///x", "http://u:p@1.1.1.1/",
        "http://1.1.1.1:99999/", "http://no-such-name.invalid/",
    ],
)  # fmt: skip
def test_invalid_addresses_are_refused(url):
    with pytest.raises(RefusedError):
        address_of(urlsplit(url))


def resolving(monkeypatch, *addresses):
    def found(host, port, *_, **__):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr("socket.getaddrinfo", found)


def test_a_name_with_one_private_address_is_refused(monkeypatch):
    resolving(monkeypatch, "1.1.1.1", "10.0.0.1")
    with pytest.raises(RefusedError):
        address_of(urlsplit("http://both.example/"))


def test_the_connection_goes_to_the_checked_address(monkeypatch, settings):
    settings.WEBHOOKS_PRIVATE = True
    with receiver() as known:
        resolving(monkeypatch, "127.0.0.1")
        assert post(f"http://chat.example:{known.port}/x", b"{}", {}) == 204
        [(headers, _)] = known.requests
        assert headers["Host"] == f"chat.example:{known.port}"


def test_redirects_are_not_followed(settings):
    settings.WEBHOOKS_PRIVATE = True
    with receiver() as known:
        known.statuses = [302]
        assert post(known.url, b"{}", {}) == 302
        assert len(known.requests) == 1
