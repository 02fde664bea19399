"""For kernels with known laws, the kernel page claims only what the data show."""

import json
import re
from math import log2
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from ingest.models import Campaign
from perfweb.portal.kernel.scaling import ScalingCard
from tests.factories import make_member, make_project
from tests.modeling.stored import Law, modelled

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
    """Return a function that measures and models kernels at some process counts.

    That function returns another one, which requests the page of a kernel by its path.
    """

    def get(processes: tuple[int, ...], laws: dict[str, Law] = LAWS, **how: Any):
        return pages_of(modelled(make_project(), "1.0", laws, processes, **how), client)

    return get


@pytest.fixture(scope="module")
def doubling(rows_of_module) -> Campaign:
    return modelled(make_project(), "1.0", LAWS, DOUBLING)


@pytest.fixture
def page(client: Client, doubling: Campaign):
    """Return a function that requests the page of a kernel by its path, with the usual process counts."""
    return pages_of(doubling, client)


def pages_of(campaign: Campaign, client: Client):
    application = campaign.version.application
    client.force_login(make_member(application.project))
    kernels = {kernel.path: kernel.pk for kernel in application.kernels.all()}
    return lambda path, **asked: client.get(reverse("kernel", args=[campaign.pk, kernels[path]]), asked)


def columns(card: ScalingCard) -> dict[str, list[str]]:
    """Return the card's table as a list of cells for each heading, without intervals."""
    rows = [[cell.partition(" (")[0] for cell in row] for row in card.rows]
    return dict(zip(card.columns, map(list, zip(*rows, strict=True)), strict=True))


def test_divided_work_has_strong_scaling(page) -> None:
    card = page("divided and log").context["scaling"]
    assert card.kind == "strong"
    start = r"Strong scaling \(the processes share the same work\): its efficiency is "
    assert re.match(start + r"[\d.]+.% \([\d.]+ – [\d.]+.%\) ", card.sentence)
    # Numbers of processes are whole.
    assert not re.search(r"(= |than )\d+\.\d", card.sentence)
    table = columns(card)
    assert "weak efficiency" not in table
    # At p = 256 the time is 100/256 + 4, relative to 100 at p = 1.
    assert float(table["speed-up over 1"][1].rstrip("×")) == pytest.approx(22.8, rel=0.03)
    assert float(table["strong efficiency"][1].rstrip(" %")) == pytest.approx(8.9, rel=0.03)


def test_a_kernel_of_a_program_that_divides_its_work_has_strong_scaling(pages) -> None:
    laws: dict[str, Law] = {"divided": lambda p: 100.0 / p, "serial": lambda p: 0.1}
    card = pages(DOUBLING, laws)("serial").context["scaling"]
    assert card.kind == "strong"
    assert columns(card)["strong efficiency"][1] == "0.39 %"
    assert card.sentence.endswith(
        "falls below 50 % at p = 2. With more than one process the time does not fall."
    )


def test_work_that_grows_with_the_processes_has_weak_scaling_and_no_speed_up(page) -> None:
    card = page("grows").context["scaling"]
    assert card.kind == "weak"
    assert list(columns(card)) == ["p", "weak efficiency", "core hours"]
    # The efficiency 1.02 / (1 + 0.02 p) is one half at p = 52.
    assert "falls below 50 % at p = 5" in card.sentence
    constant = page("constant").context["scaling"]
    assert constant.sentence == (
        "Weak scaling (each process has its own work): its efficiency is 100 % at p = 4,096 and stays "
        "above 50 % up to p = 16,384."
    )


def test_the_card_says_why_it_shows_this_kind_of_scaling(page) -> None:
    text = page("grows").content.decode()
    assert "Shown as weak scaling, because neither the kernel nor the program takes less than" in text
    assert page("divided").context["scaling"].note.startswith("Shown as strong scaling, because")


def test_the_kind_of_scaling_can_be_chosen_in_the_address(page) -> None:
    card = page("constant", scaling="strong").context["scaling"]
    assert card.note == ""
    assert (card.kind, columns(card)["strong efficiency"][1]) == ("strong", "0.39 %")
    assert page("divided", scaling="weak").context["scaling"].kind == "weak"
    assert page("constant", scaling="nonsense").context["scaling"].kind == "weak"
    assert 'name="scaling" value="strong"' in page("constant", scaling="strong").content.decode()


def test_the_chart_shows_the_efficiency_that_was_measured(page) -> None:
    figure = json.loads(page("grows").context["scaling"].figure.json)
    marks = next(trace for trace in figure["data"] if trace["mode"] == "markers")
    assert marks["x"] == list(DOUBLING)
    measured = [1.02 / (1 + 0.02 * p) * 100 for p in DOUBLING]
    assert marks["y"] == pytest.approx(measured, rel=0.05)
    assert figure["layout"]["yaxis"]["range"][0] == 0


