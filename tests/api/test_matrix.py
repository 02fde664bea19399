"""The access rules of every address, for every role, members of other projects, and every kind of token.

The tables below have a row for each address and method. A test fails if an address has no row, so whoever
adds an address decides here who may use it.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from ingest.models import Upload
from ingest.services import dependencies_store
from modeling.models import Badge, Expectation, ModelRun
from modeling.services.releases.share_links import share_create
from perfweb.accounts.invitations import invitation_create
from perfweb.accounts.models import ApiToken, Project, Role, Scope, User
from perfweb.accounts.tokens import token_revoke
from perfweb.notices.models import Webhook
from tests.factories import (
    make_alert,
    make_application,
    make_campaign,
    make_comparison,
    make_member,
    make_plan,
    make_project,
    make_report,
    make_run,
    make_series,
    make_token,
)

pytestmark = pytest.mark.django_db

READ, UPLOAD, TRIAGE = Scope.READ, Scope.UPLOAD, Scope.TRIAGE
WRITES = re.compile(r"^(INSERT|UPDATE|DELETE|COPY (?!\())|\bFOR UPDATE\b")
"""Matches statements that write or lock rows."""


@dataclass(frozen=True)
class Row:
    """The access rules of one address.

    `ok` is the status for users who may use the address, and `least` is the lowest role that may. A token
    needs all of `scopes` if `all_scopes` is set, and otherwise any of them. `stranger` is the status for
    members of other projects: 404 for everything that belongs to a project, and `ok` for pages about the
    reader only.
    """

    name: str
    method: str = "get"
    least: Role = Role.VIEWER
    ok: int = 200
    stranger: int = 404
    anonymous: int = 302
    scopes: tuple[Scope, ...] = ()
    all_scopes: bool = False
    query: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.method} {self.name}"


def own(name: str, method: str = "get", ok: int = 200, **more: Any) -> Row:
    """Return the row of a page that is only about the reader."""
    return Row(name, method, ok=ok, stranger=ok, **more)


def public(name: str, method: str = "get", ok: int = 200, **more: Any) -> Row:
    """Return the row of a page that is open to everybody."""
    return Row(name, method, ok=ok, stranger=ok, anonymous=ok, **more)


def api(name: str, method: str = "get", scopes: tuple[Scope, ...] = (READ,), **more: Any) -> Row:
    """Return the row of an address of the REST interface."""
    return Row(f"api:{name}", method, anonymous=401, scopes=scopes, **more)


SECRET = "a" * 43

OPERATION = {"application": "hydro", "before": "1.0", "after": "1.1"}
LINE = b'{"params": {"p": 4}, "callpath": "main", "metric": "time", "value": [1.0, 1.1]}\n'
TAINT = b'{"functions_demangled_names": ["main"], "functions": {"main": {"loops": []}}}'

PAGES = [
    own("home"),
    own("search"),
    own("changes"),
    Row("changes-triage", "post", Role.CONTRIBUTOR, ok=302, data={"alert": "alert", "state": "noise"}),
    own("feed"),
    own("feed-renew", "post", ok=302),
    Row("notices"),
    Row("notices", "post", ok=302, data={"save": "mail", "pace": ""}),
    Row(
        "notices", "post", Role.MAINTAINER, ok=302,
        data={"save": "webhook", "url": "https://chat.example.org/1"},
    ),
    Row("webhook-remove", "post", Role.MAINTAINER, ok=302, arguments={"pk": "webhook"}),
    Row("changes-undo", "post", ok=302, stranger=302),
    own("projects"),
    own("projects", "post", ok=302, data={"name": "New"}),
    own("password"),
    own("first-plan"),
    Row(
        "first-plan", "post", Role.CONTRIBUTOR, ok=302, stranger=403,
        data={"project": "storm", "application": "new", "version": "1"},
    ),
    own("from-job"),
    own("application-address"),
    own("project-address"),
    public("client"),
    public("help"),
    public("help-all"),
    public("help-chapter", arguments={"chapter": "laws"}),
    public("help-short", query="?of=laws"),
    public("rest"),
    public("help-mathematics"),
    public("help-accuracy"),
    public("livez"),
    public("readyz"),
    public("sign-out", "post", ok=302),
    Row("project"),
    Row("project", "post", Role.MAINTAINER, ok=302, data={"username": "other", "role": "10"}),
    Row("member-remove", "post", Role.MAINTAINER, ok=302),
    Row(
        "invitation-new", "post", Role.MAINTAINER,
        data={"invitation-name": "Ada", "invitation-role": "10", "invitation-lasts": "7"},
    ),
    Row("demo-copy", "post", Role.CONTRIBUTOR, ok=302),
    Row("invitation-revoke", "post", Role.MAINTAINER, ok=302, arguments={"pk": "invitation"}),
    Row("tokens"),
    Row("tokens", "post", data={"name": "n", "scopes": ["read"], "lasts": "30"}),
    Row("tokens", "post", Role.CONTRIBUTOR, data={"name": "n", "scopes": ["upload"], "lasts": "30"}),
    Row("token-revoke", "post", Role.MAINTAINER, ok=302, arguments={"pk": "token"}),
    Row("uploads"),
    Row("upload", least=Role.CONTRIBUTOR, stranger=200),
    Row("upload-detail", arguments={"pk": "upload"}),
    Row("application"),
    Row("application-named", ok=301, arguments={"asked": "Hydro"}),
    Row("history"),
    Row("application-changes"),
    Row("change", arguments={"pk": "alert"}),
    Row("change", "post", Role.CONTRIBUTOR, ok=302, arguments={"pk": "alert"}, data={"state": "noise"}),
    Row("silences"),
    Row(
        "silences", "post", Role.CONTRIBUTOR, ok=302,
        data={"pattern": "*", "reason": "noise", "lasts": "7"},
    ),
    Row("silence-end", "post", Role.CONTRIBUTOR, ok=302, arguments={"pk": "silence"}),
    Row("forecasts"),
    Row("compare"),
    Row("compare", "post", ok=302),
    Row("reports"),
    Row("report-new"),
    Row("report-new", "post", Role.CONTRIBUTOR, ok=422, data={"seen": "0"}),
    Row("report", arguments={"pk": "report"}),
    Row("report-since", arguments={"pk": "report"}),
    Row("report-delete", "post", Role.MAINTAINER, ok=302, arguments={"pk": "report"}),
    Row(
        "report-share", "post", Role.MAINTAINER, arguments={"pk": "report"},
        data={"name": "board", "lasts": "30"},
    ),
    Row("report-unshare", "post", Role.MAINTAINER, ok=302, arguments={"pk": "report", "link": "link"}),
    public("shared-report"),
    public("invitation"),
    Row("kernels-join", "post", Role.MAINTAINER, ok=302, data={"kernel": 1, "becomes": 1}),
    Row("planner"),
    Row("planner", "post", Role.CONTRIBUTOR, ok=302),
    Row("plan-profile"),
    Row("plan-profile", "post", Role.MAINTAINER, ok=302),
    Row("plan", arguments={"pk": "plan"}),
    Row("plan-script", arguments={"pk": "plan", "kind": "slurm"}),
    Row("plan-filter", arguments={"kind": "scorep"}),
    Row("plan-drop", "post", Role.CONTRIBUTOR, ok=302, arguments={"pk": "plan"}),
    Row("application-settings", least=Role.MAINTAINER),
    Row(
        "application-settings", "post", Role.MAINTAINER, ok=302,
        data={"save": "target", "name": "far", "at.p": "9000", "at.n": "9000"},
    ),
    Row("target-change", "post", Role.MAINTAINER, ok=302, arguments={"pk": "target"}),
    Row("expectation-end", "post", Role.MAINTAINER, ok=302, arguments={"pk": "expectation"}),
    Row("badge"),
    Row("badge-change", "post", Role.MAINTAINER, ok=302),
    public("badge-public", arguments={"secret": SECRET}),
    Row("upload-preview", ok=302, arguments={"pk": "upload"}),
    Row("upload-preview", "post", Role.CONTRIBUTOR, ok=302, arguments={"pk": "upload"}),
    Row("upload-file", arguments={"pk": "upload"}),
    Row("campaign"),
    Row("campaign-parameters"),
    Row("campaign-parameters", "post", Role.CONTRIBUTOR, ok=422),
    Row("campaign-delete", least=Role.MAINTAINER),
    Row("campaign-delete", "post", Role.MAINTAINER, ok=302, data={"what": "campaign"}),
    Row("campaign-values", arguments={"kind": "jsonl"}),
    Row("campaign-models", arguments={"kind": "py"}),
    Row("campaign-model", "post", Role.MAINTAINER, ok=302),
    Row("campaign-modelers"),
    Row(
        "campaign-modelers-change", "post", Role.MAINTAINER, ok=302,
        data={"action": "add", "modeler": "adaptive"},
    ),
    Row("campaign-tree"),
    Row("campaign-export"),
    Row("kernel"),
    Row("kernel-surface"),
    Row("kernel-data"),
]  # fmt: skip

INTERFACE = [
    api("schema", scopes=(), stranger=200),
    api("applications", stranger=200),
    api("application", arguments={"slug": "hydro"}),
    api(
        "uploads", "post", (UPLOAD,), arguments={"slug": "hydro"}, least=Role.CONTRIBUTOR, ok=202,
        data={"version": "2.0", "project": "storm"},
    ),
    api("dependencies", arguments={"slug": "hydro"}),
    # Without the project, a stranger would make an application of this name in a project of their own.
    api(
        "dependencies", "put", (UPLOAD,), arguments={"slug": "hydro"}, least=Role.MAINTAINER,
        query="?project=storm",
    ),
    api("gate", arguments={"slug": "hydro"}),
    api("plan", arguments={"slug": "hydro"}),
    api("plan", "post", (UPLOAD,), arguments={"slug": "hydro"}, least=Role.CONTRIBUTOR, ok=201),
    api("reports", arguments={"slug": "hydro"}),
    api("report", arguments={"pk": "report"}),
    api("upload", scopes=(READ, UPLOAD), arguments={"pk": "upload"}),
    api("campaign", arguments={"pk": "campaign"}),
    api("models", arguments={"pk": "campaign"}),
    api("modelers", arguments={"pk": "campaign"}),
    api(
        "modelers", "patch", (UPLOAD,), least=Role.MAINTAINER, arguments={"pk": "campaign"},
        data={"compared": ["adaptive"]},
    ),
    api("history", arguments={"pk": "kernel"}),
    api("alerts", arguments={"slug": "hydro"}),
    api(
        "alert", "patch", (TRIAGE,), least=Role.CONTRIBUTOR, arguments={"pk": "alert"},
        data={"state": "noise"},
    ),
    api("comparisons", data=OPERATION),
    api("comparisons", "post", (READ, UPLOAD), all_scopes=True, query="?" + urlencode(OPERATION)),
]  # fmt: skip

ELSEWHERE = {
    "api:nothing": "answers 404 to all, see test_problems",
    "feed-by-token": "see tests/portal/views/test_notices.py",
    "sign-in": "see tests/portal/views/test_session.py",
}


@dataclass(frozen=True)
class World:
    """A project that has rows of every kind, and the ids of these rows by their kind."""

    project: Project
    ids: dict[str, int]
    shared: str
    invited: str

    def address(self, row: Row) -> str:
        """Return the address of the row's view, for objects of this project."""
        names = {
            "project": "storm", "application": "hydro", "username": "leaver", "kind": "csv",
            "token": self.shared, "invitation": self.invited,
            "campaign_id": self.ids["campaign"], "kernel_id": self.ids["kernel"],
        }  # fmt: skip
        names |= {name: self.ids.get(str(value), value) for name, value in row.arguments.items()}
        wanted = next(iter(get_patterns(row.name))).pattern.converters
        return reverse(row.name, kwargs={name: names[name] for name in wanted}) + row.query


