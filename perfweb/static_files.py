"""Static files, collected under names that hold their digest; only when one of them has changed."""

import hashlib
import json
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command


def collect() -> None:
    """Collect into the data folder, unless what lies there is of the same files."""
    stamp = Path(settings.STATIC_ROOT) / ".collected"
    fingerprint = _fingerprint()
    if stamp.is_file() and stamp.read_text() == fingerprint:
        return
    call_command("collectstatic", interactive=False, verbosity=0, clear=True, skip_checks=True)
    stamp.write_text(fingerprint)


def _fingerprint() -> str:
    """Digest over names, sizes and times of all static files."""
    files = [
        (name, storage.size(name), storage.get_modified_time(name).isoformat())
        for finder in get_finders()
        for name, storage in finder.list([])
    ]
    return hashlib.sha256(json.dumps(sorted(files)).encode()).hexdigest()
