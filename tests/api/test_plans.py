"""The plan of what to measure next, over REST."""

from urllib.parse import urlencode

import pytest

from ingest.models import Kernel
from modeling.models import Plan
from perfweb.accounts.models import Role, Scope
from tests.factories import make_application, make_member, make_project, make_token
from tests.modeling.stored import modelled

pytestmark = pytest.mark.django_db

URL = "/api/v1/applications/hydro/plan/"


@pytest.fixture(scope="module")
def token(rows_of_module):
    """Return the token of an owner, whose application was measured and modelled."""
    project = make_project("storm")
    modelled(project, "1.0", {"main": lambda p: 1 + 0.1 * p}, noise=0.2)
    return make_token(make_member(project, Role.OWNER), project, Scope.READ, Scope.UPLOAD)[1]


@pytest.fixture
def caller(client, token):
    client.defaults["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    return client


def test_it_works(caller, django_assert_max_num_queries):
    asked = {"script": "slurm", "values.p": "4,8,16,32,64,128", "target": "p:512"}
    caller.get(URL, asked)
    with django_assert_max_num_queries(12):
        answer = caller.get(URL, asked)
    body = answer.json()
    assert answer.status_code == 200
    assert (body["id"], body["version"], body["goal"], body["problem"]) == (None, "1.0", "interval", "")
    assert body["points"][0].keys() == {
        "values",
        "repetitions",
        "core_hours",
        "buys",
        "width_after",
        "guessed",
    }
    assert body["guessed"] is body["points"][0]["guessed"] is None
    assert body["expected"]["width_after"] < body["expected"]["width_before"]
    assert body["core_hours"] == pytest.approx(sum(point["core_hours"] for point in body["points"]))
    assert body["script"].startswith("#!/usr/bin/env bash\n#SBATCH")
    assert "of the variance at the target" in body["text"]
    assert not Plan.objects.exists()


def test_a_plan_can_be_kept(caller):
    answer = caller.post(URL + "?values.p=4,8,16,32,64,128&target=p:512&script=shell")
    plan = Plan.objects.get()
    assert answer.status_code == 201
    assert answer.json()["id"] == plan.pk
    assert f"--campaign plan-{plan.pk}" in answer.json()["script"]
    assert plan.target == {"p": 512.0}


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"goal": "best"}, "Found the goal “best”"),
        ({"budget": "none"}, "Found “none” for budget"),
        ({"target": "x:1"}, "sets no parameter"),
        ({"script": "cobalt"}, "Found “cobalt”"),
        ({"metric": "energy"}, "Found “energy”"),
    ],
)
def test_invalid_parameters_are_refused(caller, asked, told):
    answer = caller.get(URL, asked)
    assert answer.status_code == 400
    assert told in answer.content.decode()
    assert "planned" not in answer.content.decode()


def test_a_plan_for_rival_laws_has_the_probability_of_the_right_one(caller):
    body = caller.get(URL, {"goal": "rivals", "values.p": "4..512", "runs": "2", "target": "p:64"}).json()
    certainty = body["expected"]["certainty"]
    assert 0.5 <= certainty["before"] <= certainty["after"] <= 1
    assert f"Probability of the right law: {100 * certainty['before']:.3g} % now" in body["text"]
    assert caller.get(URL, {"goal": "interval"}).json()["expected"]["certainty"] is None


def test_a_budget_below_the_smallest_point_gives_the_nearest_plan(caller):
    body = caller.get(URL, {"budget": "1e-12"}).json()
    assert "the cheapest point takes" in body["problem"]
    assert len(body["points"]) == 1


def test_an_application_without_measurements_has_no_plan(client):
    project = make_project("gale")
    make_application(project)
    client.force_login(make_member(project, Role.OWNER))
    assert client.get(URL).json()["problem"] == "Say which values of p, n may be measured."
    assert client.post(URL).status_code == 400


