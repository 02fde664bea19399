"""CI pipelines ask the gate over REST whether a version may be released."""

import pytest
from django.utils import timezone

from ingest.models import Upload
from modeling.models import Change, Expectation, ExpectationResult, ModelRun, ReleaseRules, Shift, State
from perfweb.accounts.models import Scope
from tests.api.conftest import Api
from tests.factories import (
    make_application,
    make_campaign,
    make_change,
    make_comparison,
    make_run,
    make_series,
)

pytestmark = pytest.mark.django_db

GATE = "applications/hydro/gate/"
LINEAR = (0.5, [(0.01, (1.0, 0.0, 0.0, 0.0))])
LAWS = {"main->halo": LINEAR, "main->sweep": LINEAR, "main->io": LINEAR}


class Story:
    """Two versions of an application, modelled and compared."""

    def __init__(self, project) -> None:
        self.application = make_application(project)
        self.campaigns = [make_campaign(self.application, label) for label in ("1.0", "1.1")]
        self.runs = [make_run(campaign, LAWS) for campaign in self.campaigns]
        self.comparison = make_comparison(*self.campaigns)

    def change(self, name: str, kind: str, ratio: float | None) -> Change:
        return make_change(self.comparison, f"main->{name}", Change.Kind(kind), ratio)

    def expect(self, probability: float | None) -> ExpectationResult:
        made = Expectation.objects.create(
            application=self.application, metric=self.application.metrics.get(), pattern="halo", text="O(1)",
            created_at=timezone.now(),
        )  # fmt: skip
        ModelRun.objects.update(expected_at=timezone.now())
        halo = self.application.kernels.get(path="main->halo")
        return ExpectationResult.objects.create(
            run=self.runs[1], expectation=made, kernel=halo, probability=probability
        )


@pytest.fixture
def story(api) -> Story:
    return Story(api.project)


def conditions(answer):
    return {each["condition"]: each["met"] for each in answer["conditions"]}


def test_it_works(api, story, conforms):
    answer = api.get(GATE)
    conforms(answer, "Gate")
    assert (answer["verdict"], answer["passed"], answer["undecided"]) == ("passed", True, False)
    assert (answer["before"]["version"], answer["after"]["version"]) == ("1.0", "1.1")
    assert conditions(answer) == {
        "P(slower than 5 % at the target) > 0.95": False,
        "any law worsened": False,
        "an expectation broken": False,
    }
    assert answer["policy"] == "; ".join(conditions(answer))
    assert answer["page"].endswith("/compare/?machine=cluster-a&before=1.0&after=1.1")


def test_a_slower_kernel_fails_the_gate(api, story, conforms):
    story.change("halo", "factor", 1.5)
    answer = api.get(GATE, version="1.1", before="1.0")
    conforms(answer, "Gate")
    assert answer["verdict"] == "failed"
    slower = answer["conditions"][0]
    assert (slower["met"], slower["count"]) == (True, 2)  # The kernel is slower, and so is the total.
    assert {reason["kernel"] for reason in slower["reasons"]} == {None, "main->halo"}
    kernel = next(reason for reason in slower["reasons"] if reason["kernel"])
    assert kernel["ratio"] == 1.5
    assert kernel["probability"] == pytest.approx(0.998, abs=0.001)
    assert "main->halo (time) is 1.5× what it was (95 %: 1.35× – 1.65×)" in kernel["sentence"]


def test_a_faster_kernel_passes_the_gate(api, story):
    story.change("halo", "law", 0.5)
    assert api.get(GATE)["verdict"] == "passed"


def test_a_worse_law_fails_however_small_its_share(api, story):
    story.change("halo", "law", 1.04)
    answer = api.get(GATE, policy="any law worsened")
    assert answer["verdict"] == "failed"
    assert answer["reasons"] == [
        "main->halo (time) has another law, and at the target is 1.04× what it was (probability 99.8 %)."
    ]


def test_a_worse_overhead_fails_if_the_policy_asks_for_it(api, story):
    story.change("halo", "overhead", 1.04)
    assert api.get(GATE)["verdict"] == "passed"
    assert api.get(GATE, policy="any law worsened")["reasons"] == ["No law got worse."]
    answer = api.get(GATE, policy="any overhead worsened")
    assert answer["verdict"] == "failed"
    assert answer["reasons"] == [
        "main->halo (time) has another overhead, and at the target is 1.04× what it was (probability 99.8 %)."
    ]
    Change.objects.update(ratio=0.96)
    assert api.get(GATE, policy="an overhead worsened")["reasons"] == ["No overhead got worse."]


