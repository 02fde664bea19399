"""The page that plans which points to measure next."""

import json
import re

import numpy as np
import pytest
from django.core.files.base import ContentFile

from ingest.models import Application, Kernel, Upload
from ingest.services import dependencies_store, upload_ingest, upload_receive
from modeling.models import Model, ModelRun, Plan
from modeling.tasks import run_execute
from perfweb.accounts.models import Role
from tests.factories import make_application, make_member, make_plan, make_project
from tests.modeling.stored import modelled, store

pytestmark = pytest.mark.django_db

URL = "/a/storm/hydro/planner/"
OTHER_URL = "/a/gale/hydro/planner/"
TAINT = b"""{"functions_demangled_names": ["sweep(int)", "reduce"],
"functions_mangled_names": ["_Z5sweepi", "reduce"], "parameters": ["p", "n"],
"functions": {"_Z5sweepi": {"loops": [{"deps": [["n"]]}]},
"reduce": {"loops": [{"deps": [["p"]]}]}, "constant": {"loops": [], "line": 3}}}"""


@pytest.fixture(scope="module")
def modelled_once(rows_of_module):
    """Make an application that was measured and modelled, and a contributor of its project."""
    project = make_project("storm")
    laws = {"main": lambda p: 1 + 0.1 * p, "main->halo": lambda p: 2 + 0.02 * p * p}
    modelled(project, "1.0", laws, noise=0.2)
    return project.applications.get(), make_member(project, Role.CONTRIBUTOR)


@pytest.fixture
def hydro(client, modelled_once):
    """Sign in the contributor, and return the application."""
    application, member = modelled_once
    client.force_login(member)
    return Application.objects.get(pk=application.pk)


def test_it_works(client, hydro, django_assert_max_num_queries):
    client.get(URL)
    with django_assert_max_num_queries(12):
        answer = client.get(URL)
    plan = answer.context["plan"]
    page = answer.content.decode()
    assert answer.context["question"].goal == "interval"
    assert plan.runs
    assert plan.expected.width_after < plan.expected.width_before
    assert 'class="plan-grid fits"' in page
    assert "of the variance at the target" in page
    assert "core hours" in page


def test_an_assumed_time_is_said(client, hydro):
    """Without a measured time, costs are those of runs of 60 s, which no sentence said."""
    assert "Costs assume" not in " ".join(client.get(URL).context["proposal"].notes)
    laws = {"main": lambda p: 1 + 0.1 * p}
    project = make_project("rain")
    modelled(project, "1.0", laws, noise=0.2, metrics=("visits",))
    client.force_login(make_member(project, Role.CONTRIBUTOR))
    notes = client.get("/a/rain/hydro/planner/").context["proposal"].notes
    assert notes[0].startswith("Costs assume 60 s for a run")


def test_the_page_says_that_a_plan_hardly_helps(client, hydro):
    asked = {"target": "p:256", "values.p": "4,8,16", "runs": "1"}
    page = client.get(URL, asked).content.decode()
    assert "Hardly worth it: " in page
    assert "These runs remove only " in page
    assert "at all allowed points" in page
    assert "Hardly worth it" not in client.get(URL, {"target": "p:256"}).content.decode()


def test_a_plan_that_hardly_helps_names_a_run_that_would(client, hydro):
    def main(p):
        return (1 + 0.1 * p) * (1.2 if p in (8, 32) else 1)

    modelled(hydro.project, "1.1", {"main": main}, noise=0.01)
    asked = {"target": "p:1000", "values.p": "4,8,16,32"}
    told = " ".join(client.get(URL, asked).context["proposal"].plan.reasons)
    assert re.search(r"One run [^.]*target[^.]*, p = 1,000, would remove \d+ % of the width for", told)
    assert "other points are needed" not in told