def test_the_program_is_the_sum_of_its_functions(caller):
    body = caller.get(URL, {"goal": "profile"}).json()
    program = body["program"]
    assert program["lower"] < program["predicted"] < program["upper"]
    assert caller.get(URL, {"goal": "interval"}).json()["program"] is None


def test_a_plan_respects_the_limits_of_a_run(caller):
    body = caller.get(URL, {"processes": "8", "values.p": "4,8,16,32,64"}).json()
    assert max((point["values"]["p"] for point in body["points"]), default=0) <= 8
    assert "the hours of a run" in caller.get(URL, {"hours": "1e-9"}).json()["problem"]


def test_a_version_that_is_not_measured_yet_starts_from_the_latest_one(caller):
    body = caller.get(URL, {"version": "2.0", "target": "p:256"}).json()
    assert body["version"] == "2.0"
    assert body["points"]
    assert "version before are used" in body["text"]
    assert body["total"] is None


def test_widths_are_factors_of_the_totals_interval(caller):
    body = caller.get(URL, {"target": "p:512", "wait": "2", "memory": "1"}).json()
    total = body["total"]
    assert total["lower"] < total["predicted"] < total["upper"]
    assert body["expected"]["width_before"] == pytest.approx((total["upper"] / total["lower"]) ** 0.5)
    assert body["points"][-1]["width_after"] == pytest.approx(body["expected"]["width_after"])
    assert body["turnaround"]["side_by_side"] > 2
    assert body["notes"] == [
        "The limit on memory has no effect: no metric of memory was measured. Say how much a process needs."
    ]


def test_a_plan_may_be_for_one_kernel(caller):
    kernel = Kernel.objects.get(path="main")
    assert caller.get(URL, {"target": "p:512", "kernel": str(kernel.pk)}).json()["total"] is not None
    other = caller.get(URL, {"target": "p:512", "kernel": "999999"}).json()
    assert other["notes"] == ["This version has no such kernel: the plan is for the whole program."]
    assert caller.get(URL, {"kernel": "x"}).status_code == 400


@pytest.fixture
def newcomer(client):
    """Return a client with the token of a contributor whose project has no application."""
    project = make_project("gale")
    _, token = make_token(make_member(project, Role.CONTRIBUTOR), project, Scope.READ, Scope.UPLOAD)
    client.defaults["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    return client


FIRST = {"values.p": "2..64", "values.n": "10..80", "seconds": "90", "known.p": "8", "budget": "10"}


def test_an_application_that_does_not_exist_yet_gets_a_first_plan(newcomer):
    assert newcomer.get(URL).status_code == 404
    body = newcomer.get(URL, FIRST | {"script": "slurm", "version": "0.1"}).json()
    assert (body["goal"], body["problem"], body["version"]) == ("first", "", "0.1")
    assert body["core_hours"] <= 10
    assert body["guessed"]["lower"] < body["core_hours"] < body["guessed"]["upper"]
    assert all(set(point["guessed"]) == {"lower", "upper"} for point in body["points"])
    assert "(guessed: " in body["text"]
    assert "90 s, within a factor of 1.5" in body["notes"][0]
    assert "--application hydro" in body["script"]
    kept = newcomer.post(URL + "?" + urlencode(FIRST | {"version": "0.1"})).json()
    plan = Plan.objects.get(pk=kept["id"])
    assert (plan.application.slug, len(plan.costs_lower)) == ("hydro", len(kept["points"]))


def test_invalid_questions_about_a_first_plan_are_refused(newcomer):
    body = newcomer.get(URL, FIRST | {"values.n": "-1, 10, 20"}).json()
    assert "Found “-1” for n" in body["problem"]
    assert {point["values"]["n"] for point in body["points"]} == {10, 20}
    assert newcomer.post(URL + "?version=1&values.n=-1,10&seconds=1").status_code == 400
    assert newcomer.get(URL, {"seconds": "1", "values.n": "x"}).status_code == 400
    assert newcomer.get(URL, FIRST | {"project": "calm"}).status_code == 400
    assert not Plan.objects.exists()
