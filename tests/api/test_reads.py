"""Models, histories and comparisons are read over REST."""

from urllib.parse import urlencode

import pytest

from ingest.models import Kernel
from modeling.models import Change, Comparison, Model, State
from tests.api.conftest import READ, Api
from tests.factories import (
    law_value,
    make_application,
    make_campaign,
    make_change,
    make_comparison,
    make_report,
    make_run,
)
from tests.measured import make_weighed

pytestmark = pytest.mark.django_db

GROWS = (0.5, [(0.01, (0.5, 1.0, 1.0, 0.0))])
LAWS = {"main->halo": GROWS, "main->sweep": (2.0, [])}


@pytest.fixture
def application(api):
    return make_application(api.project)


@pytest.fixture
def run(application):
    return make_run(make_campaign(application, "1.0"), LAWS)


def models(api, run, status=200, **query):
    return api.get(f"campaigns/{run.campaign_id}/models/", status, **query)


def test_models(api, run, conforms):
    body = models(api, run)
    conforms(body, "ModelPage")
    assert (body["count"], body["next"], body["target"]) == (2, None, {"p": 65536, "n": 8000})
    halo, sweep = body["models"]
    assert halo["kernel"]["path"] == "main->halo"
    assert api.client.get(halo["kernel"]["history"]).json()["kernel"] == "main->halo"
    assert halo["law"]["terms"] == [
        {
            "coefficient": 0.01,
            "factors": [
                {"parameter": "p", "exponent": 0.5, "log_exponent": 1.0},
                {"parameter": "n", "exponent": 1.0, "log_exponent": 0.0},
            ],
        }
    ]
    assert halo["at_target"]["predicted"] == pytest.approx(law_value(GROWS, [65536, 8000]))
    assert sweep["law"]["terms"] == sweep["law"]["lead_exponents"] == []


def test_rates_have_no_total(api, run, conforms):
    told = [(row["counts_to_total"], row["lower_is_better"]) for row in models(api, run)["models"]]
    assert told == [(True, True)] * 2
    run.campaign.version.application.metrics.update(unit="ops/s", lower_is_better=False)
    body = models(api, run)
    conforms(body, "ModelPage")
    told = [(row["counts_to_total"], row["lower_is_better"]) for row in body["models"]]
    assert told == [(False, False)] * 2


def test_models_are_predicted_at_a_given_configuration(api, run):
    body = models(api, run, target="p:4096,n:1000")
    assert body["target"] == {"p": 4096, "n": 1000}
    predictions = [model["at_target"] for model in body["models"]]
    assert predictions[0]["predicted"] == pytest.approx(law_value(GROWS, [4096, 1000]))
    assert predictions[1]["lower"] <= predictions[1]["predicted"] == 2.0 <= predictions[1]["upper"]


def test_models_are_predicted_at_a_named_target(api, run, application):
    application.targets.create(name="half", values={"p": 32768, "n": 8000}, position=1)
    body = models(api, run, target="half")
    assert body["models"][0]["at_target"]["predicted"] == pytest.approx(law_value(GROWS, [32768, 8000]))


def test_models_can_be_filtered_by_metric(api, run, application):
    application.metrics.create(name="bytes")
    assert models(api, run, metric="time")["count"] == 2
    assert models(api, run, metric="bytes")["count"] == 0


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ({"metric": "visits"}, "metric"),
        ({"target": "q:1"}, "target"),
        ({"target": "p:0,n:1"}, "target"),
        ({"target": "p:4"}, "target"),
        ({"target": "p:nan,n:1"}, "target"),
        ({"evidence": "perhaps"}, "evidence"),
    ],
)
def test_unknown_names_are_refused(api, run, query, wrong):
    assert [error["field"] for error in models(api, run, 400, **query)["errors"]] == [wrong]


