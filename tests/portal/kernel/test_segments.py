"""The page of a kernel whose behaviour changes inside the measured range."""

import json
from math import log2

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from ingest.models import Campaign
from modeling.models import ModelRun
from modeling.selectors.kernel.segments import segmented
from perfweb.portal.kernel.segments import breaks_text, segments_card
from tests.factories import make_member, make_project
from tests.modeling.stored import modelled

pytestmark = pytest.mark.django_db

PROCESSES = tuple(4 * 2**step for step in range(10))
LAWS = {
    "main->halo": lambda p: 0.02 * p if p < 100 else 1.4 + 0.3 * np.log2(p),
    "main->sweep": lambda p: 2.0 + 0.1 * p,
    "main->three": lambda p: 0.1 * p if p < 32 else 40.0 if p < 256 else 90 + 0.05 * p,
}


@pytest.fixture(scope="module")
def modelled_once(rows_of_module: None) -> int:
    return modelled(make_project(), "1.0", LAWS, PROCESSES).pk


@pytest.fixture
def campaign(modelled_once: int) -> Campaign:
    return Campaign.objects.get(pk=modelled_once)


@pytest.fixture
def page(client: Client, campaign: Campaign):
    client.force_login(make_member(campaign.version.application.project))

    def get(path: str, **asked: str):
        kernel = campaign.version.application.kernels.get(path=path)
        return client.get(reverse("kernel", args=[campaign.pk, kernel.pk]), asked)

    return get


def model(campaign: Campaign, path: str):
    return ModelRun.objects.get(campaign=campaign).models.get(kernel__path=path)


def test_each_law_is_shown_with_its_range(page) -> None:
    text = page("main->halo").content.decode()
    for words in (
        "The behaviour changes at p ≈ 91 (probability: more than 99 %).",
        "Predictions beyond the data use only the 5 values from p = 128 on.",
        "<dt>below p ≈ 91</dt>",
        "<dt>from p ≈ 91 on</dt>",
        "This is about the law from p ≈ 91 on.",
        "whose law changes at p ≈ 91",
    ):
        assert words in text


def test_one_law_has_no_segments(page) -> None:
    answer = page("main->sweep")
    assert answer.context["segments"] is None
    assert "behaviour changes" not in answer.content.decode()


def test_the_chart_breaks_the_law_where_it_changes(page) -> None:
    figure = page("main->three").context["figure"]
    drawn = json.loads(figure.json)
    lines = [shape for shape in drawn["layout"]["shapes"] if shape["line"]["dash"] == "dashdot"]
    assert [round(line["x0"]) for line in lines] == [23, 181]
    ends = [
        (trace["x"][0], trace["x"][-1])
        for trace in drawn["data"]
        if trace.get("line", {}).get("width") == 2.5 and "dash" not in trace["line"]
    ]
    assert [high for _, high in ends[:2]] < [22.7, 181.1]
    assert [low for low, _ in ends[1:]] >= [22.6, 181.0]
    assert len(ends) == 3
    segments = [row[figure.columns.index("segment")] for row in figure.rows]
    assert segments == ["1 of 3"] * 3 + ["2 of 3"] * 3 + ["3 of 3"] * (len(segments) - 6)


def test_the_other_tabs_work_with_segments(page) -> None:
    assert "last of 2 segments" in page("main->halo", tab="modelers", fit="1").content.decode()
    assert page("main->halo", tab="data").status_code == 200
    assert page("main->halo", tab="history").status_code == 200


def test_the_campaign_s_table_marks_segmented_laws(page, client: Client, campaign: Campaign) -> None:
    text = client.get(reverse("campaign", args=[campaign.pk])).content.decode()
    assert text.count(">segmented</span>") == 2
    assert "last of 3 segments, measured from p = 256 on" in text


def test_two_breaks_are_described_in_words(campaign: Campaign) -> None:
    found = segmented(model(campaign, "main->three"), campaign)
    assert found is not None
    assert breaks_text(found) == "p ≈ 23 and 180"
    card = segments_card(found, campaign.parameters, "s")
    assert card is not None
    assert [part.where for part in card.earlier] == ["below p ≈ 23", "from p ≈ 23 to 180"]
    assert card.last.where == "from p ≈ 180 on"
    assert [segment.values for segment in found.segments] == [3, 3, 4]
    assert segmented(model(campaign, "main->sweep"), campaign) is None


def test_copied_formulas_contain_the_laws_of_all_segments(page) -> None:
    copied = page("main->three").context["copies"]
    for p in (5.0, 100.0, 5000.0):
        assert eval(copied["Python"], {"p": p, "log2": log2}) == pytest.approx(
            LAWS["main->three"](p), rel=0.02
        )
    assert copied["LaTeX"].count("&") == 3
    assert copied["text"].count(";") == 2
