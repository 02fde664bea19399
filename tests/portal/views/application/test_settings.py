import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from ingest.models import Dependencies
from modeling.models import ReleaseRules
from modeling.services import application as services
from perfweb.accounts.models import AuditEntry, Role
from tests.factories import make_application, make_campaign, make_member, make_project, make_run

pytestmark = pytest.mark.django_db

URL = "/a/storm/hydro/settings/"


def rows(application, **changes):
    """Return the fields of the second form of the page, as a browser would send them."""
    form = {"save": "rows"}
    for parameter in application.parameters.all():
        form |= {f"parameter-{parameter.pk}-role": parameter.role, f"parameter-{parameter.pk}-unit": ""}
    for metric in application.metrics.all():
        form |= {f"metric-{metric.pk}-unit": metric.unit, f"metric-{metric.pk}-lower_is_better": "True"}
    return form | changes


def test_it_works(client, application):
    answer = client.post(URL, {"save": "target", "name": "rack", "at.p": "1024", "at.n": "500"})
    assert answer.status_code == 302
    rack = application.targets.get(name="rack")
    assert (rack.values, rack.position) == ({"p": 1024.0, "n": 500.0}, 1)
    assert AuditEntry.objects.get().action == "target.add"


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"name": "full machine", "at.p": "1", "at.n": "1"}, "There is a target"),
        ({"name": "x", "at.p": "0", "at.n": "1"}, "above 0"),
        ({"name": "x", "at.p": "1e999", "at.n": "1"}, "Enter a number"),
        ({"name": "x", "at.p": "4"}, "required"),
    ],
)
def test_an_invalid_target_is_refused_beside_the_field(client, application, form, message):
    answer = client.post(URL, {"save": "target", **form})
    assert answer.status_code == 422
    assert message in answer.content.decode()
    assert application.targets.count() == 1


def test_another_default_moves_stored_predictions(client, application, monkeypatch):
    sent = []
    monkeypatch.setattr(services, "enqueue", lambda task, row: sent.append((task, row.pk)))
    client.post(URL, {"save": "target", "name": "rack", "at.p": "1024", "at.n": "500"})
    assert sent == []
    rack = application.targets.get(name="rack")
    client.post(f"/a/storm/hydro/targets/{rack.pk}/", {"action": "default"})
    assert application.targets.first() == rack
    assert sent == [("modeling.tasks.application_retarget", application.pk)]
    client.post(f"/a/storm/hydro/targets/{rack.pk}/", {"action": "remove"})
    assert [target.name for target in application.targets.all()] == ["full machine"]
    assert len(sent) == 2


def test_roles_and_units_can_be_edited(client, application):
    metric, p = application.metrics.get(), application.parameters.get(name="p")
    changes = {
        f"metric-{metric.pk}-unit": "visits",
        f"metric-{metric.pk}-lower_is_better": "False",
        f"parameter-{p.pk}-role": "other",
        f"parameter-{p.pk}-unit": "ranks",
    }
    assert client.post(URL, rows(application, **changes)).status_code == 302
    metric.refresh_from_db()
    p.refresh_from_db()
    assert (metric.unit, metric.lower_is_better) == ("visits", False)
    assert (p.role, p.unit) == ("other", "ranks")
    actions = set(AuditEntry.objects.values_list("action", flat=True))
    assert actions == {"metric.describe", "parameter.describe"}


def test_unchanged_values_are_not_logged(client, application):
    client.post(URL, rows(application))
    assert not AuditEntry.objects.exists()


def test_an_unknown_role_is_refused(client, application):
    p = application.parameters.get(name="p")
    answer = client.post(URL, rows(application, **{f"parameter-{p.pk}-role": "king"}))
    assert answer.status_code == 422


@pytest.mark.parametrize("role", [Role.VIEWER, Role.CONTRIBUTOR])
def test_other_members_are_told_which_role_is_needed(client, application, role):
    client.force_login(make_member(application.project, role))
    target = application.targets.get()
    for answer in (
        client.get(URL),
        client.post(f"/a/storm/hydro/targets/{target.pk}/", {"action": "remove"}),
    ):
        assert answer.status_code == 403
        assert "maintainer" in answer.content.decode()
    assert application.targets.exists()


def test_a_target_of_another_application_is_not_found(client, application):
    foreign = make_application(make_project()).targets.get()
    assert client.post(f"/a/storm/hydro/targets/{foreign.pk}/", {"action": "remove"}).status_code == 404