def test_models_include_evidence_on_request(api, application, conforms, django_assert_max_num_queries):
    campaign, run = make_weighed(application, "2.0", LAWS)
    assert {model["evidence"] for model in models(api, run)["models"]} == {None}
    with django_assert_max_num_queries(12):
        body = models(api, run, evidence="true", target="p:4096,n:4000")
    conforms(body, "ModelPage")
    halo, sweep = (model["evidence"] for model in body["models"])
    assert sum(rival["probability"] for rival in halo["rivals"]) + halo["others"] == pytest.approx(1)
    first = halo["rivals"][0]
    assert {factor["parameter"] for term in first["terms"] for factor in term["factors"]} == {"p", "n"}
    assert first["predicted"] == pytest.approx(law_value(GROWS, [4096, 4000]), rel=0.5)
    assert [growth["parameter"] for growth in halo["growth"]] == campaign.parameters
    with_n = halo["growth"][1]["lead_exponents"][0]
    assert (with_n["exponent"], with_n["log_exponent"]) == (1.0, 0.0)
    for kernel in (halo, sweep):
        assert sum(family["probability"] for family in kernel["noise_families"]) == pytest.approx(1)
    assert sweep["rivals"][0]["terms"] == []
    assert sweep["growth"][0]["lead_exponents"][0]["probability"] > 0.5


def test_models_include_stability(api, run, conforms):
    Model.objects.filter(kernel__path="main->halo").update(
        stability=0.8, weakest_point=1, weakest_ratio=float("inf")
    )
    body = models(api, run)
    conforms(body, "ModelPage")
    halo, sweep = (model["stability"] for model in body["models"])
    point = dict(zip(run.campaign.parameters, run.campaign.points[1], strict=True))
    assert halo == {"score": 0.8, "weakest_point": point, "ratio": None}
    assert sweep == {"score": None, "weakest_point": None, "ratio": None}


def test_models_include_segments(api, run, conforms):
    earlier = {"first": 4.0, "last": 16.0, "following": 64.0, "constant": 0.5, "coefficients": [2.0]}
    earlier["exponents"] = [[[1.0, 0.0], [0.0, 0.0]]]
    Model.objects.filter(kernel__path="main->halo").update(
        status="segmented", segments={"parameter": 0, "probability": 0.97, "earlier": [earlier]}
    )
    body = models(api, run)
    conforms(body, "ModelPage")
    halo, sweep = body["models"]
    assert sweep["segments"] is None
    assert (halo["segments"]["parameter"], halo["segments"]["probability"]) == ("p", 0.97)
    first, last = halo["segments"]["laws"]
    assert (first["begin"], first["end"], last["begin"], last["end"]) == (None, 32.0, 32.0, None)
    assert (first["first_measured"], first["last_measured"], last["first_measured"]) == (4, 16, 64)
    assert first["terms"] == [
        {"coefficient": 2.0, "factors": [{"parameter": "p", "exponent": 1.0, "log_exponent": 0.0}]}
    ]
    assert last["terms"] == halo["law"]["terms"]


def test_models_include_identifiability(api, run, conforms):
    Model.objects.filter(kernel__path="main->halo").update(lead_certainty=[0.3, 0.9])
    body = models(api, run)
    conforms(body, "ModelPage")
    halo, sweep = (model["identifiability"] for model in body["models"])
    assert halo["lead_certainty"] == {"p": 0.3, "n": 0.9}
    assert not halo["identifiable"]
    assert halo["reasons"][0].startswith("Its growth with p is not known")
    assert sweep == {"identifiable": True, "reasons": [], "lead_certainty": None}


def test_models_include_prediction_formula_value_and_grade(api, run, conforms):
    Model.objects.filter(kernel__path="main->halo").update(
        predicted=1e9, lower=1e8, upper=2e9, status="does not fit"
    )
    body = models(api, run)
    conforms(body, "ModelPage")
    halo, sweep = body["models"]
    assert halo["at_target"]["law_value"] < 1e6 < halo["at_target"]["predicted"]
    assert sweep["at_target"]["law_value"] == pytest.approx(sweep["at_target"]["predicted"])
    assert halo["trust"]["grade"] == "a guess"
    assert halo["trust"]["reasons"][0] == "At the target the true value may differ by a factor of 10."
    assert "The law misses the points to which it was fitted" in halo["trust"]["reasons"][-1]


