"""The page that plans the first measurements, before there is any."""

import json
import re

import pytest
from django.core.files.base import ContentFile

from ingest.models import Application, Dependencies, Upload
from ingest.services import dependencies_store, upload_ingest, upload_receive
from modeling.models import Plan
from perfweb.accounts.models import Role
from tests.factories import make_application, make_member, make_project
from tests.portal.views.plans.test_planner import TAINT

pytestmark = pytest.mark.django_db

URL = "/plan/"
ASKED = {
    "name.1": "p", "values.1": "2..4096", "grows.1": "-1", "known.1": "64",
    "name.2": "n", "values.2": "10..80", "grows.2": "3", "seconds": "120", "budget": "2000",
}  # fmt: skip


@pytest.fixture
def project(client):
    """Return a project, and sign in a contributor of it."""
    project = make_project("storm")
    client.force_login(make_member(project, Role.CONTRIBUTOR))
    return project


def test_it_works(client, project, django_assert_max_num_queries):
    client.get(URL)
    with django_assert_max_num_queries(12):
        answer = client.get(URL, ASKED)
    page, plan = answer.content.decode(), answer.context["plan"]
    assert dict(answer.context["question"].values) == {
        "p": tuple(2.0**power for power in range(1, 13)), "n": (10, 20, 30, 40, 50, 60, 70, 80),
    }  # fmt: skip
    assert plan.cost <= 2000
    assert set(plan.repetitions.tolist()) == {3}
    assert sorted(plan.points[plan.points[:, 1] == 10, 0]) == [2, 16, 128, 512, 4096]
    assert sorted(plan.points[plan.points[:, 0] == 2, 1]) == [10, 20, 30, 40, 50]
    assert "growth with p: value 5 of its line" in page
    assert "whether p and n add or multiply" in page
    assert "of 4096, because the budget" in page or "its largest value" in page
    assert "guessed, " in page
    assert 'value="10..80"' in page
    assert "grows like n^3 (powers of n from 2.75 to 3.25 are possible)" in page
    assert "Some of these runs take more than 24 hours" in page
    guessed = answer.context["proposal"].guessed
    assert (guessed.lower < plan.costs).all()
    assert (plan.costs < guessed.upper).all()


def test_a_wide_picture_has_only_columns_with_runs(client, project):
    """On a phone, the planned runs at the right of twelve columns were hidden."""
    answer = client.get(URL, ASKED)
    page = answer.content.decode()
    values = {f"{value:,.0f}" for value in answer.context["plan"].points[:, 0]}
    labels = re.findall(r'<text class="plan-value"[^>]*text-anchor="middle">([^<]+)', page)
    assert len(dict(answer.context["question"].values)["p"]) == 12
    assert set(labels) == values
    assert "Values of p without runs are left out." in page
    few = client.get(URL, ASKED | {"values.1": "2..64"}).content.decode()
    assert "Values of p without runs" not in few


def test_without_parameters_the_page_shows_an_empty_form(client, project):
    page = client.get(URL).content.decode()
    assert "name of parameter 1" in page
    assert "No plan" not in page
    for path in ("/", "/upload/"):
        assert URL in client.get(path).content.decode()


def test_keeping_a_plan_makes_the_application_and_arriving_runs_are_counted(client, project):
    query = "?" + "&".join(f"{name}={text}" for name, text in ASKED.items())
    sent = {"project": "storm", "application": "Hydro 2", "version": "0.1"}
    answer = client.post(URL + query, sent, follow=True)
    plan = Plan.objects.get()
    assert plan.application == Application.objects.get(slug="hydro-2", name="Hydro 2", project=project)
    page = answer.content.decode()
    assert f"0 of {plan.runs} runs" in page
    assert "guessed" in page
    assert plan.costs_total[0] < plan.cost < plan.costs_total[1]
    script = client.get(f"/a/storm/hydro-2/planner/{plan.pk}/script.slurm").content.decode()
    assert re.search(r"--campaign plan-\d+", script)
    assert "--application hydro-2" in script
    assert 'srun -n "$p"' in script or 'srun --ntasks="$p"' in script
    rows = [{"params": {"p": p, "n": n}, "value": [1.0] * 3} for p, n in plan.points[:4]]
    file = ContentFile("\n".join(map(json.dumps, rows)).encode(), name="first.jsonl")
    upload = upload_receive(project=project, application="hydro-2", version="0.1", file=file, user=None)
    upload_ingest(Upload.objects.get(pk=upload.pk))
    page = client.get(f"/a/storm/hydro-2/planner/{plan.pk}/").content.decode()
    assert f"{sum(plan.repetitions[:4])} of {plan.runs} runs" in page
    assert "this is guessed" in page
    rows = [{"params": {"p": p, "n": n}, "value": [1.0] * 3} for p, n in plan.points[4:]]
    file = ContentFile("\n".join(map(json.dumps, rows)).encode(), name="more.jsonl")
    upload = upload_receive(project=project, application="hydro-2", version="0.1", file=file, user=None)
    upload_ingest(Upload.objects.get(pk=upload.pk))
    page = client.get(f"/a/storm/hydro-2/planner/{plan.pk}/").content.decode()
    assert f"{plan.runs} of {plan.runs} runs" in page
    assert "Ask again to see what these runs have shown" in page
    assert "this is guessed" not in page