def get_patterns(name: str = "") -> Iterator[URLPattern]:
    """Yield all named addresses of the portal, or only those with this name."""
    yield from _patterns(get_resolver().url_patterns, "", name)


def _patterns(entries: list[Any], prefix: str, name: str) -> Iterator[URLPattern]:
    for entry in entries:
        if isinstance(entry, URLResolver):
            inner = f"{prefix}{entry.namespace}:" if entry.namespace else prefix
            yield from _patterns(entry.url_patterns, inner, name)
        elif not name or f"{prefix}{entry.name}" == name:
            entry.full_name = f"{prefix}{entry.name}"
            yield entry


@pytest.fixture(scope="module")
def world(rows_of_module) -> World:
    """Make a project that has rows of every kind, once for all tests."""
    project = make_project("storm")
    owner = make_member(project, Role.OWNER, "founder")
    make_member(project, Role.VIEWER, "leaver")
    make_member(make_project("calm"), Role.OWNER, "other")
    application = make_application(project)
    campaigns = [make_campaign(application, label) for label in ("1.0", "1.1")]
    law = (0.5, [(0.01, (1.0, 0.0, 0.0, 0.0))])
    for campaign in campaigns:
        make_run(campaign, {"main": law, "main->halo": law})
        make_series(campaign)
    alert = make_alert(campaigns[1], "main->halo", make_comparison(*campaigns))
    until = timezone.now() + timedelta(days=1)
    silence = application.silences.create(pattern="*io", reason="known", until=until)
    expectation = Expectation.objects.create(
        application=application, metric=application.metrics.get(), pattern="*", text="O(p)",
        created_at=timezone.now(),
    )  # fmt: skip
    Badge.objects.create(application=application, secret=SECRET)
    dependencies_store(application=application, file=ContentFile(TAINT, "taint.json"), user=owner)
    campaigns[1].uploads.get().file.save("a.jsonl", ContentFile(LINE))
    ModelRun.objects.update(expected_at=timezone.now())
    token, _ = make_token(owner, project, READ)
    report = make_report(campaigns[1])
    link, shared = share_create(report=report, name="board", lasts=timedelta(days=1), user=owner)
    invitation, invited = invitation_create(
        project=project, name="Ada", role=Role.VIEWER, lasts=timedelta(days=1), user=owner
    )
    ids = {
        "invitation": invitation.pk,
        "campaign": campaigns[1].pk,
        "kernel": application.kernels.get(path="main->halo").pk,
        "upload": campaigns[1].uploads.get().pk,
        "target": application.targets.get().pk,
        "expectation": expectation.pk,
        "token": token.pk,
        "alert": alert.pk,
        "silence": silence.pk,
        "report": report.pk,
        "link": link.pk,
        "plan": make_plan(application, "1.1").pk,
        "webhook": Webhook.objects.create(project=project, url="https://chat.example.org/", secret="s").pk,
    }
    return World(project, ids, shared, invited)


