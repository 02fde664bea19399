import hashlib
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from modeling.models import Report, ShareLink
from modeling.services.releases.share_links import share_create, share_open, share_revoke
from perfweb.accounts.models import AuditEntry, Role
from tests.factories import make_application, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def member(report):
    return make_member(report.application.project, Role.MAINTAINER)


@pytest.fixture
def report():
    content = {"version": {"label": "1.0"}, "machine": "a"}
    return Report.objects.create(application=make_application(), content=content)


@pytest.fixture
def made(report, member):
    return share_create(report=report, name="board", lasts=timedelta(days=30), user=member)


def test_it_works(report, made):
    link, token = made
    assert share_open(token) == report
    assert share_open(token) == report
    link.refresh_from_db()
    assert link.views == 2
    assert link.viewed_at <= timezone.now()


def test_only_the_digest_of_a_link_is_stored(made):
    link, token = made
    assert link.digest == hashlib.sha256(token.encode()).hexdigest()
    row = ShareLink.objects.filter(pk=link.pk).values().get()
    assert not any(token in str(value) for value in row.values())
    assert not any(token in str(entry.details) + entry.subject for entry in AuditEntry.objects.all())
    assert len(token) >= 27


def test_wrong_expired_and_revoked_links_are_checked_by_one_statement(
    report, member, django_assert_num_queries
):
    tokens = ["", "wrong", "x" * 5000, "ü\N{SNOWMAN}"]
    for end in ("expired", "revoked"):
        link, token = share_create(report=report, name=end, lasts=timedelta(days=1), user=member)
        tokens.append(token)
        if end == "revoked":
            share_revoke(link=link, user=member)
        else:
            ShareLink.objects.filter(pk=link.pk).update(expires_at=timezone.now())
    for token in tokens:
        with django_assert_num_queries(1):
            assert share_open(token) is None
    assert set(ShareLink.objects.values_list("views", flat=True)) == {0}


@pytest.mark.parametrize("days", [0, -1, 366])
def test_a_link_lasts_at_most_a_year(report, member, days):
    with pytest.raises(ValidationError):
        share_create(report=report, name="board", lasts=timedelta(days=days), user=member)


def test_a_database_constraint_limits_the_duration(report):
    far = timezone.now() + timedelta(days=400)
    with pytest.raises(IntegrityError), transaction.atomic():
        ShareLink.objects.create(report=report, name="board", digest="0", expires_at=far)


@pytest.mark.parametrize("name", ["", "  ", "x" * 81])
def test_a_link_needs_a_name(report, member, name):
    with pytest.raises(ValidationError):
        share_create(report=report, name=name, lasts=timedelta(days=1), user=member)


def test_making_and_revoking_are_logged_once(made, member):
    link, _ = made
    share_revoke(link=link, user=member)
    first = ShareLink.objects.get().revoked_at
    share_revoke(link=link, user=member)
    assert ShareLink.objects.get().revoked_at == first
    entries = AuditEntry.objects.order_by("pk")
    assert [(entry.action, entry.user) for entry in entries] == [
        ("report.share", member), ("report.unshare", member),
    ]  # fmt: skip
    assert entries[0].details["name"] == "board"
