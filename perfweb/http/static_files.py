"""Selects the static files, and collects them if one has changed."""

import hashlib
import importlib.util
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder, get_finders
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import FileSystemStorage
from django.core.management import call_command


class PackageFinder(BaseFinder):
    """Finds only the files in `PACKAGE_FILES`, as <package>/<file>; collecting all files would take long."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.storages = {
            package: _storage(package, folder) for package, (folder, _) in settings.PACKAGE_FILES.items()
        }

    def find(self, path: str, find_all: bool = False, **_: Any) -> Any:
        """Return paths of a file, in the form of Django's other finders."""
        found = [
            storage.path(name)
            for name, storage in self.list([])
            if path == f"{storage.prefix}/{name}"  # type: ignore[attr-defined] # as Django's own finders have it
        ]
        return found if find_all else next(iter(found), [])

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, FileSystemStorage]]:
        """Yield each file's name with the storage that contains it."""
        for package, (_, names) in settings.PACKAGE_FILES.items():
            yield from ((name, self.storages[package]) for name in names)


def _storage(package: str, folder: str) -> FileSystemStorage:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ImproperlyConfigured(f"The package {package} is not installed.")
    storage = FileSystemStorage(location=Path(spec.submodule_search_locations[0]) / folder)
    storage.prefix = package  # type: ignore[attr-defined]
    return storage


def collect() -> None:
    """Collect all files into the data folder, unless it contains the same files already."""
    stamp = Path(settings.STATIC_ROOT) / ".collected"
    fingerprint = _fingerprint()
    if stamp.is_file() and stamp.read_text() == fingerprint:
        return
    django.setup()  # `up` calls this before any app is loaded
    call_command("collectstatic", interactive=False, verbosity=0, clear=True, skip_checks=True)
    stamp.write_text(fingerprint)


def _fingerprint() -> str:
    """Return a digest over names, sizes and times of all static files."""
    files = [
        (name, storage.size(name), storage.get_modified_time(name).isoformat())
        for finder in get_finders()
        for name, storage in finder.list([])
    ]
    return hashlib.sha256(json.dumps(sorted(files)).encode()).hexdigest()
