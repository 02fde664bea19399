"""Pages of profiles as tools write them: long names of parameters, deep call paths, C++ signatures."""

import pytest
from django.test import Client
from playwright.sync_api import Page

from ingest.models import Campaign
from modeling.models import Change
from tests.end_to_end.accessibility import CHARTS_ARE_DRAWN, WIDTHS, check_width
from tests.factories import (
    make_application,
    make_campaign,
    make_change,
    make_comparison,
    make_member,
    make_run,
)
from tests.measured import measure

pytestmark = pytest.mark.django_db(transaction=True)

PARAMETERS = ("mpi.world.size", "iteration#mainloop")
LAYERS = ("LagrangeNodal", "LagrangeElements", "CalcTimeConstraintsForElems")
KERNELS = (
    "MPI_Waitall",
    "CalcVolumeForceForElems",
    "void CommSend<double, std::vector<Domain>>(Domain&, int, Index_t, bool)",
)
DEEP = "main->lulesh.cycle->LagrangeLeapFrog"
CUT_OFF = """() => [...document.querySelectorAll('.table-wrap')].filter(wrap => {
    const card = wrap.closest('.card').getBoundingClientRect();
    return wrap.querySelector('table').getBoundingClientRect().right > card.right + 1;
}).map(wrap => wrap.getAttribute('aria-label'))"""
"""The tables that are wider than the cards they stand in."""


@pytest.fixture
def campaign(page: Page, client: Client, live_server: object) -> Campaign:
    """The second of two versions, of which all kernels became slower; the page is signed in as a viewer."""
    application = make_application()
    for parameter, name in zip(application.parameters.order_by("position"), PARAMETERS, strict=True):
        parameter.name = name
        parameter.save()
    application.targets.update(values=dict(zip(PARAMETERS, (65536, 8000), strict=True)))
    campaigns = []
    for number, version in enumerate(("1.0", "1.1"), 1):
        laws = {
            f"{DEEP}->{layer}->{kernel}": (
                0.1234 / place,
                [(3.31e-8 * number, (2.0, 0.0, 0.0, 0.0)), (2.46e-3 / place, (0.5, 1.0, 0.0, 0.0))],
            )
            for place, layer in enumerate(LAYERS, 1)
            for kernel in KERNELS
        }
        campaign = make_campaign(application, version)
        campaign.parameters = list(PARAMETERS)
        campaign.save()
        make_run(campaign, laws)
        measure(campaign, laws)
        campaigns.append(campaign)
    comparison = make_comparison(*campaigns)
    for path in application.kernels.values_list("path", flat=True):
        if path.endswith(KERNELS):
            make_change(comparison, path, Change.Kind.FACTOR, 2.0)
    client.force_login(make_member(application.project))
    cookie = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": str(live_server)}])
    return campaigns[-1]


def test_pages_fit_every_screen_and_break_no_term(
    page: Page, campaign: Campaign, live_server: object
) -> None:
    kernel = campaign.version.application.kernels.get(path=f"{DEEP}->{LAYERS[0]}->{KERNELS[0]}")
    application = f"/a/{campaign.version.application.project.slug}/hydro/"
    here = f"/campaigns/{campaign.pk}/"
    for path in (
        application,
        f"{application}compare/",
        f"{application}history/",
        here,
        f"{here}kernels/{kernel.pk}/",
    ):
        page.set_viewport_size({"width": WIDTHS[0], "height": 900})
        page.goto(f"{live_server}{path}")
        page.wait_for_function(CHARTS_ARE_DRAWN)
        for width in WIDTHS:
            check_width(page, width)


def test_kernels_of_one_name_are_told_apart(page: Page, campaign: Campaign, live_server: object) -> None:
    application = f"{live_server}/a/{campaign.version.application.project.slug}/hydro/"
    for path in ("", "compare/?show=all", "history/?kernels=all"):
        page.goto(f"{application}{path}")
        names = page.locator("tbody .kernel-cell a").all_inner_texts()
        assert len(set(names)) == len(names) == len(LAYERS) * len(KERNELS)
        assert "LagrangeNodal › MPI_Waitall" in names
        assert any(name.endswith("CommSend<…>(…)") for name in names)


@pytest.mark.parametrize("width", [1440, 1280])
def test_the_share_stays_in_sight(page: Page, campaign: Campaign, live_server: object, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{live_server}/campaigns/{campaign.pk}/")
    share = page.locator("#rows thead th").last.bounding_box()
    assert share
    assert share["x"] + share["width"] <= width
    assert page.evaluate(CUT_OFF) == []
