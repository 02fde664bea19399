"""Stores and removes the parameters on which functions depend, from a file or from users."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.core.files.base import File
from django.db import transaction
from django.utils import timezone

from ingest.fields.names import file_name
from ingest.formats import FormatError
from ingest.formats.campaign.units import bytes_text
from ingest.formats.dependencies.perf_taint import LIMITS, Function, read_dependencies
from ingest.models import Application, Dependencies
from ingest.services.campaigns import application_ensure
from ingest.signals import dependencies_changed
from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import ApiToken, User

BY_HAND = "table filled in by hand"
"""Replaces the file's name if people entered the dependencies."""


def dependencies_store(
    *,
    application: Application,
    file: File,  # type: ignore[type-arg]
    user: User,
    token: ApiToken | None = None,
) -> Dependencies:
    """Replace the stored dependencies by those in a file of Perf-Taint. The application may be new.

    Raises:
        ValidationError: of the field `file`: what was found and what was expected.
    """
    name = file_name(file.name or "")
    if file.size > LIMITS.document_bytes:
        size, most = bytes_text(file.size), bytes_text(LIMITS.document_bytes)
        raise ValidationError({"file": f"Found {size}, expected at most {most}."})
    try:
        found = read_dependencies(name, data=file.read())
    except FormatError as error:
        raise ValidationError({"file": f"{error}."}) from error
    with transaction.atomic():
        if application.pk is None:
            application = application_ensure(application.project, application.slug, application.name)
        row, _ = Dependencies.objects.update_or_create(
            application=application,
            defaults={
                "file_name": name,
                "parameters": list(found.parameters),
                "functions": [_written(function) for function in found.functions],
                "stored_at": timezone.now(),
            },
        )
        _record(application, "dependencies.store", name, user, token)
    return row


@transaction.atomic
def dependencies_write(
    *,
    application: Application,
    parameters: Sequence[str],
    functions: Mapping[str, Collection[Collection[str]]],
    user: User,
) -> Dependencies:
    """Replace the stored dependencies by those that a user entered.

    `functions` maps each function to sets of parameters that are multiplied.
    """
    before = Dependencies.objects.select_for_update().filter(application=application).first()
    known = {row["demangled"] or row["name"]: row for row in before.functions} if before else {}
    rows = [
        {
            **known.get(name, {"name": name, "demangled": name}),
            "depends_on": sorted(sorted(term) for term in terms),
        }
        for name, terms in functions.items()
    ]
    row, _ = Dependencies.objects.update_or_create(
        application=application,
        defaults={
            "file_name": BY_HAND,
            "parameters": list(parameters),
            "functions": rows,
            "stored_at": timezone.now(),
        },
    )
    _record(application, "dependencies.store", BY_HAND, user, None)
    return row


@transaction.atomic
def dependencies_remove(*, application: Application, user: User) -> None:
    """Delete the stored dependencies, if there are any."""
    row = Dependencies.objects.select_for_update().filter(application=application).first()
    if row is not None:
        row.delete()
        _record(application, "dependencies.remove", row.file_name, user, None)


def _written(function: Function) -> dict[str, Any]:
    terms = sorted(sorted(term) for term in function.terms)
    return {"name": function.name, "demangled": function.demangled, "depends_on": terms}


def _record(application: Application, action: str, name: str, user: User, token: ApiToken | None) -> None:
    subject = f"{application.slug}: {name}"
    audit_record(project=application.project, action=action, subject=subject, user=user, token=token)
    dependencies_changed.send(sender=Dependencies, application=application)
