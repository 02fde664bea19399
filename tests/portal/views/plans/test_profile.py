"""The table of the parameters on which functions depend."""

import pytest
from django.core.files.base import ContentFile

from ingest.models import Application, Dependencies
from ingest.services import dependencies_store
from perfweb.accounts.models import AuditEntry, Role
from tests.factories import make_application, make_member, make_plan, make_project
from tests.modeling.stored import modelled
from tests.portal.views.plans.test_planner import TAINT

pytestmark = pytest.mark.django_db

URL = "/a/storm/hydro/planner/profile/"


@pytest.fixture(scope="module")
def modelled_once(rows_of_module):
    """Make an application that was measured and modelled, and a maintainer of its project."""
    project = make_project("storm")
    laws = {"main": lambda p: 5.0, "main->halo": lambda p: 2 + 0.02 * p * p}
    modelled(project, "1.0", laws, (4, 8, 16, 32, 64), noise=0.01)
    return project.applications.get().pk, make_member(project, Role.MAINTAINER)


@pytest.fixture
def hydro(client, modelled_once):
    """Sign in the maintainer, and return the application."""
    application, member = modelled_once
    client.force_login(member)
    return Application.objects.get(pk=application)


def test_it_works(client, hydro, django_assert_max_num_queries):
    client.get(URL)
    with django_assert_max_num_queries(12):
        answer = client.get(URL)
    rows = {row.name: row for row in answer.context["table"].rows}
    assert rows["halo"].parameters == {"p"}
    assert rows["main"].parameters == set()
    assert all(row.inferred for row in rows.values())
    page = answer.content.decode()
    assert page.count("checked") == 1
    assert 'aria-label="halo depends on p" checked' in page


def test_a_stored_table_determines_the_designs(client, hydro):
    names = [row.name for row in client.get(URL).context["table"].rows]
    sent = {f"f{names.index('main')}": ["0"], "new.1.name": " swap  ends ", "new.1": []}
    answer = client.post(URL, sent)
    assert answer.headers["Location"] == "/a/storm/hydro/planner/?goal=profile"
    stored = Dependencies.objects.get()
    assert (stored.file_name, stored.parameters) == ("table filled in by hand", ["p"])
    assert {row["name"]: row["depends_on"] for row in stored.functions} == {
        "halo": [], "main": [["p"]], "swap ends": [],
    }  # fmt: skip
    assert AuditEntry.objects.filter(action="dependencies.store").exists()
    page = client.get(answer.headers["Location"] + "&values.p=4,8,16,32,64")
    assert len(page.context["plan"]) == 5
    assert page.context["usual_runs"] is None
    assert client.get(answer.headers["Location"] + "&budget=1").context["usual_runs"] == 100
    assert "2 functions (halo, swap ends) depend on no parameter" in " ".join(page.context["plan"].reasons)
    assert not any(row.inferred for row in client.get(URL).context["table"].rows)
    kept = f"/a/storm/hydro/planner/{make_plan(hydro).pk}/"
    assert "Filters for the instrumentation" in client.get(kept).content.decode()
    client.post(URL, {f"f{number}": ["0"] for number in range(3)})
    assert "Filters for the instrumentation" not in client.get(kept).content.decode()


def test_a_stored_function_with_arguments_is_not_listed_twice(client, hydro):
    taint = TAINT.replace(b"reduce", b"halo(int)")
    client.post(URL, {"file": ContentFile(taint, name="taint.json")})
    names = [row.name for row in client.get(URL).context["table"].rows]
    assert "halo(int)" in names
    assert "halo" not in names


def test_several_functions_are_added_at_once_and_the_values_are_kept(client, hydro):
    sent = {"new.1.name": "sweep", "new.1": ["0"], "new.3.name": "reduce", "new.3": ["0"]}
    answer = client.post(f"{URL}?values.p=4,8,16,32,64", sent)
    assert answer.headers["Location"].endswith("/planner/?values.p=4%2C8%2C16%2C32%2C64&goal=profile")
    assert {row["name"] for row in Dependencies.objects.get().functions} >= {"sweep", "reduce"}


def test_a_file_replaces_the_table(client, hydro):
    answer = client.post(URL, {"file": ContentFile(TAINT, name="taint.json")})
    assert answer.headers["Location"] == "/a/storm/hydro/planner/?goal=profile"
    assert Dependencies.objects.get().file_name == "taint.json"
    answer = client.post(URL, {"file": ContentFile(b"{}", name="other.json")}, follow=True)
    assert "other.json" in answer.content.decode()
    assert Dependencies.objects.get().file_name == "taint.json"


def test_measured_functions_that_the_table_lacks_are_named(client, hydro):
    """A plan said that no function depends on both parameters, without knowing the measured ones."""
    ask = {"goal": "profile", "values.p": "4,8,16,32,64"}
    dependencies_store(
        application=hydro, file=ContentFile(TAINT, "taint.json"), user=make_member(hydro.project)
    )
    told = "The stored table lacks 2 of the 2 most expensive functions that were measured: halo, main."
    assert told in client.get("/a/storm/hydro/planner/", ask).content.decode()
    client.post(URL, {"new.1.name": "halo", "new.1": ["0"]})
    assert "The stored table lacks" not in client.get("/a/storm/hydro/planner/", ask).content.decode()


def test_without_a_table_dependencies_are_inferred_from_measurements(client, hydro):
    plan = client.get("/a/storm/hydro/planner/", {"goal": "profile", "values.p": "4,8,16,32,64"}).context[
        "plan"
    ]
    assert "inferred from the laws of the 2 most expensive functions" in plan.reasons[0]
    assert len(plan) == 5


def test_unchanged_rows_keep_the_result_of_an_analysis(client, hydro):
    taint = TAINT.replace(b'{"deps": [["n"]]}', b'{"deps": [["n"]]}, {"deps": [["p"]]}')
    dependencies_store(
        application=hydro, file=ContentFile(taint, "taint.json"), user=make_member(hydro.project)
    )
    table = client.get(URL).context["table"]
    assert table.parameters == ("p", "n")
    before = {row.name: row.terms for row in table.rows}
    assert before["sweep(int)"] == {frozenset({"n"}), frozenset({"p"})}
    ticks = {
        f"f{number}": [table.parameters.index(name) for name in row.parameters]
        for number, row in enumerate(table.rows)
    }
    client.post(URL, ticks)
    assert {row.name: row.terms for row in client.get(URL).context["table"].rows} == before
    assert (
        next(row for row in Dependencies.objects.get().functions if row["demangled"] == "sweep(int)")["name"]
        == "_Z5sweepi"
    )


def test_the_page_says_that_nothing_is_known(client):
    project = make_project("gale")
    make_application(project)
    client.force_login(make_member(project, Role.MAINTAINER))
    address = URL.replace("storm", "gale")
    assert "No function is known yet." in client.get(address).content.decode()
    assert client.post(address, {}).status_code == 302
    assert not Dependencies.objects.exists()


def test_a_contributor_can_only_read(client, hydro):
    client.force_login(make_member(hydro.project, Role.CONTRIBUTOR))
    page = client.get(URL).content.decode()
    assert "Store the table" not in page
    assert page.count("disabled") == page.count('type="checkbox"')
    assert client.post(URL, {}).status_code == 403


def test_a_user_of_another_project_gets_404(client, hydro):
    client.force_login(make_member(make_project()))
    assert client.get(URL).status_code == 404
