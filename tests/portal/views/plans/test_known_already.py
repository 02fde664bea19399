"""What the planner proposes if hardly anything is known, or nearly all that is asked for."""

import pytest

from ingest.models import Upload
from ingest.services import upload_ingest
from modeling.models import ModelRun
from modeling.tasks import run_execute
from perfweb.accounts.models import Project, Role
from tests.factories import make_member, make_project
from tests.ingest.sent import send
from tests.modeling.stored import modelled

pytestmark = pytest.mark.django_db

URL = "/a/storm/hydro/planner/"


@pytest.fixture
def measure(client):
    """Return a function that measures and models a version of an application at some values of p."""
    project = make_project("storm")
    client.force_login(make_member(project, Role.CONTRIBUTOR))

    def measured(processes, noise, version="1.0"):
        laws = {"solve": lambda p: 3 + 0.2 * p, "halo": lambda p: 2 + 0.02 * p}
        return modelled(project, version, laws, processes, noise=noise)

    return measured


def test_a_version_with_one_point_gets_lines_of_values(client, measure):
    """Further runs at the only point were proposed, because they narrow the interval there."""
    measure((4,), 0.05)
    answer = client.get(URL)
    assert answer.context["question"].goal == "first"
    assert answer.context["question"].values == (("p", (4, 8, 16, 32, 64)),)
    assert answer.context["plan"].points.ravel().tolist() == [8, 16, 32, 64]
    told = "Costs assume that the time of a run does not change with p: one value was measured."
    assert told in answer.content.decode().replace("\xa0", " ")
    measure((4, 8), 0.05, "1.1")
    assert "Costs assume" not in client.get(URL, {"version": "1.1"}).content.decode()
    budget = str(2.5 * answer.context["plan"].costs[0] / 3)
    little = client.get(URL, {"version": "1.0", "budget": budget})
    first = little.context["plan"].reasons[0]
    assert first.startswith("p: fewer than 3 values, so these runs give no law yet.")
    assert "fewer than 3 values were measured" not in little.content.decode()


def test_a_design_needs_no_further_values_of_a_line(client, measure):
    """The smallest design had a sixth value, which cost more than all others together."""
    measure((4, 8, 16, 32, 64), 0.05)
    assert client.get(URL, {"goal": "profile"}).context["question"].values == (("p", (4, 8, 16, 32, 64)),)
    assert client.get(URL).context["question"].values[0][1][-1] > 64


def test_without_a_version_before_a_change_is_a_question_about_the_interval(client, measure):
    """A plan of 36 runs was called hardly worth it, although the total was known to less than 1 %."""
    measure((4, 8, 16, 32, 64), 0.002)
    answer = client.get(URL, {"goal": "change", "target": "p:64"})
    assert answer.context["plan"].reached
    assert not answer.context["plan"].runs
    page = answer.content.decode()
    assert "already known well enough" in page
    assert "There is no earlier version of these kernels to compare with." in page


def test_rival_laws_that_are_told_apart_are_named(client, measure):
    measure((4, 8, 16, 32, 64), 0.03, "0")
    answer = client.get(URL, {"goal": "rivals", "target": "p:64"})
    assert answer.context["plan"].reached
    page = answer.content.decode().replace("\xa0", " ")
    assert "Nothing is left to measure" in page
    assert "The rival laws are told apart: halo grows like p with a probability of" in page


def test_a_plan_for_rival_laws_shows_probabilities_instead_of_intervals(client, measure):
    measure((4, 8, 16, 32, 64), 0.06)
    answer = client.get(URL, {"goal": "rivals", "target": "p:64", "values.p": "4..512"})
    page = answer.content.decode()
    assert answer.context["plan"].runs
    assert "Probability of the right law" in page
    assert "The rivals are two laws of " in page
    assert "interval after it" not in page
    assert "Expected after the plan" not in page


def test_a_budget_that_helps_hardly_at_all_buys_nothing(client, measure):
    measure((4, 8, 16, 32, 64), 0.05)
    asked = {"target": "p:4096", "values.p": "4,8,16,32,64,128,256,512"}
    assert client.get(URL, asked).context["plan"].runs
    small = client.get(URL, asked | {"budget": "0.02"})
    page = small.content.decode().replace("\xa0", " ")
    assert not small.context["plan"].runs
    assert "All runs within the budget together would remove" in page
    assert "core hours, which is more than the budget." in page


def test_a_benchmark_without_parameters_is_only_repeated(client, measure):
    """Runs at the values 2, 4, 8 and 16 of a parameter were planned that stands for having none."""
    measure((4, 8, 16), 0.05)
    upload = send(
        Project.objects.get(), "kernel,time [s]\nmain,1.2\nmain,1.3\nmain,1.25", "2.0", application="bench"
    )
    upload_ingest(Upload.objects.get(pk=upload.pk))
    run_execute(ModelRun.objects.get(campaign__uploads=upload).pk)
    address = URL.replace("hydro", "bench")
    answer = client.get(address)
    assert answer.context["question"].values == (("configuration", (1,)),)
    assert set(answer.context["plan"].points.ravel().tolist()) <= {1}
    assert "name no parameter" in answer.content.decode()