def test_one_slower_kernel_of_three_does_not_fail_a_condition_on_the_total(api, story):
    story.change("halo", "factor", 1.5)
    total = "P(total slower than {} % at the target) > 0.95"
    # The total is 17 % slower, because the kernel is a third of it.
    assert api.get(GATE, policy=total.format(10))["verdict"] == "failed"
    answer = api.get(GATE, policy=total.format(25))
    assert answer["verdict"] == "passed"
    assert answer["reasons"][0].startswith("The total (time) is 1.17× what it was")
    reason = api.get(GATE, policy=total.format(10))["conditions"][0]["reasons"][0]
    assert reason["ratio"] == pytest.approx(1 + 0.5 / 3, abs=0.01)


def test_new_kernels_count_for_the_total(api, story):
    campaign = make_campaign(story.application, "1.2")
    make_run(campaign, LAWS | {"main->checks": LINEAR})
    make_comparison(story.campaigns[1], campaign)
    answer = api.get(GATE, policy="P(total slower than 30 %) > 0.5")
    assert answer["verdict"] == "failed"
    assert answer["conditions"][0]["reasons"][0]["ratio"] == pytest.approx(4 / 3)


def test_a_broken_expectation_fails(api, story):
    story.expect(0.01)
    answer = api.get(GATE, policy="an expectation broken")
    assert answer["verdict"] == "failed"
    assert answer["reasons"] == ["main->halo (time) breaks O(1), which holds with a probability of 1 %."]


@pytest.mark.parametrize("probability", [0.06, None])
def test_a_doubtful_expectation_is_not_broken(api, story, probability):
    story.expect(probability)
    assert api.get(GATE)["verdict"] == "passed"


def test_a_throughput_is_worse_if_it_decreases(api, story):
    story.application.metrics.update(name="speed", unit="zones/s", lower_is_better=False)
    story.application.kernels.get(path="main->halo")
    metric = story.application.metrics.get()
    for kernel, ratio in (("halo", 0.5), ("sweep", 2.0)):
        Change.objects.create(
            comparison=story.comparison, kernel=story.application.kernels.get(path=f"main->{kernel}"),
            metric=metric, kind="factor", probability=1.0, ratio=ratio, ratio_lower=0.9 * ratio,
            ratio_upper=1.1 * ratio,
        )  # fmt: skip
    answer = api.get(GATE, policy="P(any kernel worse than 5 %) > 0.9")
    assert [reason["kernel"] for reason in answer["conditions"][0]["reasons"]] == ["main->halo"]


def test_unknown_changes_are_reported(api, story):
    story.change("io", "unknown", None)
    answer = api.get(GATE)
    assert answer["verdict"] == "passed"
    assert "time: it cannot be told whether 1 kernel changed." in answer["reasons"]
    differing = story.change("sweep", "unknown", 1.51)
    Change.objects.filter(pk=differing.pk).update(probability=0.2)
    assert (
        "time: it cannot be told whether 2 kernels changed; after / before of 1 of them is 1.51×, perhaps "
        "because of the machine."
    ) in api.get(GATE)["reasons"]


def test_the_first_version_has_no_baseline(api, story):
    answer = api.get(GATE, version="1.0")
    assert (answer["verdict"], answer["before"]) == ("passed", None)
    assert "1.0 is the first version on cluster-a: nothing to compare." in answer["reasons"]


def test_the_gate_can_judge_at_another_target(api):
    from tests.measured import STORY, make_weighed  # noqa: PLC0415 -- models take a second

    application = make_application(api.project)
    name = "main->timestep->sweep"
    worse = STORY | {name: (0.05, [(2.4e-6, (0.0, 0.0, 1.5, 0.0))])}
    campaigns = [
        make_weighed(application, label, laws)[0] for label, laws in (("1.0", STORY), ("1.1", worse))
    ]
    ModelRun.objects.update(expected_at=timezone.now())
    comparison = make_comparison(*campaigns) if not application.comparisons.exists() else None
    comparison = comparison or application.comparisons.get()
    application.comparisons.update(state=State.DONE)
    make_change(comparison, name, Change.Kind.LAW, 0.9)
    policy = "P(any kernel slower than 5 %) > 0.5"
    assert api.get(GATE, policy=policy)["verdict"] == "passed"
    near = api.get(GATE, policy=policy, target="p:64,n:1000")
    far = api.get(GATE, policy=policy, target="p:64,n:1000000")
    assert (near["verdict"], far["verdict"]) == ("passed", "failed")
    expected = (0.05 + 2.4e-6 * 1e9) / (0.05 + 2.4e-4 * 1e6)
    assert far["conditions"][0]["reasons"][0]["ratio"] == pytest.approx(expected, rel=0.3)
    assert far["target"] == {"p": 64, "n": 1000000}


def unfinished(story):
    ModelRun.objects.filter(pk=story.runs[1].pk).update(state=State.RUNNING)


def comparing(story):
    type(story.comparison).objects.update(state=State.QUEUED)


def uploading(story):
    Upload.objects.filter(version_label="1.1").update(state=Upload.State.PARSING)