@pytest.mark.parametrize(
    ("change", "told", "runs"),
    [
        ({"budget": "0.001"}, "a run of the cheapest point takes", 1),
        ({"processes": "1"}, "breaks the limit of at most 1 for p", 1),
        ({"hours": "1e-9"}, "breaks the limit on the hours of a run", 1),
        ({"values.1": "-4, 8, 16, 32"}, "Found “-4” for p, expected positive numbers", None),
        ({"values.1": "4096..2"}, "Found the range 4096..2 for p", None),
        ({"values.1": "2, 4.5, 8"}, "Found 4.5 for p, expected whole numbers of processes", None),
        ({"hours": "1e-9"}, "1 configuration, about", 1),
        ({"grows.1": "0"}, "its time does not depend on p (powers of p from −0.25 to 0.25", None),
        ({"grows.1": "-1"}, "its time falls like 1/p (powers of p from −1.25 to −0.75", None),
        ({"name.2": ""}, "in a row without a name; planned without this row", None),
        ({"name.1": "", "name.2": ""}, "Name the parameters that may be varied", 0),
        ({"values.2": ""}, "Say which values of n may be measured", 0),
        ({"grows.2": "steep"}, "Found “steep” for grows.n, expected a power", None),
        ({"seconds": "-1"}, "Found “-1” for seconds", None),
        ({"name.1": "p" * 81}, "Left out “pppp", None),
        ({"budget": "400"}, "because the budget does not allow for more", None),
        ({"values.2": "2592001, 3e6, 4e6"}, "2,592,001", None),
        ({"budget": "400"}, "The cheapest points are run more often", None),
        ({"repetitions": "7", "runs": "20"}, "instead of 7 times, because at most 20 runs are planned", None),
    ],
)
def test_an_impossible_question_gets_the_nearest_plan(client, project, change, told, runs):
    answer = client.get(URL, ASKED | change)
    plan = answer.context["proposal"].plan
    assert told in answer.content.decode()
    assert (plan.runs if plan else 0) == runs if runs is not None else plan.runs


def test_only_contributors_can_keep_a_plan(client):
    project = make_project("storm")
    client.force_login(make_member(project, Role.VIEWER))
    query = "?values.p=2,4,8,16,32"
    assert "Keep this plan" not in client.get(URL + query).content.decode()
    sent = {"project": "storm", "application": "hydro", "version": "1"}
    assert client.post(URL + query, sent).status_code == 403
    assert not Application.objects.exists()


def test_known_dependencies_give_a_deduced_design(client, project):
    application = make_application(project)
    user = project.memberships.get().user
    dependencies_store(application=application, file=ContentFile(TAINT, "taint.json"), user=user)
    address = f"/a/storm/{application.slug}/planner/"
    assert address in client.get(f"/a/storm/{application.slug}/").content.decode()
    answer = client.get(address, ASKED | {"budget": "20000"})
    plan = answer.context["plan"]
    assert answer.context["question"].goal == "profile"
    assert "p and n need not be crossed: no function depends on both." in answer.content.decode()
    assert plan.cost <= 20000
    assert len(set(plan.points[:, 0])) == 5
    wider = answer.context["plan"].points.max(axis=0)
    cheap = client.get(address, ASKED | {"budget": ""}).context["plan"]
    assert (wider >= cheap.points.max(axis=0)).all()
    assert (wider > cheap.points.max(axis=0)).any()


@pytest.mark.parametrize(
    ("iterations", "values", "told"),
    [
        ("1, 1.01, 0.99", 1, "its iterations differ by only 0.82 % (coefficient of variation)"),
        ("1, 2", 2, "p stays in the design: iterations of the main loop differ by 33 %"),
    ],
)
def test_the_iterations_of_the_main_loop_are_checked(client, project, iterations, values, told):
    """The analysis found that one function depends on p, and another one on n."""
    application = make_application(project)
    user = project.memberships.get().user
    dependencies_store(application=application, file=ContentFile(TAINT, "taint.json"), user=user)
    asked = {"values.p": "2,4", "values.n": "1,2,3,4,5", "seconds": "10", "linear": "p"}
    answer = client.get(f"/a/storm/{application.slug}/planner/", asked | {"iterations": iterations})
    assert told in " ".join(answer.context["why"])
    assert len(set(answer.context["plan"].points[:, 0])) == values
    assert 'name="iterations"' in answer.content.decode()


