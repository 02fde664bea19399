"""Sends uploads for tests."""

import json

from django.core.files.base import ContentFile

from ingest.models import Upload
from ingest.services import upload_receive
from perfweb.accounts.models import Project


def measured(**kernels: float) -> str:
    """Return JSON Lines with two repetitions of these kernels at five process counts."""
    rows = (
        {"params": {"p": p}, "callpath": f"main->{kernel}", "value": [value * p, value * p + 0.5]}
        for kernel, value in kernels.items()
        for p in (4, 8, 16, 32, 64)
    )
    return "\n".join(map(json.dumps, rows))


def send(
    project: Project, content: str | bytes | None = None, version: str = "1.0", **fields: object
) -> Upload:
    """Receive a file for the application “hydro”. The default content is valid."""
    data = measured(solve=1.0) if content is None else content
    file = ContentFile(data.encode() if isinstance(data, str) else data, name="run.jsonl")
    options = {"application": "hydro", "user": None, **fields}
    return upload_receive(project=project, version=version, file=file, **options)