def test_the_question_is_kept_in_the_address(client, hydro):
    answer = client.get(
        URL, {"goal": "first", "values.p": "4 8 16 32 64 128 256", "budget": "0.01", "runs": "3"}
    )
    question = answer.context["question"]
    assert (question.goal, question.budget, question.runs) == ("first", 0.01, 3)
    assert dict(question.values)["p"] == (4, 8, 16, 32, 64, 128, 256)
    assert 'value="4, 8, 16, 32, 64, 128, 256"' in answer.content.decode()


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"goal": "best"}, "Found the goal “best”"),
        ({"budget": "-1"}, "Found “-1” for budget, expected a number above 0; planned as if it were empty."),
        ({"values.p": "4, 1e308"}, "expected positive numbers up to 10³⁰"),
        ({"values.p": "4, x"}, "Found “x” for p"),
        ({"dependent": "a"}, "spacing = vol / cubes"),
        ({"budget": "1e-12"}, "The nearest plan"),
        ({"goal": "profile"}, "The dependencies of the functions are not stored"),
        ({"processes": "2"}, "the nearest one, p = 4, breaks the limit of at most 2 for p"),
        ({"hours": "1e-9"}, "breaks the limit on the hours of a run"),
        ({"goal": "profile", "processes": "2"}, "Limits: found at most 2 for p, expected 4 or more."),
        ({"goal": "profile", "budget": "1e-9"}, "but the smallest design takes"),
        (
            {"goal": "profile", "runs": "3", "values.p": "3,6,12,24"},
            "Runs: found at most 3, but the smallest",
        ),
        ({"goal": "profile", "hours": "1e-9"}, "points of the deduced design beyond the limits"),
        ({"goal": "profile", "dependent": "p = q * q"}, "Found q in “p = q * q”, expected other parameters"),
        ({"goal": "change"}, "no earlier version of these kernels to compare with"),
        ({"runs": "41"}, "Found 41 for runs, expected a whole number from 1 to 40; planned with 40."),
    ],
)
def test_invalid_values_are_named(client, hydro, asked, told):
    answer = client.get(URL, asked)
    assert answer.status_code == 200
    assert told in answer.content.decode()


def test_known_dependencies_give_the_smallest_design(client, hydro):
    dependencies_store(
        application=hydro, file=ContentFile(TAINT, "taint.json"), user=make_member(hydro.project)
    )
    asked = {"goal": "profile", "values.p": "4,8,16,32,64"}
    answer = client.get(URL, asked)
    assert "g depends" not in answer.content.decode()
    assert "expected some of p" in answer.content.decode()


def test_limits_hold(client, hydro):
    asked = {"values.p": "4,8,16,32,64,128,256,512", "target": "p:4096", "processes": "128"}
    assert client.get(URL, asked).context["plan"].points.max() <= 128
    designed = client.get(URL, asked | {"goal": "profile"}).context["plan"]
    assert designed.points.max() == 128


def test_a_deduced_design_keeps_the_limits_of_a_run(client, hydro):
    """Runs of the largest value take too long. Its line ends earlier, and the page says so."""
    asked = {"goal": "profile", "values.p": "4,8,16,32,64,128,256"}
    seconds = 3 + 0.1 * 128 + 0.02 * 128**2
    answer = client.get(URL, asked | {"hours": str(1.2 * seconds / 3600)})
    assert answer.context["plan"].points.max() == 128
    assert "p = 256: left out, because runs there would be beyond the limits." in answer.context["why"]


def test_laws_of_an_older_version_are_used_if_the_one_before_has_none(client, hydro):
    """Version 1.0 has five values. Versions 1.1 and 1.2 have two each, too few for laws."""
    laws = {"main": lambda p: 1 + 0.1 * p, "main->halo": lambda p: 2 + 0.02 * p * p}
    for version in ("1.1", "1.2"):
        modelled(hydro.project, version, laws, processes=(4, 64), noise=0.05)
    for asked in ({"version": "1.2"}, {"version": "1.2", "fresh": "1"}):
        answer = client.get(URL, {"target": "p:256", **asked})
        page = answer.content.decode()
        assert answer.context["plan"].expected is not None
        assert "version before are used" in page
        assert "Here, the version before is 1.0: later ones were measured at too few values for laws." in page
    before = client.get(URL, {"target": "p:256", "version": "1.1"}).content.decode()
    assert "version before are used" in before
    assert "Here, the version before" not in before


