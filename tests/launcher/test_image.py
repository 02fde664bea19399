"""The tests cannot build the image, so they read the Dockerfile as Docker does."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.utils.module_loading import import_string
from gunicorn.app.wsgiapp import WSGIApplication

from modeling.engine.modelers.adaptive.network import FILE
from perfweb.launcher.portal import ROOT

INSTRUCTIONS = {"FROM", "ENV", "WORKDIR", "COPY", "RUN", "USER", "VOLUME", "EXPOSE", "CMD"}

Instruction = tuple[str, str]


@pytest.fixture(scope="module")
def instructions() -> list[Instruction]:
    return list(parsed((ROOT / "Dockerfile").read_text()))


def parsed(text: str) -> Iterator[Instruction]:
    """Yield the instructions with their arguments. A backslash at the end of a line continues the line."""
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    for line in lines.replace("\\\n", " ").splitlines():
        if line.strip():
            word, _, arguments = line.strip().partition(" ")
            yield word, arguments.strip()


def sources(instructions: list[Instruction]) -> list[Path]:
    """Return the files and folders that are copied into the image."""
    return [ROOT / source for word, text in instructions if word == "COPY" for source in text.split()[:-1]]


def test_every_line_is_an_instruction(instructions: list[Instruction]) -> None:
    assert {word for word, _ in instructions} <= INSTRUCTIONS


def test_a_missing_continuation_is_detected() -> None:
    assert [word for word, _ in parsed('CMD ["a",\n  "b"]')] == ["CMD", '"b"]']


def test_copied_files_exist_and_are_sent_to_the_builder(instructions: list[Instruction]) -> None:
    ignored = {line.strip("/") for line in (ROOT / ".dockerignore").read_text().split()}
    assert sources(instructions)
    for source in sources(instructions):
        assert source.exists(), source
        assert source.relative_to(ROOT).parts[0] not in ignored


def test_all_files_that_the_portal_needs_are_copied(instructions: list[Instruction]) -> None:
    """The image needs all packages of the wheel, templates, static files, and the shipped networks."""
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"][
        "wheel"
    ]
    needed = [*packages["packages"], *packages["force-include"], "manage.py"]
    copied = sources(instructions)
    assert {ROOT / name for name in needed} <= set(copied)
    for folder in (*settings.TEMPLATES[0]["DIRS"], *settings.STATICFILES_DIRS, FILE):
        assert any(Path(folder).is_relative_to(source) for source in copied), folder


def test_stages_are_based_on_existing_stages(instructions: list[Instruction]) -> None:
    known: set[str] = set()
    for word, text in instructions:
        if word == "FROM":
            base, _, name = text.partition(" AS ")
            assert base in known or re.fullmatch(r"python:3\.\d+-slim", base)
            known.add(name)
    assert known == {"portal", "adapter", ""}


def test_the_packages_allow_the_python_version(instructions: list[Instruction]) -> None:
    least = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    [version] = re.findall(r"python:3\.(\d+)", dict(reversed(instructions))["FROM"])
    assert int(version) >= int(least.removeprefix(">=3."))


def test_no_stage_runs_as_root(instructions: list[Instruction]) -> None:
    user = ""
    for word, text in instructions:
        if word == "FROM" and " AS " in text and not text.startswith("python"):
            assert user == "perfweb"
        user = text if word == "USER" else user
    assert user == "perfweb"


def test_the_web_server_accepts_its_options(
    instructions: list[Instruction], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = json.loads(dict(instructions)["CMD"])
    monkeypatch.setattr("sys.argv", command)
    server = WSGIApplication("%(prog)s [OPTIONS] [APP_MODULE]")
    assert server.app_uri == "perfweb.wsgi"
    assert server.cfg.logger_class is import_string("perfweb.logs.access_log.AccessLog")
    assert server.cfg.preload_app
