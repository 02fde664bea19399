"""The portal is installed as a wheel, without a checkout, in an environment that has only its
dependencies.
"""

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.conf import settings

from perfweb.launcher.portal import ROOT

TEMPLATE = """
from django import setup; setup()
from django.template.loader import get_template
print(get_template("help/laws.html").origin)
from django.contrib.staticfiles.finders import find
print(find("css/base.css"))
from django.conf import settings
print(settings.DATA_DIR)
import ingest, modeling, perfweb
print(ingest.__file__, modeling.__file__, perfweb.__file__)
"""
OURS = ("PYTHONPATH", "PERFWEB_DATA", "DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE")


def run(*command: str | Path, folder: Path = ROOT, clean: bool = False) -> str:
    environment = {name: value for name, value in os.environ.items() if not (clean and name in OURS)}
    done = subprocess.run(
        [*map(str, command)], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def commands(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of commands of an environment that has only the wheel and its dependencies."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder)
    python = folder / "bin" / "python"
    packages = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    (Path(packages) / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", "--no-compile", wheel)
    return folder / "bin"


def test_the_wheel_contains_all_files_of_the_checkout(wheel):
    held = set(ZipFile(wheel).namelist())
    folders = ("perfweb", "ingest", "modeling", "templates", "static")
    found = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    files = [str(path.relative_to(ROOT)) for path in found if "__pycache__" not in path.parts]
    assert len(files) > 500
    pages = ("templates/", "static/")
    wanted = {f"perfweb/{name}" if name.startswith(pages) else name for name in files}
    assert wanted - held == set()
    assert not any(name.startswith(("tests/", *pages)) for name in held)


def test_its_command_works_in_any_folder(commands, tmp_path):
    assert "Available subcommands" in run(commands / "perfweb", "--help", folder=tmp_path, clean=True)
    checked = run(commands / "perfweb", "check", "--data", tmp_path / "data", folder=tmp_path, clean=True)
    assert "no issues" in checked


def test_its_templates_and_static_files_are_found(commands, tmp_path):
    environment = ["env", "DJANGO_SETTINGS_MODULE=perfweb.settings"]
    found = run(*environment, commands / "python", "-c", TEMPLATE, folder=tmp_path, clean=True).splitlines()
    installed = str(commands.parent)
    assert found[0].startswith(installed)
    assert found[0].endswith("perfweb/templates/help/laws.html")
    assert found[1].startswith(installed)
    assert found[1].endswith("perfweb/static/css/base.css")
    assert found[2] == str(tmp_path / ".perfweb")
    assert all(path.startswith(installed) for path in found[3].split())


def test_a_checkout_keeps_its_data_in_its_folder():

    assert not settings.INSTALLED
    assert Path(settings.TEMPLATES[0]["DIRS"][0]) == ROOT / "templates"