def expecting(story):
    Expectation.objects.create(
        application=story.application, metric=story.application.metrics.get(), pattern="*", text="O(p)",
        created_at=timezone.now(),
    )  # fmt: skip


def unmodelled(story):
    story.runs[1].delete()


@pytest.mark.parametrize(
    ("happens", "sentence"),
    [
        (unfinished, "1.1 is being modelled: 3 of 3 series."),
        (comparing, "The comparison of 1.0 with 1.1 is under way."),
        (uploading, "Files of 1.1 are still being read or modelled."),
        (expecting, "1.1 is being compared with the expectations."),
        (unmodelled, "1.1 waits to be modelled."),
    ],
)
def test_a_version_that_is_being_processed_is_undecided(api, story, conforms, happens, sentence):
    happens(story)
    answer = api.get(GATE, 202)
    conforms(answer, "Gate")
    assert (answer["verdict"], answer["passed"], answer["undecided"]) == ("undecided", False, True)
    assert sentence in answer["waiting"]
    assert api.client.get(f"/api/v1/{GATE}").headers["Retry-After"] == "2"


def test_a_version_whose_first_file_is_being_read_is_undecided(api, story, conforms):
    Upload.objects.create(
        project=api.project, application_slug="hydro", version_label="2.0", filename="a", size=1, sha256="1",
        state=Upload.State.RECEIVED,
    )  # fmt: skip
    answer = api.get(GATE, 202, version="2.0")
    conforms(answer, "Gate")
    assert answer["waiting"] == ["Files of 2.0 are still being read."]


def test_after_a_failed_comparison_the_gate_is_undecided(api, story):
    type(story.comparison).objects.update(error="The campaigns vary different parameters.")
    answer = api.get(GATE)
    assert (answer["verdict"], answer["undecided"]) == ("undecided", True)
    assert answer["reasons"] == [
        "The comparison of 1.0 with 1.1 failed: The campaigns vary different parameters."
    ]


def test_two_versions_that_were_never_compared_are_not_decided(api, story):
    campaign = make_campaign(story.application, "1.2")
    make_run(campaign, LAWS)
    make_comparison(story.campaigns[1], campaign)
    problem = api.get(GATE, 404, version="1.2", before="1.0")
    assert problem["type"] == "urn:perfweb:problem:not_compared"


@pytest.mark.parametrize(
    ("query", "status", "message"),
    [
        ({"policy": "P(slower than 5"}, 400, "Character 16: found the end, expected “%”."),
        ({"policy": "any law improved"}, 400, "Character 9: found “improved”, expected “worsened”."),
        ({"policy": "fast enough"}, 400, "Character 1: found “fast”, expected a condition: P(slower than"),
        ({"policy": "any law worsened and more"}, 400, "expected “or”, “;” or the end."),
        ({"version": "9"}, 404, "There is no measured version “9”."),
        ({"before": "9"}, 404, "There is no measured version “9” (before)."),
        ({"machine": "moon"}, 404, "There is no measured version on “moon”."),
        ({"version": "1.1", "before": "1.1"}, 422, "A version is compared with another one."),
        ({"target": "p:4"}, 400, "A target needs a value for n too"),
    ],
)
def test_wrong_questions(api, story, query, status, message):
    problem = api.get(GATE, status, **query)
    assert message in problem["detail"]
    if status == 400:
        assert problem["errors"][0]["field"] in query


def test_versions_of_other_machines_are_not_compared(api, story):
    make_run(make_campaign(story.application, "0.9", "laptop"), LAWS)
    problem = api.get(GATE, 422, version="1.1", before="0.9")
    assert "“0.9” was measured on laptop and 1.1 on cluster-a" in problem["detail"]


def text(api, accept, **query):
    answer = api.client.get(f"/api/v1/{GATE}", query, headers={"Accept": accept})
    assert answer.headers["Content-Type"].startswith(accept)
    return answer.content.decode()


def test_as_text(api, story):
    story.change("halo", "factor", 1.5)
    lines = text(api, "text/plain").splitlines()
    assert lines[0] == "✗ hydro 1.1 fails the gate on cluster-a, compared with 1.0"
    assert lines[1] == "  ✗ P(slower than 5 % at the target) > 0.95"
    assert any(line.startswith("      main->halo (time) is 1.5× what it was") for line in lines)
    assert lines[-1].startswith("  http://testserver/a/")


def test_names_are_escaped_in_markdown(api, story):
    kernel = story.application.kernels.get(path="main->halo")
    kernel.path = "main->[x](http://evil)<b>*\n# big"
    kernel.save()
    make_change(story.comparison, kernel.path, Change.Kind.FACTOR, 2.0)
    found = text(api, "text/markdown", policy="P(any kernel slower than 5 %) > 0.9")
    assert found.startswith("### ✗ hydro 1.1 fails the gate")
    assert r"main\-\>" not in found
    assert r"main-\>\[x\]\(http://evil\)\<b\>\*" in found
    assert "\n# big" not in found