def test_the_efficiency_is_extrapolated_from_the_kernels_own_largest_point(pages) -> None:
    """Other kernels of the campaign were measured on up to 256 processes."""
    missing = frozenset(("constant", p) for p in (128, 256))
    card = pages(DOUBLING, missing=missing)("constant").context["scaling"]
    assert "dashed beyond p = 64;" in card.figure.caption


def test_so_few_values_do_not_make_a_law_certain(pages) -> None:
    answer = pages((4, 8, 16))("grows", target="p:64")
    assert "A parameter has fewer than five values, which hardly tell laws apart" in answer.content.decode()
    assert "nearly certain" not in answer.context["certainty"]


def test_equal_repetitions_have_no_family_of_noise(pages) -> None:
    answer = pages(DOUBLING, noise=0.0)("constant")
    noise = answer.context["noise"]
    assert noise.sentence == "At each point all repetitions are equal."
    assert (noise.kinds, noise.meaning, noise.scatter) == ([], "", "")


def test_segments_that_follow_their_laws_are_not_said_to_deviate(pages) -> None:
    laws: dict[str, Law] = {"cache": lambda p: 0.1 * p if p < 32 else 0.4 * p}
    meaning = pages((*DOUBLING, 512, 1024), laws)("cache").context["noise"].meaning
    assert meaning.startswith("The law changed inside the measured range and may change again")


def test_the_axis_of_a_constant_has_different_labels(pages) -> None:
    axis = json.loads(pages(DOUBLING, noise=0.0)("constant").context["figure"].json)["layout"]["yaxis"]
    assert len(set(axis["ticktext"])) == len(axis["ticktext"]) > 1


def test_the_efficiency_axis_of_superlinear_scaling_has_few_ticks(pages) -> None:
    laws: dict[str, Law] = {"cached": lambda p: 1e4 / p**2}
    card = pages(DOUBLING, laws)("cached").context["scaling"]
    axis = json.loads(card.figure.json)["layout"]["yaxis"]
    assert axis["range"][1] > 1000
    assert len(axis["tickvals"]) <= 9


def test_speed_up_is_not_rounded_above_the_number_of_processes(page) -> None:
    [speed_up] = columns(page("divided").context["scaling"])["speed-up over 1"][1:2]
    assert float(speed_up.rstrip("×")) == pytest.approx(256, rel=0.01)


def test_a_kernel_without_time_has_no_scaling(page) -> None:
    answer = page("nothing")
    assert answer.context["scaling"] is page("later").context["scaling"] is None
    assert answer.context["reasons"][0] == "At the target the true value may differ by less than 1 %."


def test_the_page_says_that_points_of_zeros_are_left_out(page) -> None:
    text = page("later").content.decode()
    assert "3 of the campaign&#x27;s 8 points were measured as 0; the law describes the other points." in text
    assert "5 of 8" in text


@pytest.mark.parametrize("processes", [(64,), (4, 64)])
def test_one_or_two_values_determine_no_law(pages, processes: tuple[int, ...]) -> None:
    page = pages(processes)
    for path in ("constant", "divided", "grows"):
        answer = page(path, target="p:1024")
        assert answer.context["grade"] == "cannot be told"
        assert "Its growth with p cannot be inferred from these data." in answer.context["reasons"]
        assert answer.context["scaling"] is None
        assert "nearly certain" not in answer.content.decode()


def test_one_value_gives_no_interval_elsewhere(pages) -> None:
    page = pages((64,))
    away, there = page("grows", target="p:1024"), page("grows", target="p:64")
    assert away.context["prediction"].lower is away.context["prediction"].upper is None
    assert "The possible error of the prediction at the target is unknown." in away.context["reasons"]
    assert (away.context["grade"], there.context["grade"]) == ("cannot be told", "reliable")
    assert there.context["prediction"].lower < there.context["prediction"].upper


def test_a_falling_law_is_said_to_hide_possible_growth(pages) -> None:
    hides = "A small part that grows with p, such as communication, may be hidden under the falling part."
    five = pages((4, 8, 16, 32, 64))
    assert (
        f"{hides} Laws with both parts need at least 6 points; this kernel has 5."
        in five("divided").context["hidden"]
    )
    assert hides not in five("divided", target="p:64").context["hidden"]
    assert hides not in five("grows").context["hidden"]


def test_a_metric_that_approaches_a_limit_grows_towards_it(pages) -> None:
    page = pages(DOUBLING, {"approaches": lambda p: 100.0 - 95.0 * 2 / p})("approaches")
    assert "Grows towards a limit with" in page.content.decode()
    assert page.context["hidden"] == ""
    assert page.context["prediction"].upper < 200


def test_with_enough_points_the_warning_asks_for_no_more(page) -> None:
    text = page("divided").context["hidden"]
    assert text.endswith("may be hidden under the falling part.")
