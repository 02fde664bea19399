"""Kernels with known laws: their pages claim only what the data show."""

from math import log2

import pytest
from django.test import Client
from django.urls import reverse

from ingest.models import Campaign
from modeling.models import ModelRun
from modeling.tasks import run_execute
from perfweb.portal.kernel.scaling import ScalingCard
from tests.factories import make_member, make_project
from tests.modeling.stored import Law, store

pytestmark = pytest.mark.django_db

LAWS: dict[str, Law] = {
    "divided": lambda p: 100.0 / p,
    "divided and log": lambda p: 100.0 / p + 0.5 * log2(p),
    "constant": lambda p: 7.0,
    "grows": lambda p: 1.0 + 0.02 * p,
    "later": lambda p: 0.0 if p < 16 else 0.3 * p,
    "nothing": lambda p: 0.0,
}
DOUBLING = (2, 4, 8, 16, 32, 64, 128, 256)


@pytest.fixture
def pages(client: Client):
    """Answers of the pages of all kernels, measured at these process counts."""

    def get(processes: tuple[int, ...]):
        campaign: Campaign = store(make_project(), "1.0", LAWS, processes)
        run_execute(ModelRun.objects.get(campaign=campaign).pk)
        application = campaign.version.application
        client.force_login(make_member(application.project))
        kernels = {kernel.path: kernel.pk for kernel in application.kernels.all()}
        return lambda path, **asked: client.get(reverse("kernel", args=[campaign.pk, kernels[path]]), asked)

    return get


def columns(card: ScalingCard) -> dict[str, list[str]]:
    """The card's table by its heads, without intervals."""
    rows = [[cell.partition(" (")[0] for cell in row] for row in card.rows]
    return dict(zip(card.columns, map(list, zip(*rows, strict=True)), strict=True))


def test_divided_work_scales_strongly(pages) -> None:
    card = pages(DOUBLING)("divided and log").context["scaling"]
    assert card.sentence.startswith("Strong scaling (the time falls by half as processes are added)")
    table = columns(card)
    assert "weak efficiency" not in table
    # 100 / (100/256 + 4), over 256 processes
    assert float(table["speed-up over 1"][1].rstrip("×")) == pytest.approx(22.8, rel=0.03)
    assert float(table["strong efficiency"][1].rstrip(" %")) == pytest.approx(8.9, rel=0.03)


def test_a_time_that_does_not_fall_may_be_of_either_scaling(pages) -> None:
    page = pages(DOUBLING)
    card = page("constant").context["scaling"]
    assert "(weak scaling), the efficiency stays above 50 % up to p = 16,384;" in card.sentence
    assert card.sentence.endswith("(strong scaling), it falls below 50 % at p = 2.")
    table = columns(card)
    assert (table["weak efficiency"][1], table["strong efficiency"][1]) == ("100 %", "0.39 %")
    # 1.02 / (1 + 0.02 p) is one half at p = 52
    assert (
        "(weak scaling), the efficiency falls below 50 % at p = 5"
        in page("grows").context["scaling"].sentence
    )


def test_speed_up_is_not_rounded_past_the_processes(pages) -> None:
    [speed_up] = columns(pages(DOUBLING)("divided").context["scaling"])["speed-up over 1"][1:2]
    assert float(speed_up.rstrip("×")) == pytest.approx(256, rel=0.01)


def test_what_takes_no_time_does_not_scale(pages) -> None:
    answer = pages(DOUBLING)("nothing")
    assert answer.context["scaling"] is None
    assert answer.context["reasons"][0] == "At the target the true value may differ by less than 1 %."


def test_points_of_zeros_are_said_to_be_left_out(pages) -> None:
    text = pages(DOUBLING)("later").content.decode()
    assert "3 of the campaign&#x27;s 8 points were measured as 0, and the law is that of the others." in text
    assert "5 of 8" in text


@pytest.mark.parametrize("processes", [(64,), (4, 64)])
def test_one_or_two_values_tell_no_law(pages, processes: tuple[int, ...]) -> None:
    page = pages(processes)
    for path in ("constant", "divided", "grows"):
        answer = page(path, target="p:1024")
        assert answer.context["grade"] == "cannot be told"
        assert "How it grows with p cannot be told from these data." in answer.context["reasons"]
        assert answer.context["scaling"] is None
        assert "little doubt" not in answer.content.decode()


def test_one_value_bounds_nothing_elsewhere(pages) -> None:
    page = pages((64,))
    away, there = page("grows", target="p:1024"), page("grows", target="p:64")
    assert away.context["prediction"].lower is away.context["prediction"].upper is None
    assert "How far off the prediction may be at the target cannot be told." in away.context["reasons"]
    assert (away.context["grade"], there.context["grade"]) == ("cannot be told", "reliable")
    assert there.context["prediction"].lower < there.context["prediction"].upper


def test_what_falls_may_hide_what_grows(pages) -> None:
    hides = "A small part that grows with p, such as communication, may be hidden under the falling part."
    five = pages((4, 8, 16, 32, 64))
    assert (
        f"{hides} Laws with both parts need at least 6 points; this kernel has 5."
        in five("divided").context["hidden"]
    )
    assert hides not in five("divided", target="p:64").context["hidden"]
    assert hides not in five("grows").context["hidden"]


def test_with_points_enough_nothing_is_left_unweighed(pages) -> None:
    text = pages(DOUBLING)("divided").context["hidden"]
    assert text.endswith("may be hidden under the falling part.")