def ask(client: Client, world: World, row: Row) -> int:
    data = dict(row.data)
    if "alert" in data:
        data["alert"] = world.ids["alert"]
    if row.name == "api:uploads":
        data["file"] = SimpleUploadedFile("a.jsonl", LINE)
    if row.name == "kernels-join":
        data = dict.fromkeys(data, world.ids["kernel"])
    answer = asked(client, world.address(row), row, data)
    # These close a downloaded file. `answer.close()` would also close the database connection.
    for close in answer._resource_closers:
        close()
    status: int = answer.status_code
    return status


def asked(client: Client, address: str, row: Row, data: dict[str, Any]) -> Any:
    if row.method == "patch":
        return client.patch(address, data, content_type="application/json")
    if row.method != "put":
        return getattr(client, row.method)(address, data)
    form = encode_multipart(BOUNDARY, {"file": SimpleUploadedFile("taint.json", TAINT)})
    return client.put(address, form, content_type=MULTIPART_CONTENT)


def signed_in(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def with_token(plaintext: str) -> Client:
    return Client(headers={"Authorization": f"Bearer {plaintext}"})


def test_every_address_has_a_row():
    known = {row.name for row in PAGES + INTERFACE} | set(ELSEWHERE)
    assert {pattern.full_name for pattern in get_patterns()} == known


def statuses(world: World, row: Row, clients: dict[str, Callable[[], Client]]) -> dict[str, int]:
    """Return the status for each kind of user.

    Changes are rolled back, so that all users find the same data.
    """
    found = {}
    for actor, client in clients.items():
        with transaction.atomic():
            found[actor] = ask(client(), world, row)
            transaction.set_rollback(True)
    return found


@pytest.mark.parametrize("row", PAGES + INTERFACE, ids=str)
def test_people(world, row):
    # The form for tokens is shown again, with the scopes that the role does not allow.
    refused = 422 if row.name == "tokens" else 403
    expected = {role.label: row.ok if role >= row.least else refused for role in Role}
    expected |= {"stranger": row.stranger, "visitor": 200 if row.name == "api:schema" else row.anonymous}
    clients: dict[str, Callable[[], Client]] = {
        role.label: lambda role=role: signed_in(make_member(world.project, role)) for role in Role
    }
    clients |= {"stranger": lambda: signed_in(make_member(make_project(), Role.OWNER)), "visitor": Client}
    assert statuses(world, row, clients) == expected


@pytest.mark.parametrize("row", PAGES, ids=str)
def test_no_token_opens_a_page(world, row):
    _, plaintext = make_token(make_member(world.project, Role.OWNER), world.project, READ, UPLOAD)
    assert ask(with_token(plaintext), world, row) == row.anonymous


@pytest.mark.parametrize("row", INTERFACE, ids=str)
def test_scopes(world, row):
    """A token may do what its scopes allow, but never more than its user may at present."""
    least = max(Role.CONTRIBUTOR, row.least)
    user = make_member(world.project, least)
    # A token with only the scope for uploads may read the uploads of its user.
    Upload.objects.update(user=user)

    def token(*scopes: Scope, role: Role = least) -> Client:
        _, plaintext = make_token(user, world.project, *scopes)
        world.project.memberships.filter(user=user).update(role=role)
        return with_token(plaintext)

    one = {scope: not row.scopes or (scope in row.scopes and not row.all_scopes) for scope in Scope}
    expected = {
        "read": row.ok if one[READ] else 403,
        "upload": row.ok if one[UPLOAD] else 403,
        "triage": row.ok if one[TRIAGE] else 403,
        "all": row.ok,
        "all, a viewer by now": row.ok if row.least == Role.VIEWER else 403,
    }
    clients: dict[str, Callable[[], Client]] = {
        "read": lambda: token(READ),
        "upload": lambda: token(UPLOAD),
        "triage": lambda: token(TRIAGE),
        "all": lambda: token(*Scope),
        "all, a viewer by now": lambda: token(*Scope, role=Role.VIEWER),
    }
    assert statuses(world, row, clients) == expected


@pytest.mark.parametrize("row", INTERFACE, ids=str)
def test_foreign_tokens(world, row):
    """The user belongs to both projects, but the token was made for the one that is not asked for."""
    other = make_project()
    user = make_member(other, Role.OWNER)
    world.project.memberships.create(user=user, role=Role.OWNER)
    _, plaintext = make_token(user, other, *Scope)
    assert ask(with_token(plaintext), world, row) == row.stranger


@pytest.mark.parametrize("row", [row for row in INTERFACE if row.scopes], ids=str)
def test_dead_tokens(world, row):
    user = make_member(world.project, Role.OWNER)
    token, plaintext = make_token(user, world.project, *Scope)
    rows = ApiToken.objects.filter(pk=token.pk)

    def after(end: Callable[[], object]) -> Client:
        end()
        return with_token(plaintext)

    ends: dict[str, Callable[[], object]] = {
        "expired": lambda: rows.update(expires_at=timezone.now() - timedelta(seconds=1)),
        "revoked": lambda: token_revoke(token=token, actor=user),
        "left": lambda: world.project.memberships.filter(user=user).delete(),
        "deactivated": lambda: User.objects.filter(pk=user.pk).update(is_active=False),
    }
    clients = {name: lambda end=end: after(end) for name, end in ends.items()}
    assert statuses(world, row, clients) == dict.fromkeys(ends, 401)


@pytest.mark.parametrize("row", [row for row in PAGES if row.method == "post"], ids=str)
def test_addresses_of_forms_need_a_post(world, row):
    """A GET request is refused with status 405, unless the address also shows a form."""
    client = signed_in(make_member(world.project, Role.OWNER))
    status = client.get(world.address(row)).status_code
    shows_form = any(other.name == row.name and other.method == "get" for other in PAGES)
    assert (status == 405) == (not shows_form)


@pytest.mark.parametrize("row", [row for row in PAGES + INTERFACE if row.method == "get"], ids=str)
def test_get_requests_write_nothing(world, row):
    """The one exception is the counter of a shared report, which shows its maker how often it was read."""
    client = signed_in(make_member(world.project, Role.OWNER))
    with CaptureQueriesContext(connection) as captured:
        assert ask(client, world, row) == row.ok
    written = [query["sql"] for query in captured if WRITES.search(query["sql"])]
    if row.name == "shared-report":
        assert len(written) == 1
        assert written[0].startswith('UPDATE "modeling_sharelink" SET "views"')
    else:
        assert written == []