def test_dependencies_are_inferred_from_the_version_before(client):
    """Version 1.0 shows that no kernel depends on both parameters. Version 1.1 has a single point, from which
    nothing can be inferred.
    """
    project = make_project("gale")
    client.force_login(make_member(project))
    random = np.random.default_rng(3)
    grid = [(p, n) for p in (4, 8, 16, 32, 64) for n in (10, 20, 40, 80, 160)]
    for version, points in (("1.0", grid), ("1.1", grid[:1])):
        rows = [
            {
                "params": {"p": p, "n": n},
                "callpath": kernel,
                "value": (time * random.normal(1, 0.01, 3)).tolist(),
            }
            for p, n in points
            for kernel, time in (("sweep", 1.0 * n), ("reduce", 0.5 * p))
        ]
        file = ContentFile("\n".join(map(json.dumps, rows)).encode(), name="grid.jsonl")
        upload = upload_receive(project=project, application="hydro", version=version, file=file, user=None)
        upload_ingest(Upload.objects.get(pk=upload.pk))
        run_execute(ModelRun.objects.get(campaign__uploads=upload).pk)
    asked = {"goal": "profile", "values.p": "4,8,16,32,64", "values.n": "10,20,40,80,160"}
    for version, where in (("1.0", "expensive functions. Check"), ("1.1", "functions in the version before")):
        answer = client.get(OTHER_URL, asked | {"version": version})
        assert len(answer.context["plan"]) == 5
        assert where in " ".join(answer.context["why"])


def test_the_runs_of_a_deduced_design_can_be_limited(client, hydro):
    asked = {"goal": "profile", "values.p": "5,10,20,40,80"}
    assert client.get(URL, asked).context["plan"].runs == 25
    assert client.get(URL, asked | {"runs": "12"}).context["plan"].repetitions.tolist() == [3, 3, 2, 2, 2]


def test_a_deduced_design_counts_what_was_measured(client, hydro):
    """The campaign has three runs at 4, 8, 16, 32 and 64 processes; five are usual."""
    asked = {"goal": "profile", "values.p": "8,16,32,64,128"}
    answer = client.get(URL, asked)
    assert answer.context["plan"].repetitions.tolist() == [2, 2, 2, 2, 5]
    assert "12 of the 25 runs of the smallest design were already made" in answer.content.decode()
    limited = client.get(URL, asked | {"runs": "5"}).context["plan"]
    assert (limited.points.tolist(), limited.repetitions.tolist()) == ([[128.0]], [3])
    version = client.get(URL, asked | {"fresh": "1"}).context["plan"]
    assert version.runs == 25


def test_the_runs_that_a_budget_pays_for_can_be_limited(client, hydro):
    asked = {"goal": "profile", "values.p": "4,8,16,32,64"}
    many = client.get(URL, asked | {"runs": "150", "budget": "1000"}).context["plan"]
    assert 100 < many.runs <= 150


def test_a_budget_adds_runs_to_a_design(client, hydro):
    asked = {"goal": "profile", "values.p": "4,8,16,32,64"}
    least = client.get(URL, asked).context["plan"]
    filled = client.get(URL, asked | {"budget": str(2 * least.cost)}).context["plan"]
    assert least.cost < filled.cost <= 2 * least.cost
    assert filled.runs > least.runs


def test_the_program_is_the_sum_of_its_functions(client, hydro):
    answer = client.get(URL, {"goal": "profile", "target": "p:128"})
    program = answer.context["proposal"].program
    assert program.predicted == pytest.approx(3 + 0.12 * 128 / 1.2 + 0.02 * 128**2, rel=0.15)
    assert program.lower < program.predicted < program.upper
    assert (program.functions, program.share) == (2, 1)
    assert "Modelled with only the parameters" in answer.content.decode()
    assert "left out" not in answer.content.decode()


def test_functions_without_a_value_at_the_largest_point_are_counted(client, hydro):
    Model.objects.filter(kernel__path="main->halo").update(largest=None)
    answer = client.get(URL, {"goal": "profile", "target": "p:128"})
    program = answer.context["proposal"].program
    assert (program.functions, program.share, program.unmeasured) == (1, 1, 1)
    assert "1 function without a value at the largest measured point is left out." in answer.content.decode()


def test_a_kept_plan_counts_the_runs_that_arrive(client, hydro):
    """Runs that were measured before the plan do not count. Runs of a later campaign of the same
    version do.
    """
    answer = client.post(URL + "?values.p=4,8,16,32,64,128,256", {"version": "1.0"})
    plan = Plan.objects.get()
    assert answer.headers["Location"] == f"{URL}{plan.pk}/"
    assert (plan.version_label, plan.question) == ("1.0", "values.p=4%2C8%2C16%2C32%2C64%2C128%2C256")
    page = client.get(answer.headers["Location"])
    assert page.context["progress"].arrived == 0
    assert page.context["progress"].verdict == "open"
    processes = tuple(int(p) for (p,) in plan.points)
    store(hydro.project, "1.0", {"main": lambda p: 1 + 0.1 * p}, processes)
    page = client.get(answer.headers["Location"])
    arrived = [task.arrived for task in page.context["progress"].tasks]
    assert arrived == [3] * len(plan.points)
    script = client.get(f"{URL}{plan.pk}/script.slurm", {"command": "srun ./hydro $p"})
    if max(plan.repetitions) <= 3:
        assert page.context["progress"].complete
        assert script.status_code == 302
    else:
        assert "srun ./hydro $p" in script.content.decode()


