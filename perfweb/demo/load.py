"""Loads the demo: the project and the user `demo`, and the mini-application's measured campaigns."""

import json
from datetime import datetime
from typing import Any

from django.core.files.base import File
from django.core.management.base import CommandError
from django.db import transaction

from ingest.models import Application, Metric, Parameter, Upload
from ingest.services import upload_receive
from perfweb.accounts.models import Project, User
from perfweb.accounts.selectors import role_of
from perfweb.accounts.services import project_create
from perfweb.demo.measure import DATA

NAME = "demo"
"""Name of the user and of the project, and the password; used only if `--demo` was given."""

APPLICATION = "particles"

_PARAMETERS = (
    {"name": "p", "role": Parameter.Role.PROCESSES, "unit": "processes"},
    {"name": "n", "role": Parameter.Role.PROBLEM_SIZE, "unit": "particles per process"},
)
_METRICS = ({"name": "time", "unit": "s"}, {"name": "bytes_received", "unit": "B"})


def load() -> list[Upload]:
    """Create the missing parts of the demo and return its uploads; a second call changes nothing."""
    with transaction.atomic():  # after an error, no user with a known password remains
        user = _user()
        project = _project(user)
    return copy_into(project, user)


def copy_into(project: Project, user: User) -> list[Upload]:
    """Upload the mini-application's campaigns to a project; a second call changes nothing."""
    _application(project)
    about = json.loads((DATA / "versions.json").read_text(encoding="utf-8"))
    return [_upload(project, user, about, version) for version in about["versions"]]


def _user() -> User:
    user = User.objects.filter(username=NAME).first()
    return user or User.objects.create_user(NAME, password=NAME)


def _project(owner: User) -> Project:
    """Return the demo's project; refuse one of another owner, because the demo's password is known."""
    project = Project.objects.filter(slug=NAME).first()
    if project is None:
        return project_create(name="Demo", owner=owner, slug=NAME)
    if role_of(owner, project) is None:
        raise CommandError(
            f"There is a project “{NAME}” that is not the demo's own, so the demo cannot be loaded. "
            "Start without --demo, or with --data and another folder."
        )
    return project


@transaction.atomic
def _application(project: Project) -> None:
    """Create the application with properties that its files lack; later changes by hand stay."""
    application, new = Application.objects.get_or_create(
        project=project, slug=APPLICATION, defaults={"name": "Particles"}
    )
    if not new:
        return
    for position, parameter in enumerate(_PARAMETERS):
        Parameter.objects.create(application=application, position=position, **parameter)
    for metric in _METRICS:
        Metric.objects.create(application=application, inclusive=False, **metric)


def _upload(project: Project, user: User, about: dict[str, Any], version: dict[str, str]) -> Upload:
    path = DATA / f"{version['label']}.jsonl"
    with path.open("rb") as file:
        return upload_receive(
            project=project,
            user=user,
            application=APPLICATION,
            version=version["label"],
            file=File(file, path.name),
            commit=version["commit"],
            committed_at=datetime.fromisoformat(version["committed_at"]),
            machine=about["machine"],
            metadata={
                "summary": version["summary"],
                "method": about["method"],
                "measured_at": about["measured_at"],
            },
        )