def test_pages_with_evidence_are_shorter(api, run, application):
    many = make_run(make_campaign(application, "1.1"), {f"main->k{number}": GROWS for number in range(60)})
    body = models(api, many, evidence="true", limit=200)
    assert len(body["models"]) == 50
    assert "evidence=true" in body["next"]
    # The regression modeler gives no probabilities of laws.
    assert {model["evidence"] for model in body["models"]} == {None}


def test_pages_of_models_link_to_each_other(api, run):
    first = models(api, run, limit=1)
    second = api.client.get(first["next"]).json()
    assert [page["models"][0]["kernel"]["path"] for page in (first, second)] == ["main->halo", "main->sweep"]
    assert (second["next"], first["previous"]) == (None, None)
    for oddity in ({"limit": "many"}, {"limit": -1}, {"offset": "x"}, {"offset": 10**30}, {"limit": 10**9}):
        models(api, run, **oddity)


def test_numbers_that_json_does_not_have_are_null(api, run, conforms):
    Model.objects.update(upper=float("inf"), r_squared=None)
    body = models(api, run)
    conforms(body, "ModelPage")
    assert body["models"][0]["at_target"]["upper"] is None


def test_a_campaign_that_is_not_modelled_yet_has_no_models(api, application, conforms):
    campaign = make_campaign(application, "1.0")
    body = api.get(f"campaigns/{campaign.pk}/models/")
    conforms(body, "ModelPage")
    assert (body["run"], body["models"]) == (None, [])


def test_the_number_of_queries_does_not_grow_with_kernels(
    api, run, application, django_assert_max_num_queries
):
    many = make_run(make_campaign(application, "1.1"), {f"main->k{number}": GROWS for number in range(150)})
    with django_assert_max_num_queries(12):
        assert len(models(api, many, target="p:4096,n:1000", limit=500)["models"]) == 150


def history(api, status=200, path="main->halo", **query):
    return api.get(f"kernels/{Kernel.objects.get(path=path).pk}/history/", status, **query)


def test_history(api, run, application, conforms, django_assert_max_num_queries):
    after = make_campaign(application, "1.1")
    make_run(after, {"main->halo": (1.0, [(0.01, (1.0, 0.0, 0.0, 0.0))])})
    make_change(make_comparison(run.campaign, after), "main->halo", Change.Kind.LAW, 3.0)
    with django_assert_max_num_queries(12):
        body = history(api)
    conforms(body, "History")
    assert [(step["version"], step["verdict"]) for step in body["versions"]] == [
        ("1.0", "same"),
        ("1.1", "law_worse"),
    ]
    assert body["versions"][1]["predicted"] == pytest.approx(1.0 + 655.36)
    assert body["versions"][1]["ratio"] == 3.0
    gone = history(api, path="main->sweep")
    conforms(gone, "History")
    assert gone["versions"][1]["expression"] is None


def test_a_history_contains_only_one_machine(api, run, application):
    make_run(make_campaign(application, "1.1", "laptop"), LAWS)
    assert [step["version"] for step in history(api)["versions"]] == ["1.1"]
    assert [step["version"] for step in history(api, machine="cluster-a")["versions"]] == ["1.0"]
    assert history(api)["machines"] == ["cluster-a", "laptop"]
    assert history(api, 400, machine="moon")["errors"][0]["field"] == "machine"


def test_a_history_is_predicted_at_a_given_configuration(api, run):
    step = history(api, target="p:4096,n:1000")["versions"][0]
    assert step["predicted"] == pytest.approx(law_value(GROWS, [4096, 1000]))