def test_a_plan_says_when_rival_laws_are_told_apart(client, hydro):
    """Laws of few noisy points are rivals, until many exact ones arrive."""
    asked = "?goal=rivals&values.p=4,8,16,32,64,128,256&target=p:128&runs=5"
    client.post(URL + asked, {"version": "1.0"})
    address = f"{URL}{Plan.objects.get().pk}/"
    assert client.get(address).context["progress"].verdict == "open"
    laws = {"main": lambda p: 1 + 0.1 * p, "main->halo": lambda p: 2 + 0.02 * p * p}
    modelled(hydro.project, "1.0", laws, (6, 12, 24, 48, 96, 128, 256, 512), noise=0.001)
    answer = client.get(address)
    assert answer.context["progress"].verdict == "reached"
    page = answer.content.decode()
    assert "one of the rival laws is far more probable" in page
    missing = not answer.context["progress"].complete
    assert ("The missing runs are not needed any more." in page) == missing
    assert "The interval of time at" not in page


def test_runs_of_a_later_campaign_count(client, hydro):
    client.post(URL + "?values.p=4,8,16,32,64,128,256,512&target=p:4096", {"version": "1.0"})
    address = f"{URL}{Plan.objects.get().pk}/"
    before = client.get(address).context["progress"].width
    laws = {"main": lambda p: 1 + 0.1 * p, "main->halo": lambda p: 2 + 0.02 * p * p}
    store(hydro.project, "1.0", laws, (128, 256, 512), noise=0.2)
    assert client.get(address).context["progress"].width != before
    assert 512 in client.get(URL).context["proposal"].measured


def test_a_plan_for_a_new_version_says_what_its_runs_are_expected_to_do(client, hydro):
    """This version has no interval yet, so there is nothing to say about now."""
    points = {"parameters": ["p"], "points": [[4], [128]], "measured": [0, 0], "target": {"p": 256}}
    plan = make_plan(hydro, "9.0", **points, width_before=1.4, width_after=1.1, machine_name="")
    page = client.get(f"{URL}{plan.pk}/").content.decode()
    told = "The interval of time at p = 256 was ± 40 %; ± 10 % is expected after all runs."
    assert told in page.replace("\xa0", " ")
    store(hydro.project, "9.0", {"main": lambda p: 1 + 0.1 * p}, (4, 128))
    page = client.get(f"{URL}{plan.pk}/").content.decode()
    assert "± 10 % was expected after all runs." in page.replace("\xa0", " ")


def test_the_script_starts_the_missing_runs(client, hydro):
    plan = make_plan(hydro, parameters=["p"], points=[[4], [128]], measured=[0, 0], machine_name="")
    page = client.get(f"{URL}{plan.pk}/")
    assert [task.ticked for task in page.context["progress"].tasks] == [True, False]
    answer = client.get(f"{URL}{plan.pk}/script.slurm", {"command": 'srun ./hydro "$p"\nrm -r /'})
    script = answer.content.decode()
    assert answer.headers["Content-Disposition"] == f'attachment; filename="plan-{plan.pk}.sbatch"'
    assert "#SBATCH --array=0-0" in script
    assert "hydro 1.0: 1 run\n" in script
    # The command is joined into one line, as job scripts require.
    assert 'srun ./hydro "$p" rm -r /\n' in script
    assert f"--campaign plan-{plan.pk}" in script
    assert client.get(f"{URL}{plan.pk}/script.cobalt").status_code == 302
    assert client.get(f"{URL}filter.gcc").status_code == 404


def test_a_plan_can_be_deleted(client, hydro):
    plan = make_plan(hydro)
    assert client.post(f"{URL}{plan.pk}/drop/").status_code == 302
    assert not Plan.objects.exists()


