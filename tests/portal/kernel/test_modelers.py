"""The tab of the kernel page that shows the law of every modeler side by side."""

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from ingest.models import Application, Campaign
from modeling.engine import MODELERS
from modeling.models import Model
from modeling.selectors.kernel import modelers
from tests.factories import law_value, make_member
from tests.measured import STORY, make_weighed

pytestmark = pytest.mark.django_db

SWEEP = "main->timestep->sweep"


@pytest.fixture
def campaign(application: Application) -> Campaign:
    return make_weighed(application, "1.3.0")[0]


@pytest.fixture
def page(client: Client, application: Application, campaign: Campaign):
    client.force_login(make_member(application.project))
    kernel = application.kernels.get(path=SWEEP)
    return lambda **asked: client.get(
        reverse("kernel", args=[campaign.pk, kernel.pk]), {"tab": "modelers", **asked}
    )


def test_the_page_is_shown_before_other_modelers_are_fitted(page) -> None:
    answer = page()
    assert "sides" not in answer.context
    assert 'hx-get="?tab=modelers&amp;fit=now"' in answer.content.decode()


def test_every_modeler_has_a_row(page, campaign: Campaign) -> None:
    answer = page(fit="now", target="p:1024,n:8000")
    sides = answer.context["sides"]
    assert [side.name for side in sides] == list(MODELERS)
    stored = Model.objects.get(run__campaign=campaign, kernel__path=SWEEP)
    [own] = [side for side in sides if side.stored]
    assert (own.name, own.cv_smape) == ("evidence", stored.cv_smape)
    for side in sides:
        assert side.prediction.predicted == pytest.approx(law_value(STORY[SWEEP], [1024, 8000]), rel=0.1)
        assert side.holdout_error < 0.2
    text = answer.content.decode()
    assert text.count("this form alone") == 3
    assert text.count(">all laws<") == 1
    assert "all modelers predict about" in answer.context["sentence"]


def test_the_page_says_that_modelers_disagree(page, campaign: Campaign) -> None:
    Model.objects.filter(kernel__path=SWEEP).update(posterior=None, constant=100.0)
    answer = page(fit="now", target="p:1024,n:8000")
    assert "they differ by a factor of" in answer.context["sentence"]
    names = [note["text"] for note in answer.context["figure"].layout["annotations"]]
    assert "regression, refinement, adaptive" in names  # one line, because their laws are equal


def test_without_a_model_nothing_is_fitted(page) -> None:
    Model.objects.all().delete()
    assert "No model yet" in page(fit="now").content.decode()


def test_the_number_of_queries_is_small(page, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_max_num_queries(12):
        page(fit="now")


def test_slow_fits_are_not_made_while_the_reader_waits(page, monkeypatch) -> None:
    monkeypatch.setattr(modelers, "MOST_VALUES", 10)
    answer = page(fit="now", target="p:1024,n:8000")
    assert [side.name for side in answer.context["sides"]] == ["evidence"]
    assert "for regression, refinement, adaptive to be fitted while you wait." in answer.content.decode()
