"""The page of forecasts, and intervals that become wider because of missed forecasts."""

import numpy as np
import pytest
from django.utils import timezone

from modeling.models import LedgerSummary, Prediction, State
from modeling.selectors.ledger import calibration
from modeling.services.predictions.ledger import ledger_summarise
from tests.factories import make_application, make_campaign, make_comparison, make_member, make_project
from tests.measured import make_measured

pytestmark = pytest.mark.django_db

PAGE = "/a/storm/hydro/forecasts/"


@pytest.fixture
def application(client):
    application = make_application(make_project("storm"))
    client.force_login(make_member(application.project))
    return application


def foretold(application, before, after, spread, kernels=40):
    """Store predictions of 10 s for all kernels, and values measured with this spread around 10 s."""
    made = [application.kernels.create(path=f"main->k{number}") for number in range(kernels)]
    measured = 10 * np.exp(np.random.default_rng(5).normal(0, spread, kernels))
    return Prediction.objects.create(
        application=application, campaign=before, metric=application.metrics.get(), revision=1,
        engine_version="2.8", point=[4096.0, 4000.0], distance=4.0, kernels=[each.pk for each in made],
        predicted=[10.0] * kernels, lower=[8.0] * kernels, upper=[12.5] * kernels, made_at=timezone.now(),
        scored_by=after, measured=measured.tolist() if after else None,
    )  # fmt: skip


def campaigns(application):
    found = [make_campaign(application, label) for label in ("1.0", "1.1")]
    make_comparison(*found, State.DONE)
    return found


def test_it_works(client, application):
    row = foretold(application, *campaigns(application), spread=0.4)
    page = client.get(PAGE).content.decode()
    off = sorted(np.abs(np.log(np.array(row.measured) / 10)) / np.log(1.25))
    assert "Of 40 values that were predicted before they were measured, <strong>" in page
    # The 38th of 40 sorted distances is their 95 % quantile.
    assert f"Intervals should have been {off[37]:.2g}× as wide" in page
    assert "2× – 4×" in page
    assert ">1.0</a></th>" in page
    assert ">1.1</a></td>" in page


def test_correct_intervals_are_not_widened(client, application):
    foretold(application, *campaigns(application), spread=0.05)
    assert "There is no sign that intervals are too narrow" in client.get(PAGE).content.decode()


def test_too_few_values_do_not_widen_intervals(client, application):
    foretold(application, *campaigns(application), spread=0.4, kernels=5)
    page = client.get(PAGE).content.decode()
    assert "At least 30 values are needed to know whether intervals should be wider." in page
    assert "too few values to tell" in page


def test_what_waits(client, application):
    assert "No forecasts yet" in client.get(PAGE).content.decode()
    foretold(application, campaigns(application)[0], None, spread=0.1)
    assert "Nothing has been scored yet" in client.get(PAGE).content.decode()


def test_the_kernel_page_widens_the_interval_and_gives_the_reason(client, application):
    campaign, _ = make_measured(application, "0.9")
    kernel = application.kernels.get(path="main->timestep->halo_exchange")
    address = f"/campaigns/{campaign.pk}/kernels/{kernel.pk}/?target=p:8192,n:4000"
    assert "Widened because" not in client.get(address).content.decode()
    foretold(application, *campaigns(application), spread=0.4)
    ledger_summarise(application, campaign.machine)
    page = client.get(address).content.decode()
    assert "Widened because earlier forecasts of this application missed more often" in page
    assert "Of 40 predicted values" in page
    inside = f"/campaigns/{campaign.pk}/kernels/{kernel.pk}/?target=p:64,n:4000"
    assert "Widened because" not in client.get(inside).content.decode()
    LedgerSummary.objects.update(groups=[])
    assert "Widened because" not in client.get(address).content.decode()


def test_only_the_latest_predictions_are_read_and_the_number_of_older_ones_is_shown(
    client, application, monkeypatch
):
    first, last = campaigns(application)
    row = foretold(application, first, last, spread=0.05, kernels=2)
    row.point, row.pk = [8192.0, 4000.0], None
    row.save()
    type(first).objects.update(kernel_count=2)
    assert "left out" not in client.get(PAGE).content.decode()
    monkeypatch.setattr(calibration, "MOST_KERNELS", 3)
    answer = client.get(PAGE)
    assert "The latest predictions are used; 1 older one is left out." in answer.content.decode()
    assert [scored.prediction.pk for scored in answer.context["scored"]] == [row.pk]


def test_queries(client, application, django_assert_max_num_queries):
    campaign, _ = make_measured(application, "0.9")
    foretold(application, *campaigns(application), spread=0.4)
    ledger_summarise(application, campaign.machine)
    kernel = application.kernels.get(path="main->timestep->halo_exchange")
    for path in (PAGE, f"/campaigns/{campaign.pk}/kernels/{kernel.pk}/?target=p:8192,n:4000"):
        with django_assert_max_num_queries(12):
            assert client.get(path).status_code == 200
