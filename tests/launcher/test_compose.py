"""The tests cannot run docker-compose.yml, so its content is compared with the code."""

import importlib
import re
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.core.management import get_commands

from perfweb.celery import app
from perfweb.launcher.portal import ROOT

Service = dict[str, Any]
OURS = ("prepare", "web", "worker", "adapter", "beat")


@pytest.fixture(scope="module")
def services() -> dict[str, Service]:
    services: dict[str, Service] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    return services


def test_all_services_exist(services: dict[str, Service]) -> None:
    assert set(services) == {*OURS, "postgres", "redis"}


def test_all_permanent_services_have_a_health_check(services: dict[str, Service]) -> None:
    for name, service in services.items():
        assert name == "prepare" or service["healthcheck"]["test"], name


def test_dependencies_of_services_can_become_healthy(services: dict[str, Service]) -> None:
    for service in services.values():
        for name, wait in service.get("depends_on", {}).items():
            expected = "service_completed_successfully" if name == "prepare" else "service_healthy"
            assert wait == {"condition": expected}
            assert name in services


def test_the_settings_use_every_variable(services: dict[str, Service]) -> None:
    source = (ROOT / "perfweb" / "settings.py").read_text()
    read = set(re.findall(r'(?:env\.\w+|_\w+)\("([A-Z_]+)"', source))
    for name in OURS:
        assert set(services[name]["environment"]) <= read
    assert all(f"| {name} " in source for name in read), "the table in settings.py lacks a variable"


def test_the_sample_file_contains_every_variable() -> None:
    used = set(re.findall(r"\$\{(\w+)", (ROOT / "docker-compose.yml").read_text()))
    sample = set(re.findall(r"^(\w+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert used == sample


def test_the_workers_read_every_queue(services: dict[str, Service]) -> None:
    others, adapters = services["worker"]["command"], services["adapter"]["command"]
    assert "-Q" not in others  # `-Q` would limit the workers to some queues.
    assert (
        others[others.index("--exclude-queues") + 1] == adapters[adapters.index("--queues") + 1] == "adaptive"
    )
    served = {queue.name for queue in settings.CELERY_TASK_QUEUES}
    assert {route["queue"] for route in settings.CELERY_TASK_ROUTES.values()} == served


def test_the_clock_sends_only_existing_tasks() -> None:
    for entry in settings.CELERY_BEAT_SCHEDULE.values():
        name = str(entry["task"])
        importlib.import_module(name.rpartition(".")[0])
        assert name in app.tasks


def test_commands_exist(services: dict[str, Service]) -> None:
    assert services["prepare"]["command"][:2] == ["python", "manage.py"]
    assert services["prepare"]["command"][2] in get_commands()
    assert "create_user" in get_commands()


def test_only_the_pages_are_reachable_from_outside(services: dict[str, Service]) -> None:
    assert [name for name, service in services.items() if "ports" in service] == ["web"]


def test_the_image_has_the_locked_packages_and_does_not_run_as_root() -> None:
    lines = (ROOT / "Dockerfile").read_text()
    assert "--require-hashes -r requirements.lock" in lines
    assert re.search(r"^USER perfweb$", lines, re.MULTILINE)
    assert '"perfweb.wsgi"' in lines


def test_the_adapter_has_the_locked_packages_of_the_extra(services: dict[str, Service]) -> None:
    assert services["adapter"]["build"]["target"] == "adapter"
    _, adapter = (ROOT / "Dockerfile").read_text().split("FROM portal AS adapter\n")
    assert "--require-hashes -r requirements-adaptive.lock" in adapter
    # Docker builds the last stage unless another one is named.
    assert adapter.rstrip().endswith("FROM portal")
    portal, extra, dev = (
        _pinned(name) for name in ("requirements.lock", "requirements-adaptive.lock", "requirements-dev.lock")
    )
    assert portal < extra <= dev
    assert {line.partition("==")[0] for line in extra} >= {"jax", "jaxlib", "optax"}


def _pinned(name: str) -> set[str]:
    """Return the packages of a lock file with their versions."""
    return set(re.findall(r"^[a-z].*==.*[^ \\]", (ROOT / name).read_text(), re.MULTILINE))
