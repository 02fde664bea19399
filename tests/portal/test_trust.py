"""How far a prediction can be trusted: a grade in the campaign's table, explained on the kernel page."""

import pytest
from django.test import Client
from django.urls import reverse

from ingest.models import Application, Campaign
from modeling.models import Model
from tests.measured import make_weighed

pytestmark = pytest.mark.django_db

HALO = "main->timestep->halo_exchange"
SWEEP = "main->timestep->sweep"


@pytest.fixture
def campaign(application: Application) -> Campaign:
    found = make_weighed(application, "1.3.0")[0]
    Model.objects.filter(kernel__path=HALO).update(predicted=10.0, lower=3.0, upper=12.0)
    return found


def table(client: Client, campaign: Campaign, **asked: str) -> str:
    return client.get(reverse("campaign", args=[campaign.pk]), asked).content.decode()


def names(client: Client, campaign: Campaign, **asked: str) -> list[str]:
    answer = client.get(reverse("campaign", args=[campaign.pk]), asked | {"constants": "show"})
    return [row.model.name for row in answer.context["shown"]]


def test_the_grade_is_stored_with_every_model(campaign: Campaign) -> None:
    rows = Model.objects.filter(run__campaign=campaign)
    certainties = list(rows.values_list("lead_certainty", flat=True))
    assert all(len(each) == 2 and all(0.5 < share <= 1 for share in each) for each in certainties)


def test_the_table_shows_grades_and_filters_by_them(member: Client, campaign: Campaign) -> None:
    text = table(member, campaign)
    assert text.count(">a guess</span>") == 1
    assert "may differ by a factor of 3.3" in text
    assert "a guess (1)" in text
    assert names(member, campaign, trust="a guess") == ["halo_exchange"]
    everything = names(member, campaign)
    assert "halo_exchange" in everything
    assert names(member, campaign, trust="usable") == [name for name in everything if name != "halo_exchange"]
    assert names(member, campaign, trust="nonsense") == everything


def test_the_table_can_be_sorted_by_grade(member: Client, campaign: Campaign) -> None:
    assert names(member, campaign, sort="-trust")[0] == "halo_exchange"


def test_a_guess_is_not_printed_in_bold(member: Client, campaign: Campaign) -> None:
    text = table(member, campaign, trust="a guess")
    assert 'class="number strong"' not in text
    assert 'class="number strong"' in table(member, campaign, trust="usable")


def test_hovering_shows_the_formulas_value_if_it_differs(member: Client, campaign: Campaign) -> None:
    """Only the halo exchange has a stored prediction that differs from its formula by more than 3 %."""
    text = table(member, campaign)
    assert text.count('title="The formula gives 22.9 s') == 1
    assert text.count('title="The formula gives') <= 2


def test_a_law_that_misses_its_points_is_marked(
    member: Client, application: Application, campaign: Campaign
) -> None:
    Model.objects.filter(kernel__path=SWEEP).update(status="does not fit")
    assert table(member, campaign).count(">does not fit</span>") == 1
    kernel = application.kernels.get(path=SWEEP)
    text = member.get(reverse("kernel", args=[campaign.pk, kernel.pk])).content.decode()
    assert "The law misses the points to which it was fitted, so do not infer the growth from it." in text


def test_files_contain_formula_and_grade(member: Client, campaign: Campaign) -> None:
    address = reverse("campaign-export", args=[campaign.pk, "json"])
    [row] = member.get(address, {"trust": "a guess"}).json()
    assert row["trust"] == "a guess"
    assert row["formula's value [s]"] != row["predicted [s]"]


def test_the_kernel_s_page_says_why(member: Client, application: Application, campaign: Campaign) -> None:
    def page(target: str) -> str:
        kernel = application.kernels.get(path=HALO)
        return member.get(
            reverse("kernel", args=[campaign.pk, kernel.pk]), {"target": target}
        ).content.decode()

    near, far = page("p:1024,n:4000"), page("p:1048576,n:4000")
    assert "<strong>Reliable.</strong>" in near
    assert "? The prediction" not in near
    assert "<strong>? The prediction is a guess.</strong>" in far
    assert "The target lies 1,024× outside the measured range of p." in far
