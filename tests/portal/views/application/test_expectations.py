"""Expectations in the settings, on the application's page and on the pages of kernels."""

import pytest
from django.utils import timezone

from modeling.models import Expectation, ExpectationResult, ModelRun
from modeling.services.changes import expectations as services
from perfweb.accounts.models import AuditEntry
from tests.factories import make_application, make_campaign, make_project, make_run, make_series

pytestmark = pytest.mark.django_db

PAGE = "/a/storm/hydro/"
SETTINGS = f"{PAGE}settings/"
LINEAR = (0.5, [(0.01, (1.0, 0.0, 0.0, 0.0))])


@pytest.fixture
def run(application):
    campaign = make_campaign(application, "1.0")
    run = make_run(campaign, {"main->halo": LINEAR, "main->sweep": LINEAR, "main->io": LINEAR})
    make_series(campaign)
    return run


def form(**changes):
    return {"save": "expectation", "metric": "time", "pattern": "*halo*", "text": "O(p)", **changes}


def held(application, run, text, **probabilities):
    made = Expectation.objects.create(
        application=application, metric=application.metrics.get(), pattern="*", text=text,
        created_at=timezone.now(),
    )  # fmt: skip
    for name, probability in probabilities.items():
        kernel = application.kernels.get(path=f"main->{name}")
        ExpectationResult.objects.create(run=run, expectation=made, kernel=kernel, probability=probability)
    return made


def test_it_works(client, application, monkeypatch):
    sent = []
    monkeypatch.setattr(services, "enqueue", lambda task, row: sent.append((task, row.pk)))
    assert client.post(SETTINGS, form()).status_code == 302
    made = Expectation.objects.get()
    assert (made.pattern, made.text) == ("*halo*", "O(p)")
    assert sent == [("modeling.tasks.application_expect", application.pk)]
    page = client.get(SETTINGS).content.decode()
    assert "All versions will be compared with “*halo*: O(p)” in a moment." in page
    assert "<code>*halo*</code>" in page
    assert client.post(f"{PAGE}expectations/{made.pk}/remove/").status_code == 302
    assert not Expectation.objects.exists()
    assert AuditEntry.objects.filter(action="expectation.remove").exists()


def test_a_new_expectation_is_not_said_to_lack_kernels_before_it_is_compared(client, application, run):
    client.post(SETTINGS, form())
    waiting = client.get(SETTINGS).content.decode()
    assert "not compared yet" in waiting
    assert "no kernel has such a name" not in waiting
    Expectation.objects.update(pattern="*nothing*")
    services.application_expect(application)
    compared = client.get(SETTINGS).content.decode()
    assert "no kernel has such a name" in compared
    assert "not compared yet" not in compared


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"text": "O(q)"}, "Character 3: found “q”, expected a parameter (p, n)."),
        ({"text": ""}, "This field is required."),
        ({"text": "≤ 2 kB at p = 4"}, "expected the unit of time, s."),
        ({"pattern": "a" * 401}, "at most 400 characters"),
        ({"metric": "other"}, "Select a valid choice"),
    ],
)
def test_errors_are_shown_beside_the_field(client, application, changes, message):
    answer = client.post(SETTINGS, form(**changes))
    assert answer.status_code == 422
    assert message in answer.content.decode()
    assert not Expectation.objects.exists()


def test_an_expectation_of_another_application_cannot_be_removed(client, application):
    other = make_application(make_project())
    made = held(other, None, "O(1)")
    assert client.post(f"{PAGE}expectations/{made.pk}/remove/").status_code == 404


def test_the_application_page_counts_kernels_by_result(client, application, run):
    held(application, run, "O(1)", halo=0.01, sweep=0.3, io=None)
    held(application, run, "O(p)", halo=0.99, sweep=0.98)
    held(application, run, "O(p^2)")
    ModelRun.objects.update(expected_at=timezone.now())
    page = client.get(PAGE).content.decode()
    assert "broken by 1, doubtful for 1, unknown for 1" in page
    assert "holds for 2" in page
    assert "no kernel has such a name" in page
    assert page.count("verdict-law_worse") == 1


def test_the_kernel_page_shows_expectations(client, application, run):
    held(application, run, "≤ 2 s at p = 64", halo=0.02)
    held(application, run, "O(1)", halo=None, sweep=0.9)
    kernel = application.kernels.get(path="main->halo")
    page = client.get(f"/campaigns/{run.campaign_id}/kernels/{kernel.pk}/").content.decode()
    page = page.replace("\N{NO-BREAK SPACE}", " ").replace("2 %.", "2.0 %.")
    assert "Expected: <bdi>≤ 2 s at p = 64</bdi>; it holds with a probability of 2.0 %." in page
    assert "Expected: <bdi>O(1)</bdi>; it is unknown whether this holds." in page


def test_queries(client, application, run, django_assert_max_num_queries):
    held(application, run, "O(1)", halo=0.01)
    kernel = application.kernels.get(path="main->halo")
    for path in (PAGE, SETTINGS, f"/campaigns/{run.campaign_id}/kernels/{kernel.pk}/"):
        client.get(path)
        with django_assert_max_num_queries(12):
            assert client.get(path).status_code == 200
