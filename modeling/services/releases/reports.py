"""Make reports, whose numbers are frozen, and delete them."""

import hashlib
import json

from django.core.exceptions import ValidationError
from django.db import transaction

from ingest.models import Application
from modeling.models import Report
from modeling.selectors.reports.content import Content
from modeling.selectors.reports.subject import Subject
from perfweb.accounts.audit import audit_record
from perfweb.accounts.models import User

LONGEST_NOTE = 2000


def content_digest(content: Content) -> str:
    """Return a digest of a report's content, rounded because machines may differ in the last digits."""
    rounded = json.loads(json.dumps(content), parse_float=lambda text: f"{float(text):.6g}")
    return hashlib.sha256(json.dumps(rounded, sort_keys=True).encode()).hexdigest()[:16]


@transaction.atomic
def report_make(*, subject: Subject, content: Content, seen: str, note: str, user: User) -> Report:
    """Store the report, if its content has the digest that the user has `seen`, and return it.

    A second click on the button returns the report of the first one.

    Raises:
        ValidationError: the content has changed, or the note is too long.
    """
    if seen != content_digest(content):
        raise ValidationError("The numbers moved since you opened this page. Here are the new ones.")
    if len(note) > LONGEST_NOTE:
        raise ValidationError({"note": f"Write at most {LONGEST_NOTE:,} letters; these are {len(note):,}."})
    Application.objects.select_for_update().get(pk=subject.application.pk)
    about = {
        "application": subject.application,
        "version_id": subject.version.version_id,
        "machine": subject.version.machine,
        "metric": subject.metric,
        "note": note.strip(),
        "made_by": user,
    }
    last = Report.objects.filter(**about).order_by("-pk").first()
    if last and content_digest(last.content) == seen:
        return last
    report = Report.objects.create(**about, content=content)
    _record("report.make", report, user)
    return report


@transaction.atomic
def report_delete(*, report: Report, user: User) -> None:
    """Delete a report with its links."""
    _record("report.delete", report, user)
    report.delete()


def _record(action: str, report: Report, user: User) -> None:
    application = report.application
    audit_record(
        project=application.project, action=action, subject=f"{application.slug}: {report}", user=user,
        report=report.pk,
    )  # fmt: skip