def test_computed_parameters_get_their_values(client, project):
    """n is computed from p, so only p varies freely, and costs use both."""
    application = make_application(project)
    user = project.memberships.get().user
    dependencies_store(application=application, file=ContentFile(TAINT, "taint.json"), user=user)
    asked = {"values.p": "2,4,8,16,32", "values.n": "4,16", "seconds": "10", "dependent": "n = p * p"}
    plan = client.get(f"/a/storm/{application.slug}/planner/", asked).context["plan"]
    assert plan.parameters == ("p", "n")
    assert (plan.points[:, 1] == plan.points[:, 0] ** 2).all()
    assert len(plan) == 5


def test_a_new_application_may_begin_with_its_dependencies(client, project):
    """The smallest design needs no measurement, so a profile may be the first thing that is stored."""
    project.memberships.update(role=Role.MAINTAINER)
    query = "?" + "&".join(f"{name}={text}" for name, text in ASKED.items())
    assert "If it is known what functions depend on" in client.get(URL + query).content.decode()
    file = ContentFile(TAINT, name="taint.json")
    sent = {"project": "storm", "application": "Hydro 2", "dependencies": "1"}
    answer = client.post(URL + query, {**sent, "file": file})
    assert Dependencies.objects.get().application.slug == "hydro-2"
    plan = client.get(answer.headers["Location"]).context["proposal"].plan
    assert "depends on" in " ".join(plan.reasons)
    answer = client.post(URL + query, {**sent, "application": "Kripke"})
    assert answer.headers["Location"].startswith("/a/storm/kripke/planner/profile/?")
    assert "name of another function" in client.get(answer.headers["Location"]).content.decode()


def test_the_table_of_dependencies_leads_back_to_the_same_question(client, project):
    """The time of a run, how it grows, and the budget were lost on the way."""
    project.memberships.update(role=Role.MAINTAINER)
    sent = {"project": "storm", "application": "Hydro", "dependencies": "1"}
    asked = "?" + "&".join(f"{name}={text}" for name, text in ASKED.items())
    table = client.post(URL + asked, sent).headers["Location"]
    answer = client.post(table, {"new.1.name": "sweep", "new.1": ["0", "1"]})
    question = client.get(answer.headers["Location"]).context["question"]
    assert (question.goal, question.seconds, question.budget) == ("profile", 120, 2000)
    assert dict(question.grows) == {"p": -1, "n": 3}
    assert dict(question.known) == {"p": 64}


def test_a_parameter_that_is_named_twice_is_reported(client, project):
    asked = {"name.1": "p", "values.1": "2..64", "name.2": "p", "values.2": "3,5,9"}
    answer = client.get(URL, asked)
    assert "Found p in more than one row; planned for the last one." in answer.content.decode()
    assert dict(answer.context["question"].values) == {"p": (3, 5, 9)}


def test_a_budget_below_any_run_promises_no_first_run(client, project):
    answer = client.get(URL, ASKED | {"budget": "0.0001"})
    page = answer.content.decode()
    assert "a run of the cheapest point takes" in page
    assert "Run and upload the first" not in page


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({"application": "…"}, "expected a name with at least one letter"),
        ({"file": ContentFile(b"{}", name="other.json")}, "other.json"),
    ],
)
def test_a_wrong_file_or_name_makes_no_application(client, project, sent, told):
    project.memberships.update(role=Role.MAINTAINER)
    fields = {"project": "storm", "application": "hydro", "dependencies": "1"}
    answer = client.post(URL, fields | sent, follow=True)
    assert told in answer.content.decode()
    assert not Application.objects.exists()


def test_only_maintainers_can_begin_with_dependencies(client):
    client.force_login(make_member(make_project("storm"), Role.CONTRIBUTOR))
    assert "If it is known" not in client.get(URL).content.decode()
    sent = {"project": "storm", "application": "hydro", "dependencies": "1"}
    assert client.post(URL, sent).status_code == 403


def test_parameters_named_in_the_address_become_columns_of_the_profile(client, project):
    make_application(project).parameters.all().delete()
    page = client.get("/a/storm/hydro/planner/profile/?values.q=2,4").content.decode()
    assert '<th scope="col">q</th>' in page