@pytest.fixture
def pair(run, application):
    after = make_run(make_campaign(application, "1.1"), LAWS)
    return run, after


def test_comparison(api, pair, conforms, django_assert_max_num_queries):
    comparison = make_comparison(pair[0].campaign, pair[1].campaign)
    make_change(comparison, "main->sweep", Change.Kind.FACTOR, 1.25)
    with django_assert_max_num_queries(12):
        body = api.get("comparisons/", application="hydro", before="1.0", after="1.1")
    conforms(body, "Comparison")
    assert (body["state"], body["machine"], body["count"]) == ("done", "cluster-a", 1)
    change = body["changes"][0]
    assert (change["kernel"]["path"], change["verdict"], change["ratio"]) == ("main->sweep", "slower", 1.25)
    assert change["before"]["predicted"] == change["after"]["predicted"] == 2.0


def test_versions_are_compared_by_id(api, pair):
    make_comparison(pair[0].campaign, pair[1].campaign)
    before, after = (run.campaign.version_id for run in pair)
    assert api.get("comparisons/", before=before, after=after)["before"]["version"] == "1.0"


QUERY = {"application": "hydro", "before": "1.0", "after": "1.1"}
PAIR = "comparisons/?application=hydro&before=1.0&after=1.1"


def test_a_get_requests_no_comparison(api, pair):
    problem = api.get("comparisons/", 404, **QUERY)
    assert problem["type"] == "urn:perfweb:problem:not_compared"
    assert "Nobody has compared 1.0 with 1.1 on cluster-a yet; a POST to this address" in problem["detail"]
    assert not Comparison.objects.exists()


def test_a_second_post_requests_no_second_comparison(api, pair, conforms, monkeypatch):
    sent = []
    monkeypatch.setattr(
        "modeling.services.changes.comparisons.enqueue", lambda task, row: sent.append(row.pk)
    )
    for _ in range(2):
        answer = api.client.post(f"/api/v1/{PAIR}")
        conforms(answer.json(), "Comparison")
        assert (answer.status_code, answer["Retry-After"], answer.json()["state"]) == (202, "1", "queued")
    assert answer["Location"] == f"http://testserver/api/v1/{PAIR}"
    assert api.client.get(answer["Location"]).json() == answer.json()
    assert sent == [Comparison.objects.get().pk]
    Comparison.objects.update(state=State.FAILED, error="Set aside.")
    assert api.get("comparisons/", **QUERY)["error"] == "Set aside."
    assert api.post(PAIR, 200)["state"] == "failed"


def test_a_token_that_only_reads_cannot_request_a_comparison(pair):
    project = pair[0].campaign.version.application.project
    problem = Api(READ, project=project).post(PAIR, 403)
    assert "needs the scope upload" in problem["detail"]
    assert not Comparison.objects.exists()


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ({}, 400, "expected the id of a version"),
        ({"before": "1.0", "after": "1.1"}, 400, "application"),
        ({"application": "hydro", "before": "1.0", "after": "9"}, 404, "“9” (after)"),
        ({"application": "hydro"}, 404, "no measured version"),
        ({"application": "none", "before": "1.0", "after": "1.1"}, 404, "no application “none”"),
        ({"application": "hydro", "before": "1.0", "after": "1.0"}, 422, "another one"),
        ({"application": "hydro", "before": "1.0", "after": "1.1", "machine": "moon"}, 422, "on cluster-a"),
        ({"before": "9" * 30, "after": "9" * 30}, 400, "expected the id"),
        ({"before": "1", "after": "987654321"}, 404, "no such version"),
    ],
)
def test_versions_that_cannot_be_compared_are_refused_with_the_reason(api, pair, query, status, said):
    assert said in api.get("comparisons/", status, **query)["detail"]
    assert said in api.post(f"comparisons/?{urlencode(query)}", status)["detail"]
    assert not Comparison.objects.exists()