def test_an_application_without_measurements_asks_for_the_first_plan(client):
    project = make_project("gale")
    make_application(project)
    client.force_login(make_member(project))
    answer = client.get(OTHER_URL)
    assert "Say which values of p, n may be measured." in answer.content.decode()
    answer = client.get(OTHER_URL, {"values.p": "4,8,16", "values.n": "100,200,300"})
    assert len(answer.context["plan"]) == 6


def test_a_viewer_cannot_keep_a_plan(client, hydro):
    client.force_login(make_member(hydro.project))
    assert "Keep this plan" not in client.get(URL).content.decode()
    assert client.post(URL, {"version": "2.0"}).status_code == 403


def test_a_user_of_another_project_gets_404(client, hydro):
    client.force_login(make_member(make_project()))
    assert client.get(URL).status_code == 404


def test_uninformative_values_are_reported(client, hydro):
    modelled(hydro.project, "1.1", {"main": lambda p: 1 + 0.1 * p}, noise=0.2)
    answer = client.get(URL, {"goal": "interval", "values.p": "4", "target": "p:100000"})
    assert not answer.context["proposal"].plan.runs
    assert "Allow values that lie nearer to the target." in answer.content.decode()


def test_a_target_that_is_known_well_enough_needs_no_plan(client, hydro):
    modelled(hydro.project, "1.1", {"main": lambda p: 1 + 0.1 * p}, noise=1e-5)
    answer = client.get(URL, {"goal": "interval", "target": "p:128"})
    proposal, page = answer.context["proposal"], answer.content.decode()
    assert proposal.plan.reached
    assert not proposal.plan.runs
    assert "Already known well enough" in page
    assert proposal.outlook.width < 1.01


def test_the_interval_equals_that_of_the_other_pages(client, hydro):
    """The file has 7 values more than the page has columns: the growth of the law, the value of the formula,
    the upper end of the interval, both ends of the share's interval, and the target and the probability of
    intervals. There is no own share, because values do not include callees.
    """
    answer = client.get(URL)
    proposal, rows = answer.context["proposal"], answer.context["rows"]
    total = client.get("/a/storm/hydro/").context["snapshot"].total
    assert (proposal.outlook.lower, proposal.outlook.upper) == (total.lower, total.upper)
    assert proposal.plan.expected.width_before == pytest.approx((total.upper / total.lower) ** 0.5)
    shares = proposal.plan.left
    assert list(shares) == sorted(shares, reverse=True)
    assert proposal.plan.expected.width_after == pytest.approx(proposal.outlook.width ** shares[-1])
    assert all(row.interval for row in rows)


def test_a_wanted_interval_ends_the_plan(client, hydro):
    little, much = (
        client.get(URL, {"target": "p:256", "within": within}).context["plan"] for within in ("3", "2.5")
    )
    assert little.runs < much.runs


def test_a_limit_on_memory_uses_the_memory_per_process(client, hydro):
    asked = {"values.p": "4,8,16,32,64,128,256,512", "target": "p:4096", "memory": "200"}
    answer = client.get(URL, asked)
    assert "The limit on memory has no effect" in answer.content.decode()
    answer = client.get(URL, asked | {"memory_each": "2"})
    assert answer.context["plan"].points.max() <= 100
    assert "memory of a run" in answer.content.decode()


def test_a_limit_on_memory_uses_the_metric_of_memory(client, hydro):
    laws = {"main": lambda p: 5.0 * p, "main->halo": lambda p: 2.0 * p}
    modelled(hydro.project, "1.2", {"main": lambda p: 1 + 0.1 * p}, noise=0.2)
    modelled(hydro.project, "1.2", laws, metrics=("memory_MB",))
    metric = hydro.metrics.get(name="memory_MB")
    metric.unit = "MB"
    metric.save()
    asked = {"values.p": "4,8,16,32,64,128,256,512", "target": "p:4096", "memory": "1", "metric": "time"}
    answer = client.get(URL, asked)
    assert answer.context["plan"].points.max() <= 200


def test_additional_cost_per_job_leads_to_fewer_larger_runs(client, hydro):
    asked = {"values.p": "4,8,16,32,64,128,256", "target": "p:1024"}
    cheap = client.get(URL, asked).context["plan"]
    dear = client.get(URL, asked | {"overhead": "10", "wait": "3"})
    assert dear.context["plan"].points[0, 0] >= cheap.points[0, 0]
    assert dear.context["plan"].costs.sum() >= 10 * dear.context["plan"].runs
    when = dear.context["proposal"].turnaround
    assert when.side_by_side > 3
    assert when.in_turn >= 3 * when.jobs


