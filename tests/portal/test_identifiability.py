"""Laws that the data cannot tell: marked in the campaign's table, explained on the kernel's page."""

import pytest
from django.test import Client
from django.urls import reverse

from ingest.models import Application, Campaign
from modeling.models import Model
from tests.measured import make_weighed

pytestmark = pytest.mark.django_db

HALO = "main->timestep->halo_exchange"


@pytest.fixture
def campaign(application: Application) -> Campaign:
    found = make_weighed(application, "1.3.0")[0]
    Model.objects.filter(kernel__path=HALO).update(lead_certainty=[0.38, 0.97])
    return found


def names(client: Client, campaign: Campaign, **asked: str) -> list[str]:
    answer = client.get(reverse("campaign", args=[campaign.pk]), asked)
    return [row.model.name for row in answer.context["shown"]]


def test_it_is_stored_with_every_model(campaign: Campaign) -> None:
    rows = Model.objects.filter(run__campaign=campaign).exclude(kernel__path=HALO)
    certainties = list(rows.values_list("lead_certainty", flat=True))
    assert all(len(each) == 2 and all(0.5 < share <= 1 for share in each) for each in certainties)


def test_the_table_marks_and_filters_what_is_not_identifiable(member: Client, campaign: Campaign) -> None:
    text = member.get(reverse("campaign", args=[campaign.pk])).content.decode()
    assert text.count(">? not identifiable</span>") == 1
    assert "not from these data (1)" in text
    assert names(member, campaign, known="no") == ["halo_exchange"]
    everything = names(member, campaign)
    assert names(member, campaign, known="yes") == [name for name in everything if name != "halo_exchange"]
    assert names(member, campaign, known="nonsense") == everything


def test_a_wide_interval_at_the_target_is_a_doubt(member: Client, campaign: Campaign) -> None:
    Model.objects.filter(kernel__path__endswith="sweep").update(predicted=10.0, lower=0.5, upper=12.0)
    assert set(names(member, campaign, known="no")) == {"halo_exchange", "sweep"}


def test_the_kernel_s_page_says_why(member: Client, application: Application, campaign: Campaign) -> None:
    def page(path: str) -> str:
        kernel = application.kernels.get(path=path)
        return member.get(reverse("kernel", args=[campaign.pk, kernel.pk])).content.decode()

    assert "Not identifiable from these data." in page(HALO)
    assert "How it grows with p cannot be told" in page(HALO)
    assert "Not identifiable" not in page("main->reduce_dt")
