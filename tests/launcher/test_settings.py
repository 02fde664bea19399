"""Settings refuse invalid values. Each test reads the settings in a separate process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from perfweb import checks
from perfweb.launcher.portal import ROOT

READ = "from django.conf import settings; print({})"


def read(expression: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", READ.format(expression)],
        cwd=ROOT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "perfweb.settings"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_works() -> None:
    done = read("settings.DATABASES['default']['HOST'], settings.CELERY_BROKER_URL")
    assert done.returncode == 0, done.stderr


def test_connections_to_a_dead_database_are_noticed_by_default() -> None:
    options = "settings.DATABASES['default']['OPTIONS']"
    address = "postgres://u@db.example.org/perfweb?connect_timeout=2"
    printed = read(options, DATABASE_URL=address).stdout
    assert "'connect_timeout': 2," in printed
    assert "'tcp_user_timeout': 30000," in printed


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("DATABASE_URL", "sqlite:///x", "DATABASE_URL must begin with postgres://"),
        ("REDIS_URL", "amqp://x", "REDIS_URL must begin with redis://"),
        ("PERFWEB_HTTPS", "perhaps", "PERFWEB_HTTPS must be true or false"),
        ("PERFWEB_UPLOAD_BYTES", "512 MiB", "PERFWEB_UPLOAD_BYTES must be a whole number above 0"),
        ("PERFWEB_WORKERS", "0", "PERFWEB_WORKERS must be a whole number above 0"),
        ("PERFWEB_LOG_LEVEL", "loud", "PERFWEB_LOG_LEVEL must be one of"),
        ("PERFWEB_URL", "portal.example.org", "PERFWEB_URL must begin with http:// or https://"),
    ],
)
def test_invalid_values_are_refused(name: str, value: str, hint: str) -> None:
    done = read("settings.DEBUG", **{name: value})
    assert done.returncode == 1
    assert hint in done.stderr


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("PERFWEB_WORKERS", "0", "A setting is wrong: PERFWEB_WORKERS must be a whole number above 0"),
        ("DATABASE_URL", "postgres://u@127.0.0.1:1/x", "PostgreSQL cannot be used: connection to server"),
    ],
)
@pytest.mark.parametrize("command", [["up", "--port", "0"], ["create_user", "ada"]])
def test_commands_end_with_a_sentence(
    tmp_path: Path, name: str, value: str, told: str, command: list[str]
) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", *command, "--data", str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {name: value},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_a_broker_may_be_a_socket() -> None:
    done = read("settings.CELERY_BROKER_URL", REDIS_URL="unix:///run/valkey.sock")
    assert done.stdout.strip() == "redis+socket:///run/valkey.sock"


def test_https_makes_cookies_secure() -> None:
    expression = (
        "settings.SESSION_COOKIE_SECURE, settings.CSRF_COOKIE_SECURE, settings.SECURE_HSTS_SECONDS > 0"
    )
    assert read(expression, PERFWEB_HTTPS="true").stdout.strip() == "True True True"
    assert read(expression, PERFWEB_HTTPS="false").stdout.strip() == "False False False"


@pytest.mark.parametrize("secret", ["no secret was set", "short"])
def test_without_a_secret_the_portal_does_not_start(secret: str, settings: object) -> None:
    settings.SECRET_KEY = secret  # type: ignore[attr-defined] # the fixture's own class takes any
    with pytest.raises(ImproperlyConfigured, match=r"perfweb.E001.*\n?.*PERFWEB_SECRET_KEY"):
        checks.refuse_unsafe()


def test_the_secret_of_the_folder_is_used() -> None:
    checks.refuse_unsafe()


def test_every_answer_has_security_headers(client: Client) -> None:
    answer = client.get("/livez")
    policy = answer["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy + ";"
    assert "unsafe-eval" not in policy
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Referrer-Policy"] == "same-origin"


@pytest.mark.parametrize(("given", "kept"), [("job-12345678", True), ("x", False), ("a\tb" * 4, False)])
def test_every_answer_has_a_request_id(client: Client, given: str, kept: bool) -> None:
    answer = client.get("/livez", headers={"x-request-id": given})
    assert (answer["X-Request-ID"] == given) is kept
    assert len(answer["X-Request-ID"]) >= 8