def test_a_version_without_measurements_starts_from_the_previous_one(client, hydro):
    answer = client.get(URL, {"fresh": "1", "target": "p:256"})
    plan = answer.context["plan"]
    assert answer.context["proposal"].measured.shape == (0, 1)
    assert 0 < plan.runs < 15
    assert plan.expected.width_after < plan.expected.width_before
    assert "version before are used" in answer.content.decode()


def test_a_version_with_few_points_starts_from_the_previous_laws(client, hydro):
    laws = {"main": lambda p: 1 + 0.1 * p, "main->halo": lambda p: 2 + 0.02 * p * p}
    modelled(hydro.project, "1.1", laws, processes=(4, 64), noise=0.05)
    answer = client.get(URL, {"target": "p:256", "version": "1.1"})
    assert answer.context["plan"].expected is not None
    assert "version before are used" in answer.content.decode()
    slower = {"main": lambda p: 20 + p, "main->halo": lambda p: 2 + 0.02 * p * p}
    modelled(hydro.project, "1.2", slower, processes=(4, 64), noise=0.05)
    answer = client.get(URL, {"target": "p:256", "version": "1.2"})
    assert answer.status_code == 200


def test_runs_of_a_planned_version_count_when_it_is_first_measured(client, hydro):
    """Runs of the planned version tick the plan off when the version is measured for the first time."""
    answer = client.post(URL + "?fresh=1&target=p:256", {"version": "2.0"})
    plan = Plan.objects.get()
    assert plan.version_label == "2.0"
    assert client.get(answer.headers["Location"]).context["progress"].arrived == 0
    laws = {"main": lambda p: 1 + 0.1 * p, "main->halo": lambda p: 2 + 0.02 * p * p}
    modelled(hydro.project, "2.0", laws, processes=tuple(sorted({int(p) for (p,) in plan.points})))
    progress = client.get(answer.headers["Location"]).context["progress"]
    assert progress.arrived == plan.runs
    assert progress.width is not None


def test_a_plan_can_be_for_one_kernel(client, hydro):
    kernel = Kernel.objects.get(path="main->halo")
    answer = client.get(URL, {"kernel": str(kernel.pk), "target": "p:256"})
    alone, whole = answer.context["proposal"], client.get(URL, {"target": "p:256"}).context["proposal"]
    assert alone.kernel == "halo"
    assert alone.outlook.predicted < whole.outlook.predicted
    assert "About the kernel" in answer.content.decode()
    assert "halo at the target" in answer.content.decode()


def test_a_budget_is_spent_by_the_laws_that_measurements_show(client, hydro):
    """Runs that were made count as a part of the design, and the page says what chose the others."""
    asked = {"goal": "profile", "values.p": "4,8,16,32,64"}
    least = client.get(URL, asked).context["plan"]
    answer = client.get(URL, asked | {"budget": str(least.cost)})
    plan = answer.context["plan"]
    assert 0.5 * least.cost < plan.cost <= least.cost
    assert "by the laws that the measurements so far have shown" in " ".join(answer.context["why"])
    fresh = client.get(URL, asked | {"budget": str(2 * least.cost), "fresh": "1"})
    assert "in the mean over laws" in " ".join(fresh.context["why"])


def test_a_design_within_a_budget_is_not_called_the_smallest(client, hydro):
    asked = {"goal": "profile", "values.p": "4,8,16,32,64", "fresh": "1"}
    least = client.get(URL, asked)
    assert "These are the fewest points" in least.context["about"]
    filled = client.get(URL, asked | {"budget": str(least.context["plan"].cost)})
    assert "these runs reveal most about the target" in filled.context["about"]
    assert filled.context["plan"].runs <= 100


def test_a_long_table_of_runs_is_folded(client, hydro):
    asked = {"goal": "profile", "values.p": "4,8,16,32,64"}
    assert '<details class="more" open>' in " ".join(client.get(URL, asked).content.decode().split())
    many = {"goal": "profile", "values.p": ",".join(map(str, range(4, 30))), "fresh": "1"}
    answer = client.get(URL, many)
    assert len(answer.context["rows"]) > 20
    assert "<summary>Runs at 26 configurations</summary>" in answer.content.decode()
    assert answer.context["folded"]