def test_an_automatic_target_can_be_kept_but_not_removed(client, application):
    application.targets.update(automatic=True)
    page = client.get(URL).content.decode()
    assert "The portal chose this target" in page
    assert "Keep full machine as it is" in page
    assert "Remove full machine" not in page
    target = application.targets.get()
    answer = client.post(f"/a/storm/hydro/targets/{target.pk}/", {"action": "default"}, follow=True)
    assert "full machine stays as it is now." in answer.content.decode()
    assert "Remove full machine" in answer.content.decode()
    assert not application.targets.get().automatic


TAINT = b"""{
  "functions_mangled_names": ["_Z1fv", "main"], "functions_demangled_names": ["f()", "main"],
  "parameters": ["p"], "unused_parameters": ["n"],
  "functions": {"_Z1fv": {"loops": [{"deps": [["p"]]}]}, "main": {"loops": []}}
}"""


def test_dependencies_can_be_stored_replaced_and_removed(client, application):
    for name in ("first.json", "second.json"):
        file = SimpleUploadedFile(name, TAINT)
        assert client.post(URL, {"save": "dependencies", "file": file}).status_code == 302
    text = client.get(URL).content.decode()
    assert "second.json" in text
    assert "1 of 2 functions depend on p." in text
    client.post(URL, {"save": "no-dependencies"})
    assert "1 of 2 functions" not in client.get(URL).content.decode()
    client.post(URL, {"save": "no-dependencies"})
    actions = AuditEntry.objects.order_by("pk").values_list("action", "subject")
    assert list(actions) == [
        ("dependencies.store", "hydro: first.json"),
        ("dependencies.store", "hydro: second.json"),
        ("dependencies.remove", "hydro: second.json"),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"p": 4}', "no key “functions_demangled_names”"),
        (b"\xff", "not UTF-8"),
        (b"", "empty"),
        (b" " * 2_000_001, "at most"),
    ],
)
def test_a_file_without_dependencies_is_refused_beside_the_field(client, application, content, message):
    file = SimpleUploadedFile("taint.json", content)
    answer = client.post(URL, {"save": "dependencies", "file": file})
    assert answer.status_code == 422
    assert message in answer.content.decode()
    assert not Dependencies.objects.exists()


@pytest.mark.parametrize("typed", ["https://github.com/team/solver", " https://github.com/team/solver.git "])
def test_the_repository_is_stored_and_versions_link_to_it(client, application, typed):
    for label in ("1.0", "1.1"):
        make_run(make_campaign(application, label), {"main": (1.0, [])})
    assert client.post(URL, {"save": "repository", "repository": typed}).status_code == 302
    application.refresh_from_db()
    assert application.repository == "https://github.com/team/solver"
    assert AuditEntry.objects.get().action == "application.repository"
    page = client.get("/a/storm/hydro/compare/").content.decode()
    assert "https://github.com/team/solver/compare/0000000eeeee...0000001eeeee" in page
    assert (
        "https://github.com/team/solver/commit/0000001eeeee"
        in client.get("/a/storm/hydro/history/?kernels=all").content.decode()
    )
    client.post(URL, {"save": "repository", "repository": ""})
    assert "github.com" not in client.get("/a/storm/hydro/compare/").content.decode()


@pytest.mark.parametrize(
    "typed",
    [
        "http://github.com/t/s",
        "javascript:alert(1)",
        "https://me:secret@github.com/t/s",
        "https://github.com/t/s?x",
        "https://github.com",
        "github.com/t/s",
        "https://github.com/" + "s" * 300,
    ],
)
def test_an_invalid_repository_address_is_refused(client, application, typed):
    answer = client.post(URL, {"save": "repository", "repository": typed})
    assert answer.status_code == 422
    assert "expected an address such as" in answer.content.decode()
    application.refresh_from_db()
    assert application.repository == ""


def test_rules_of_releases_are_stored_and_shown(client, application):
    policy = "P(total slower than 2 % at the target) > 0.9"
    answer = client.post(URL, {"save": "releases", "main_branch": "develop", "gate_policy": policy})
    assert answer.status_code == 302
    rules = ReleaseRules.objects.get()
    assert (rules.main_branch, rules.gate_policy) == ("develop", policy)
    assert AuditEntry.objects.get().action == "application.releases"
    assert policy.replace(">", "&gt;") in client.get(URL).content.decode()
    client.post(URL, {"save": "releases", "main_branch": "develop", "gate_policy": policy})
    assert AuditEntry.objects.count() == 1


def test_an_invalid_policy_is_refused_beside_the_field(client, application):
    answer = client.post(URL, {"save": "releases", "gate_policy": "whatever"})
    assert answer.status_code == 422
    assert "expected a condition" in answer.content.decode()
    assert not ReleaseRules.objects.exists()