@pytest.mark.parametrize("written", ["text", "markdown", "json"])
def test_the_format_of_the_answer_does_not_appear_in_the_pages_address(api, story, written):
    answer = api.client.get(f"/api/v1/{GATE}", {"format": written})
    address = f"http://testserver/a/{api.project.slug}/hydro/compare/"
    assert f"{address}?machine=cluster-a&before=1.0&after=1.1" in answer.content.decode()


@pytest.mark.parametrize("accept", ["text/plain", "text/markdown"])
def test_problems_are_json_in_every_format(api, story, accept):
    answer = api.client.get(f"/api/v1/{GATE}", {"version": "9"}, headers={"Accept": accept})
    assert answer.status_code == 404
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["detail"] == "There is no measured version “9”."


def test_of_many_reasons_only_some_are_listed(api, story):
    laws = {f"main->k{number:02}": LINEAR for number in range(30)}
    campaigns = [make_campaign(story.application, label) for label in ("2.0", "2.1")]
    for campaign in campaigns:
        make_run(campaign, laws)
    make_comparison(story.campaigns[1], campaigns[0])
    comparison = make_comparison(*campaigns)
    for path in laws:
        make_change(comparison, path, Change.Kind.FACTOR, 4.0 if path == "main->k29" else 2.0)
    slower = api.get(GATE, policy="P(any kernel slower than 5 %) > 0.9")["conditions"][0]
    assert (slower["count"], len(slower["reasons"])) == (30, 20)
    assert "k29" in slower["reasons"][0]["sentence"], "equally certain: the largest effect first"
    assert "(31, of which 11 are not shown)" in text(api, "text/plain")


def test_a_reader_of_another_project_gets_404(story):
    Api(Scope.READ).get(GATE, 404)


def test_the_policy_of_the_application_is_the_default(api, story):
    story.change("halo", "factor", 1.2)
    assert not api.get(GATE)["passed"]
    ReleaseRules.objects.create(application=story.application, gate_policy="any law worsened")
    answer = api.get(GATE)
    assert (answer["policy"], answer["passed"]) == ("any law worsened", True)
    assert not api.get(f"{GATE}?policy=P(any kernel slower than 1 %25) > 0.9")["passed"]


def test_growth_that_all_kernels_share_counts_as_a_worse_law(api, story, conforms):
    power = {"parameter": "p", "exponent": 0.25, "lower": 0.24, "upper": 0.26}
    shift = Shift.objects.create(
        comparison=story.comparison, metric=story.application.metrics.get(), ratio=1.2, lower=1.1, upper=1.3,
        growth=[power],
    )  # fmt: skip
    answer = api.get(GATE)
    conforms(answer, "Gate")
    assert conditions(answer)["any law worsened"] is True
    [sentence] = answer["reasons"]
    assert (
        "time: after / before of all kernels together grows like p^0.25 (exponent, 95 %: 0.24 to 0.26)"
        in sentence
    )
    [found] = api.get("comparisons/?application=hydro&before=1.0&after=1.1")["shifts"]
    assert found["growth"] == [power]
    assert api.get(f"{GATE}?policy=P(total slower than 5 %25) > 0.9")["passed"]
    for growth in ([power | {"exponent": -0.25}], []):
        Shift.objects.filter(pk=shift.pk).update(growth=growth)
        assert api.get(GATE)["passed"]


def test_a_factor_that_most_kernels_share_is_mentioned(api, story):
    """A version in which everything became 1.84 times slower passed without a word about it."""
    shift = Shift.objects.create(
        comparison=story.comparison, metric=story.application.metrics.get(), ratio=1.84, lower=1.8, upper=1.9
    )
    answer = api.get(GATE)
    assert answer["passed"]
    assert "time: most kernels share a factor of 1.84× (95 %: 1.8× – 1.9×)" in " ".join(answer["reasons"])
    for ratio, lower, upper in ((1.02, 1.01, 1.03), (1.2, 0.9, 1.5)):
        Shift.objects.filter(pk=shift.pk).update(ratio=ratio, lower=lower, upper=upper)
        assert "share a factor" not in " ".join(api.get(GATE)["reasons"])


def test_queries(api, story, django_assert_max_num_queries):
    for campaign in story.campaigns:
        make_series(campaign)
    story.change("halo", "law", 1.5)
    story.expect(0.01)
    api.get(GATE)  # The first request stores when the token was used.
    with django_assert_max_num_queries(11):
        api.get(GATE)
    api.get(GATE, target="p:4096,n:1000")  # The first request loads the run's models into memory.
    with django_assert_max_num_queries(12):
        api.get(GATE, target="p:4096,n:1000")
