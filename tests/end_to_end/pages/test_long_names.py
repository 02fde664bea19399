"""Pages of profiles with long names, as tools write them: parameters, deep call paths, C++ signatures."""

import pytest
from playwright.sync_api import Page

from ingest.models import Campaign
from tests.end_to_end.accessibility import CHARTS_ARE_DRAWN, WIDTHS, check_width
from tests.end_to_end.pages.conftest import Slower
from tests.factories import Law

pytestmark = pytest.mark.django_db(transaction=True)

PARAMETERS = ("mpi.world.size", "iteration#mainloop")
LAYERS = ("LagrangeNodal", "LagrangeElements", "CalcTimeConstraintsForElems")
KERNELS = (
    "MPI_Waitall",
    "CalcVolumeForceForElems",
    "void CommSend<double, std::vector<Domain>>(Domain&, int, Index_t, bool)",
)
DEEP = "main->lulesh.cycle->LagrangeLeapFrog"
BETWEEN = (1501, 1401, 1260, 1150)
"""Further widths at which the layout of a campaign's table differs."""
CUT_OFF = """() => [...document.querySelectorAll('.table-wrap')].filter(wrap => {
    const card = wrap.closest('.card').getBoundingClientRect();
    return wrap.querySelector('table').getBoundingClientRect().right > card.right + 1;
}).map(wrap => wrap.getAttribute('aria-label'))"""
"""JavaScript that finds tables that are wider than the card around them."""


def laws(number: int) -> dict[str, Law]:
    """Return the same kernels below several callers. Their cost grows with the number of the version."""
    return {
        f"{DEEP}->{layer}->{kernel}": (
            0.1234 / place,
            [(3.31e-8 * number, (2.0, 0.0, 0.0, 0.0)), (2.46e-3 / place, (0.5, 1.0, 0.0, 0.0))],
        )
        for place, layer in enumerate(LAYERS, 1)
        for kernel in KERNELS
    }


@pytest.fixture
def campaign(slower: Slower) -> Campaign:
    return slower(PARAMETERS, ("1.0", "1.1"), laws)


def test_pages_fit_every_screen_and_no_term_is_broken(
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
        for width in (*WIDTHS, *(BETWEEN if path == here else ())):
            check_width(page, width)


def test_kernels_of_equal_names_can_be_distinguished(
    page: Page, campaign: Campaign, live_server: object
) -> None:
    application = f"{live_server}/a/{campaign.version.application.project.slug}/hydro/"
    for path in ("", "compare/?show=all", "history/?kernels=all"):
        page.goto(f"{application}{path}")
        names = page.locator("tbody .kernel-cell a").all_inner_texts()
        assert len(set(names)) == len(names) == len(LAYERS) * len(KERNELS)
        assert "LagrangeNodal › MPI_Waitall" in names
        assert any(name.endswith("CommSend<…>(…)") for name in names)


@pytest.mark.parametrize("width", [1440, 1280])
def test_the_share_stays_visible(page: Page, campaign: Campaign, live_server: object, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{live_server}/campaigns/{campaign.pk}/")
    share = page.locator("#rows thead th").last.bounding_box()
    assert share
    assert share["x"] + share["width"] <= width
    assert page.evaluate(CUT_OFF) == []