def test_two_machines_are_compared_if_both_are_named(api, run, application, conforms):
    make_run(make_campaign(application, "1.0", "laptop"), LAWS)
    make_run(make_campaign(application, "1.1", "laptop"), LAWS)
    across = f"{PAIR}&before_machine=cluster-a&machine=laptop"
    body = api.post(across, 202)
    conforms(body, "Comparison")
    assert (body["before_machine"], body["machine"]) == ("cluster-a", "laptop")
    same = "comparisons/?application=hydro&before=1.0&after=1.0"
    assert api.post(f"{same}&before_machine=cluster-a&machine=laptop", 202)["after"]["version"] == "1.0"
    assert "found measurements" in api.post(f"{same}&before_machine=moon&machine=laptop", 422)["detail"]


def test_versions_on_different_machines_are_compared_only_if_both_are_named(api, run, application):
    make_run(make_campaign(application, "1.1", "laptop"), LAWS)
    problem = api.get("comparisons/", 422, application="hydro", before="1.0", after="1.1")
    assert "on cluster-a and on laptop" in problem["detail"]
    make_run(make_campaign(application, "1.0", "laptop"), LAWS)
    assert api.post(PAIR)["machine"] == "laptop"


def test_applications(api, run, conforms):
    page = api.get("applications/")
    assert page["count"] == 1
    conforms(page["results"][0], "Application")


@pytest.mark.parametrize("name", ["Hydro", "HYDRO", " hydro", "hydro."])
def test_the_name_of_an_application_can_replace_its_slug(api, run, name):
    assert api.get(f"applications/{name}/")["slug"] == "hydro"
    assert "no application “Hydro 2”" in api.get("applications/Hydro 2/", 404)["detail"]


def test_application(api, run, conforms, application, django_assert_max_num_queries):
    for number in range(30):
        make_campaign(application, f"2.{number}")
    with django_assert_max_num_queries(12):
        body = api.get("applications/hydro/")
    conforms(body, "ApplicationDetail")
    assert [version["label"] for version in body["versions"]][:2] == ["1.0", "2.0"]
    assert body["versions"][0]["campaigns"][0]["machine"] == "cluster-a"
    assert body["targets"][0]["values"] == {"p": 65536, "n": 8000}


def test_the_total_of_a_metric_is_the_sum_of_its_kernels(api, run, conforms):
    assert models(api, run)["total"] is None
    for target in ({}, {"target": "p:2048,n:1000"}):
        body = models(api, run, metric="time", **target)
        conforms(body, "ModelPage")
        total, each = body["total"], [model["at_target"] for model in body["models"]]
        assert total["kernels"] == 2
        assert total["predicted"] == pytest.approx(sum(one["predicted"] for one in each))
        ends = [sum(one[end] for one in each) for end in ("lower", "upper")]
        assert total["lower"] < total["predicted"] < total["upper"]
        # With 1,000 draws, each end of the interval has an error of a few percent of the interval's width.
        slack = 0.1 * (total["upper"] - total["lower"])
        assert ends[0] < total["lower"] + slack
        assert ends[1] > total["upper"] - slack
    Model.objects.update(predicted=None, lower=None, upper=None)
    run.campaign.runs.update(judged=1)
    assert models(api, run, metric="time")["total"] is None


def test_reports(api, pair, application, conforms, django_assert_max_num_queries):
    report = make_report(application.versions.get(label="1.1").campaigns.get())
    with django_assert_max_num_queries(6):
        listed = api.get("applications/hydro/reports/")
    conforms(listed, "ReportList")
    (entry,) = listed["reports"]
    assert (entry["id"], entry["version"], entry["metric"]) == (report.pk, "1.1", "time")
    with django_assert_max_num_queries(6):
        found = api.get(entry["url"].partition("/api/v1/")[2])
    conforms(found, "Report")
    assert found["content"] == report.content
